"""`rewardware explore a3c`: agents, engines and their ratio, given and measured times, pictures, refusals."""

import json
import re
from types import SimpleNamespace

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.verilog import emit
from rewardware.hw.soc.target.parts import find_part
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement import tool_cache
from rewardware.sw.systems.a3c.bench.agents_on_part import agents_on_part

SMALL = "explore", "a3c", "--agents", "8", "--explorations", "800"


def test_a_choice_of_engines_and_ratio(tmp_path, capsys):
    times = "--environment-us", "100", "--interaction-us", "10", "--forward-us", "40", "--backward-us", "400"
    assert dispatch([*SMALL, *times, "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"exploration.json", "engines.png", "ratio.png"}
    report = json.loads((tmp_path / "exploration.json").read_text())
    assert report["agents"] == 8 and report["optimal_agents"] is None
    assert report["times"] == pytest.approx(
        {"environment": 1e-4, "interaction": 1e-5, "forward": 4e-5, "backward": 4e-4}
    )
    assert [one["engines"] for one in report["by_engines"]] == list(range(1, 9))
    # Trainings take a third of the time, inferences less than a fifth.
    assert report["engines"] == 3 and report["engines_saved_percent"] == 100 * (1 - 3 / 8)
    best = min(report["by_ratio"], key=lambda one: one["seconds"])
    assert report["ratio"] == best["ratio"] > 1
    before, after = (one["waiting_for_training"] for one in report["by_ratio"] if one["ratio"] in (1, best["ratio"]))
    assert report["waiting_drop_percent"] == pytest.approx(100 * (1 - after / before))
    assert report["explorations_per_second"] == pytest.approx(800 / best["seconds"])
    assert f"M* = {report['engines']}, " in text and f"eta* = {report['ratio']:g}, " in text and "t_e given" in text


def test_agents_by_equation_1_and_a_measured_environment(capsys):
    told = "--experience-agents", "4", "--reward-agents", "3", "--most-agents", "6"
    assert dispatch(["explore", "a3c", *told, "--explorations", "40", "--env", "CartPole-v1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["agents"] == report["optimal_agents"] == 4
    assert report["most_agents"] == 6 and report["part"] is None and "N_l" not in report["how"]
    assert 1e-6 < report["times"]["environment"] < 1e-2 and "measured here on CartPole-v1" in report["how"]


# In these tests units take so many blocks of RAM.
BLOCKS = {"rms_prop_unit": 150, "agent_memories": 100}


@pytest.fixture
def synthesised(monkeypatch):
    """Elaboration and Yosys take a minute: units take what is said here, and it is kept which ones they were."""
    units = []

    def synthesise(verilog, top, family):
        units.append((top, family))
        return SimpleNamespace(result=SimpleNamespace(total=Resources(bram=BLOCKS[top])))

    monkeypatch.setattr(tool_cache, "synthesise_once", synthesise)
    monkeypatch.setattr(emit, "emit", lambda unit, name: name)
    return units


def explore(capsys, *options):
    assert dispatch(["explore", "a3c", "--explorations", "20", *options]) == 0
    return capsys.readouterr().out


def test_most_agents_are_those_that_the_part_holds(synthesised, capsys):
    saturating = "--experience-agents", "12", "--reward-agents", "3"
    text = explore(capsys, "--part", "xc7k325t", *saturating)
    # 445 blocks of RAM.
    assert "N_l = 2, as xc7k325t holds" in text and "N_o = 2, by equation 1" in text
    assert "xc7k325t has 445 RAMB36, of which the RMSProp unit takes 150 and an agent 100" in text
    # The paper's board, where none is named; without N_e and N_r as many agents as fit.
    assert "N_l = 8, as xc7vx485t holds" in explore(capsys, *saturating)
    report = json.loads(explore(capsys, "--part", "XC7VX485T", "--json"))
    assert report["agents"] == report["most_agents"] == 8 and report["optimal_agents"] is None
    part = {"part": "xc7vx485t", "unit": "RAMB36", "holds": 1030, "shared": 150, "each": 100}
    assert report["part"] == part
    assert "N_l = 5, given" in explore(capsys, *saturating, "--most-agents", "5", "--part", "xc7vx485t")


def test_what_an_agent_takes_are_its_memories(monkeypatch):
    """Words of 64 bits: parameters of one agent and of the centre, activations of 4 states, errors of 3 steps."""
    texts = {}

    def synthesise(verilog, top, family):
        texts[top] = verilog
        return SimpleNamespace(result=SimpleNamespace(total=Resources(bram=BLOCKS[top])))

    monkeypatch.setattr(tool_cache, "synthesise_once", synthesise)
    config = A3CConfig(sizes=(5, 9), actions=2, agents=3, steps=3, width=2)
    found = agents_on_part(find_part("5cseba6"), config)
    assert (found.agents, found.unit, found.holds) == (4, "M10K", 553)
    depths = config.words, 4 * config.activation_rows, 3 * config.error_rows
    memories = dict.fromkeys((f"{depth}x64" for depth in depths), 1) | {f"{depths[1]}x2": 1}
    assert {
        name: len(re.findall(rf"^  agent_memories_memory_{name} ", texts["agent_memories"], re.MULTILINE))
        for name in memories
    } == memories
    assert len(re.findall(rf"^  rms_prop_unit_memory_{config.words}x64 ", texts["rms_prop_unit"], re.MULTILINE)) == 2


def test_no_unit_is_synthesised_where_nobody_asks_for_the_part(synthesised, capsys):
    assert "N_l" not in explore(capsys)
    assert not synthesised
    explore(capsys, "--part", "xc7k325t")
    assert set(synthesised) == {("agent_memories", "xc7"), ("rms_prop_unit", "xc7")}


def test_an_accelerator_has_at_most_64_agents(synthesised, capsys):
    assert "N_l = 64, as agf014 holds" in explore(capsys, "--part", "agf014", "--agents", "2")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--part", "xc7z020"),
            "--part must hold at least one agent: xc7z020 has 140 RAMB36, of which the RMSProp unit takes 150 and an "
            "agent 100",
        ),
        (("--part", "xc7"), "--part must be a part, not the family xc7"),
        (("--part", "xc7vx"), "Part must be one of xcu50, "),
        (("--part", "xc7k325t", "--agents", "3"), "--agents must be at most N_l, 2, not 3"),
        (("--most-agents", "4", "--agents", "5"), "--agents must be at most N_l, 4, not 5"),
        (("--most-agents", "0"), "--most-agents must be at least 1, not 0"),
    ],
)
def test_errors_of_agents_and_parts(synthesised, options, words, capsys):
    assert dispatch(["explore", "a3c", "--explorations", "5", *options]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--agents", "65"), "--agents must be"),
        (("--rollout-steps", "0"), "--rollout-steps must be from 1 to 64, not 0"),
        (("--experience-agents", "4"), "--experience-agents and --reward-agents go together"),
        (("--experience-agents", "4", "--reward-agents", "0"), "--reward-agents must be at least 1, not 0"),
        (("--forward-us", "-1"), "Time forward must be at least 0"),
        (("--env", "Pendulum-v1"), "The action space must be Discrete"),
    ],
)
def test_errors(options, words, capsys):
    assert dispatch(["explore", "a3c", "--explorations", "5", *options]) == 2
    assert words in capsys.readouterr().err
