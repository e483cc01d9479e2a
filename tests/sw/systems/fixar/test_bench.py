import json

import numpy as np
import pytest

from rewardware.hw.soc.fixar.config import Networks, Rates
from rewardware.sw.cli.bench import as_table
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.device.open import open_device
from rewardware.sw.reference.fixar_state import initial_state
from rewardware.sw.reference.learner_batch import LearnerBatch
from rewardware.sw.systems.fixar.bench.figures import FixarBench
from rewardware.sw.systems.fixar.bench.processor import samples_per_second
from rewardware.sw.systems.fixar.driver import FixarDevice
from tests.sw.systems.fake_clock import fake_time

FIGURES = [
    *(f"{figure}_b{batch}" for figure in ("ips_full", "ips_half", "util_full") for batch in (64, 128, 256, 512)),
    *("act_cycles", "dsp_per_pe", "lut_per_pe", "ff_per_pe", "fmax_ulx3s"),
    *("ips_vs_cpu", "ips_scaled_vs_cpu", "sim_cycles_per_s"),
]


def test_every_figure_of_the_specification_is_there():
    assert set(FIGURES) <= set(FixarBench("paper").ids())


def test_an_unknown_figure_is_named(capsys):
    assert dispatch(["bench", "fixar", "--only", "ips_full_b64,ips_full_b65"]) == 2
    assert "must name figures of ips_full_b64" in capsys.readouterr().err


def reports_of(config, networks, batch):
    """Reports of an action and of training steps of both precisions, with other numbers than the bench's."""
    random = np.random.default_rng(7)

    def numbers(*shape):
        return random.uniform(-1, 1, (batch, *shape)).astype(np.float32)

    transitions = LearnerBatch(
        observations=numbers(networks.observation_size),
        actions=numbers(networks.action_size),
        rewards=numbers(),
        discounts=np.full(batch, 0.5, np.float32),
        next_observations=numbers(networks.observation_size),
    )
    device = FixarDevice(open_device("sim", config), config, networks, Rates.of(), seed=3)
    try:
        device.load(initial_state(config, networks, 3))
        device.act(transitions.observations[:1])
        action = device.report
        device.train(transitions)
        full = device.report
        device.freeze(16)
        device.train(transitions)
        return action, full, device.report
    finally:
        device.close()


def test_rows_are_counted_on_the_rtl_of_a_small_configuration(monkeypatch):
    monkeypatch.setattr("rewardware.sw.systems.fixar.bench.figures.time", fake_time(0.5))
    networks = Networks(observation_size=3, action_size=1, hidden_sizes=(13, 7))
    monkeypatch.setattr("rewardware.sw.systems.fixar.bench.figures.BATCHES", (5, 12))
    bench = FixarBench("tiny", networks)
    rows = bench.rows(["util_half_b5", "ips_full_b5", "util_full_b5", "act_cycles", "sim_cycles_per_s"])
    assert [row["id"] for row in rows] == [
        "util_half_b5",
        "ips_full_b5",
        "util_full_b5",
        "act_cycles",
        "sim_cycles_per_s",
    ]
    values = {row["id"]: row["value"] for row in rows}
    action, full, half = reports_of(bench.config, networks, 5)
    # Products of a sample by hand: weights are 3 x 13, 13 x 7 and 7 of the actor, 4 x 13, 13 x 7 and 7 of the critic.
    # Forward 2 of the actor's and 3 of the critic's; backward the critic's but for the first layer twice, the action's
    # 13 once, the actor's but for the first; the gradients of all.
    products = 2 * 137 + 3 * 150 + 2 * 98 + 13 + 98 + 137 + 150
    elements = 3 * 6 * 6
    assert values == {
        "util_half_b5": round(100 * 5 * products / (2 * elements * half.busy["matrix"]), 2),
        "ips_full_b5": round(5 / full.cycles * 164e6),
        "util_full_b5": round(100 * 5 * products / (elements * full.busy["matrix"]), 2),
        "act_cycles": action.cycles,
        "sim_cycles_per_s": 2 * full.cycles,
    }
    assert {row["kind"] for row in rows} == {"counted", "measured"}
    assert json.loads(json.dumps(rows)) == rows


def test_the_processor_trains_some_samples_a_second(monkeypatch):
    from rewardware.sw.systems.fixar.bench.figures import _transitions

    for name in ("WARM_UP_STEPS", "WINDOW_STEPS", "WINDOWS"):
        monkeypatch.setattr(f"rewardware.sw.systems.fixar.bench.processor.{name}", 1)
    # A window of a step of four samples for each of PyTorch's settings: the second is the fastest.
    monkeypatch.setattr("rewardware.sw.systems.fixar.bench.processor.time", fake_time(0.5, 0.125, 0.25))
    networks = Networks(observation_size=3, action_size=1, hidden_sizes=(8, 8))
    result = samples_per_second(networks, 4, _transitions(networks, 4))
    assert result["value"] == 4 / 0.125
    assert "one thread, batch 4" in result["how"] and "Adam fused" in result["how"]


@pytest.mark.parametrize(("paper", "ratio"), [(50.0, "2.00"), (None, "")])
def test_the_table_has_the_ratio_where_the_paper_has_a_figure(paper, ratio):
    row = {"id": "x", "value": 100, "unit": "MHz", "paper": paper, "kind": "placed", "how": "so"}
    line = as_table({"system": "fixar", "config": "paper", "rows": [row]}).splitlines()[-1]
    assert line.split() == ["x", "100", "MHz", *(["50", ratio] if paper else []), "placed", "so"]
