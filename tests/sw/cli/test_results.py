"""Results of every command: with `--json` one object on standard output and nothing else; `-o` the same everywhere."""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from rewardware.hw.soc.export.synthesis import Block, Synthesis
from rewardware.hw.soc.target.target import Resources
from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement.bench import make_row
from rewardware.sw.systems.results import as_json
from tests.sw.cli.test_build import tools  # noqa: F401
from tests.sw.cli.test_compose import PROBLEM
from tests.sw.cli.test_every_command import COMMANDS_THAT_RUN, PARSERS
from tests.sw.cli.test_exit_codes import module_of
from tests.sw.cli.test_explore import measured  # noqa: F401
from tests.sw.device.test_simulation import CONFIG
from tests.sw.systems.dynamap.games import SHORT

RUN = "--evaluation-episodes 1 --quiet --out OUT"
# For every command something small, and names of what it says.
SMALL = {
    "train a3c": (
        f"--env CartPole-v1 --agents 2 --hidden-sizes 8 --environments in-process --steps 30 {RUN}",
        "return files counters environments",
    ),
    "train dynamap": (f"--env {SHORT} --hidden 8 --round-steps 10 --updates 1 --steps 20 {RUN}", "return files"),
    "train fixar": (
        f"--env Pendulum-v1 --config tiny --batch-size 12 --backend torch --steps 30 {RUN}",
        "return files",
    ),
    "train pearl": (f"--env CartPole-v1 --steps 30 {RUN}", "return files counters"),
    "train learninggroup": (f"--iterations 1 {RUN}", "success files"),
    "train maac": (
        "--agents 2 --episode-steps 4 --hidden-size 8 --episodes 2 --updates 1 --batch-size 4 --iterations 1 --quiet "
        "--out OUT",
        "return files counters",
    ),
    "train alphazero": (
        "--env tic-tac-toe --simulations 2 --parallel-games 2 --channels 2,2,2 --games 1 " + RUN,
        "games evaluation elo files counters",
    ),
    "plan mcts": ("--env tic-tac-toe --simulations 4 --workers 2 --max-steps 2 --quiet --out OUT", "returns files"),
    "eval": ("TRAINED --episodes 2 --out OUT", "mean returns steps seed"),
    "experiment a3c": ("cartpole-a3c --collect --steps 30 --out RUNS --docs OUT", "experiment arms failed"),
    "experiment dynamap": ("breakout --collect --steps 30 --out RUNS --docs OUT", "experiment arms failed"),
    "experiment maac": ("rover-tower --collect --iterations 3 --out RUNS --docs OUT", "experiment arms failed"),
    "experiment fixar": ("pendulum --collect --steps 30 --out RUNS --docs OUT", "experiment arms failed"),
    "experiment pearl": ("cartpole --collect --steps 30 --out RUNS --docs OUT", "experiment arms failed"),
    "experiment learninggroup": ("sweep --collect --iterations 3 --out RUNS --docs OUT", "experiment arms"),
    "experiment mcts": ("workers --collect --steps 2 --out RUNS --docs OUT", "experiment games"),
    "bench": ("fixar --only one --config tiny --out OUT", "system config rows"),
    "explore a3c": ("--agents 4 --explorations 20 --out OUT", "agents engines ratio times"),
    "explore dnn_mcts": (
        "--env gomoku-5 --workers 1,2 --simulations 20 --repeats 1 --out OUT",
        "env evaluator simulations profile workers",
    ),
    "explore maac": ("--agents 2 --hidden-size 8 --out OUT", "design stages resources aps"),
    "explore mcts": ("--fanout 4 --levels 8 --banks 16 --part lfe5u-85f --out OUT", "best points costs"),
    "compose": ("--problem PROBLEM --out OUT", "schedule makespan"),
    "map": ("atari --multipliers 60 --out OUT", "network array seconds parts baselines layers"),
    "infer": ("atari --input FRAMES --out OUT", "network parameters width backend pictures counters"),
    "package": ("rescaler --out OUT", "design top folder files checks"),
    "build": ("fixar --config tiny --out OUT", "board met utilization"),
    "probe": ("BOARD", "port baud system_id system preset checks"),
    "report": ("rescaler --part ecp5 --out OUT", "blocks total"),
    "cache": ("", "folder limit_bytes freed_bytes kinds"),
    "list": ("", "systems presets cores boards"),
}
# A script, and what is for people alone.
WITHOUT_RESULTS = {("completion",), ("play",)}
# The file that each command leaves in the folder of `--out` besides what it is for.
FILES = {
    "eval": "evaluation.json", "bench": "bench.json", "explore a3c": "exploration.json",
    "explore dnn_mcts": "exploration.json", "explore maac": "exploration.json", "explore mcts": "exploration.json",
    "compose": "schedule.json",
    "map": "mapping.json", "infer": "infer.json",
    "build": "report.json", "report": "report.json",
}  # fmt: skip

BLOCK = Block(name="rescaler", instances=1, resources=Resources(lut=7, ff=8, dsp=1, bram=0))
SYNTHESISED = SimpleNamespace(result=Synthesis(target="ecp5", blocks=(BLOCK,)))
ROW = make_row(0.5, "%", "model", "here")
# By command, and what stands in its place.
WHAT_TAKES_LONG = {
    "bench": {"rewardware.sw.systems.fixar.bench.figures.FixarBench.ids": lambda self: {"one": lambda: ROW}},
    "build": {"rewardware.hw.soc.export.tools.run_tool": lambda *_: ""},
    "report": {"rewardware.sw.measurement.tool_cache.synthesise_once": lambda *_, **__: SYNTHESISED},
}


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Iterator[dict[str, str]]:
    """A run that was trained, runs of every experiment, as far as their reports read them, and a simulated board."""
    root = tmp_path_factory.mktemp("results")
    words, options = ["train", "fixar"], SMALL["train fixar"][0].replace("OUT", str(root / "trained"))
    assert dispatch([*words, *options.split()]) == 0
    records = {
        "pendulum/32-bit/0": [{"kind": "evaluation", "step": 30, "mean": -5.0}],
        "cartpole-a3c/reference/0": [{"kind": "evaluation", "step": 30, "mean": 9.0}],
        "breakout/int8/0": [{"kind": "evaluation", "step": 30, "mean": 11.0, "float32_mean": 12.0}],
        "cartpole/reference/0": [{"kind": "evaluation", "step": 30, "mean": 9.0}],
        "rover-tower/reference/0": [{"kind": "evaluation", "iteration": 3, "return": -9.0}],
        "sweep/magnitude/0": [{"kind": "iteration", "iteration": count, "success": 0.5} for count in (1, 2, 3)],
        "workers/carnival-relaxed/0": [{"kind": "episode", "episode": 1, "length": 2, "return": 3.0, "ended": False}],
    }
    for name, lines in records.items():
        folder = root / "runs" / name
        folder.mkdir(parents=True)
        (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    summary = {"iterations": 3, "success": 0.5, "arrived": 0.5, "sparsity": 0.5}
    (root / "runs/sweep/magnitude/0/summary.json").write_text(json.dumps(summary))
    (root / "problem.yaml").write_text(yaml.safe_dump(PROBLEM))
    np.save(root / "frames.npy", np.ones((84, 84, 4), np.uint8))
    files = {"RUNS": "runs", "PROBLEM": "problem.yaml", "FRAMES": "frames.npy"}
    with SimulatedBoard(CONFIG) as board:
        yield {name: str(root / file) for name, file in {"TRAINED": "trained", **files}.items()} | {
            "BOARD": f"uart:{board.port}"
        }


def refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


@pytest.mark.parametrize("words", [words for words in COMMANDS_THAT_RUN if words not in WITHOUT_RESULTS], ids=" ".join)
def test_one_json_object_and_nothing_else(words, places, tools, measured, tmp_path, monkeypatch, capsys):  # noqa: F811
    module = importlib.import_module(module_of(words))

    def run(arguments, run=module.run):
        print("Hello from a library")
        return run(arguments)

    monkeypatch.setattr(module, "run", run)
    options, names = SMALL[" ".join(words)]
    for place in WHAT_TAKES_LONG.get(words[0], {}).items():
        monkeypatch.setattr(*place)
    chosen = [{**places, "OUT": str(tmp_path / "out")}.get(option, option) for option in options.split()]
    assert dispatch([*words, *chosen, "--json"]) in (0, 1)
    out, said = capsys.readouterr()
    content = json.loads(out, parse_constant=refuse)
    assert isinstance(content, dict) and set(names.split()) <= set(content), content.keys()
    assert "Hello from a library\n" in said
    if " ".join(words) in FILES:
        assert json.loads((tmp_path / "out" / FILES[" ".join(words)]).read_text()) == content


def test_a_configuration_that_is_only_printed_is_json_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert dispatch(["train", "pearl", "--env", "CartPole-v1", "--print-config", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["system"] == "pearl" and content["config"]["gamma"] == 0.99
    assert not list(tmp_path.iterdir())


def test_every_command_with_results_has_json():
    without = {words for words in COMMANDS_THAT_RUN if "--json" not in PARSERS[words]._option_string_actions}
    assert without == WITHOUT_RESULTS


def test_where_to_write_is_the_same_everywhere():
    without = set()
    for words in COMMANDS_THAT_RUN:
        option = PARSERS[words]._option_string_actions.get("--out")
        if option is None:
            without.add(words)
        else:
            assert option.option_strings == ["-o", "--out"] and (option.type, option.metavar) == (Path, "DIR"), words
            assert option.help.startswith("folder for "), words
    assert without == {("list",), ("cache",), ("probe",), *WITHOUT_RESULTS}


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS_THAT_RUN if "-o" in PARSERS[words]._option_string_actions], ids=" ".join
)
def test_a_folder_that_cannot_be_made_is_named(words, places, tools, measured, tmp_path, capsys):  # noqa: F811
    (tmp_path / "file").touch()
    there = str(tmp_path / "file" / "below")
    options = [{**places, "OUT": there}.get(option, option) for option in SMALL[" ".join(words)][0].split()]
    assert dispatch([*words, *options]) == 1
    out, said = capsys.readouterr()
    assert out == "" and f"rewardware: error: Cannot write {there}" in said and "Not a directory" in said


def test_json_is_what_every_reader_takes():
    content = {"path": Path("a/b"), 3: [np.float64(0.5), float("nan"), (float("inf"), 1)], "nested": {"none": None}}
    assert json.loads(as_json(content), parse_constant=refuse) == {
        "path": "a/b",
        "3": [0.5, None, [None, 1]],
        "nested": {"none": None},
    }
