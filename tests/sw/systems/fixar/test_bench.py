import json

import pytest

from rewardware.hw.soc.fixar.config import Networks
from rewardware.sw.cli.bench import as_table
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.fixar.bench.figures import FixarBench
from rewardware.sw.systems.fixar.bench.processor import samples_per_second

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


def test_rows_are_counted_on_the_rtl_of_a_small_configuration(monkeypatch):
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
    assert all(value > 0 for value in values.values())
    assert values["util_full_b5"] <= 100 and values["util_half_b5"] <= 100
    assert {row["kind"] for row in rows} == {"counted", "measured"}
    assert json.loads(json.dumps(rows)) == rows


def test_the_processor_trains_some_samples_a_second(monkeypatch):
    from rewardware.sw.systems.fixar.bench.figures import _transitions

    for name in ("WARM_UP_STEPS", "WINDOW_STEPS", "WINDOWS"):
        monkeypatch.setattr(f"rewardware.sw.systems.fixar.bench.processor.{name}", 1)
    networks = Networks(observation_size=3, action_size=1, hidden_sizes=(8, 8))
    result = samples_per_second(networks, 4, _transitions(networks, 4))
    assert result["value"] > 0
    assert "one thread, batch 4" in result["how"]


@pytest.mark.parametrize(("paper", "ratio"), [(50.0, "2.00"), (None, "")])
def test_the_table_has_the_ratio_where_the_paper_has_a_figure(paper, ratio):
    row = {"id": "x", "value": 100, "unit": "MHz", "paper": paper, "kind": "placed", "how": "so"}
    line = as_table({"system": "fixar", "config": "paper", "rows": [row]}).splitlines()[-1]
    assert line.split() == ["x", "100", "MHz", *(["50", ratio] if paper else []), "placed", "so"]
