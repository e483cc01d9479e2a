"""`rewardware explore a3c`: agents, engines and their ratio, given and measured times, pictures, refusals."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch

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
    assert 1e-6 < report["times"]["environment"] < 1e-2 and "measured here on CartPole-v1" in report["how"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--agents", "65"), "--agents must be"),
        (("--rollout-steps", "0"), "--rollout-steps must be at least 1, not 0"),
        (("--experience-agents", "4"), "--experience-agents and --reward-agents go together"),
        (("--experience-agents", "4", "--reward-agents", "0"), "N_r must be at least 1, not 0"),
        (("--forward-us", "-1"), "Time forward must be at least 0"),
        (("--env", "Pendulum-v1"), "The action space must be Discrete"),
    ],
)
def test_errors(options, words, capsys):
    assert dispatch(["explore", "a3c", "--explorations", "5", *options]) == 2
    assert words in capsys.readouterr().err
