"""Every command that there is, those of each system included: help, defaults in it, options that there are not."""

import argparse
import re
from collections.abc import Iterator

import pytest

from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.cli.dispatch import COMMANDS, _parser, dispatch
from rewardware.sw.cli.lazy_parser import LazyParser
from rewardware.sw.systems.descriptor import systems_with
from rewardware.sw.systems.options import hyper_parameter_options


def parsers(parser: LazyParser, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], LazyParser]]:
    """A parser and all below it, filled, with the words that lead to each."""
    parser.format_help()
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from parsers(below, (*words, name))


PARSERS = dict(parsers(_parser()))
# Others only lead to these.
COMMANDS_THAT_RUN = [words for words in PARSERS if words and not any(other[:-1] == words for other in PARSERS)]


def exit_code(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit:
        dispatch(arguments)
    return exit.value.code


def least(parser: LazyParser) -> list[str]:
    """Something for every argument that has to be there."""
    found = []
    for action in parser._actions:
        value = str(next(iter(action.choices))) if action.choices else "1"
        if action.option_strings and action.required:
            found += [action.option_strings[0], value]
        elif not action.option_strings and action.nargs not in ("?", "*"):
            found.append(value)
    return found


def test_all_commands_are_there():
    assert {words[0] for words in PARSERS if words} == set(COMMANDS)
    below = {words for words in PARSERS if len(words) == 2}
    commands = ("train", "plan", "experiment", "explore")
    assert below == {(command, system) for command in commands for system in systems_with(command)}
    assert ("train", "fixar") in below and ("plan", "mcts") in below


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_help_is_there(words, capsys):
    assert exit_code(*words, "--help") == 0
    captured = capsys.readouterr()
    assert captured.err == "" and captured.out.startswith(f"usage: {' '.join(('rewardware', *words))} ")
    description = PARSERS[words].description
    assert description and description.split()[0] in captured.out


@pytest.mark.parametrize("words", [words for words in PARSERS if words], ids=" ".join)
def test_an_option_that_there_is_not_is_refused_in_one_line(words, capsys):
    parser = PARSERS[words]
    missing = "SYSTEM" in [action.metavar for action in parser._actions]
    assert exit_code(*words, *([] if missing else least(parser)), "--no-such-option") == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and captured.err.startswith("rewardware")
    assert "unrecognized arguments: --no-such-option" in captured.err


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_an_option_that_is_near_one_is_answered_with_it(words, capsys):
    """Also where others are missing."""
    for option in PARSERS[words]._option_string_actions:
        if len(option) < 6 or option.startswith("--no-"):
            continue
        wrong = option[:-2] + option[-1] + option[-2] + "x"
        assert exit_code(*words, wrong) == 2
        captured = capsys.readouterr()
        prog = " ".join(("rewardware", *words))
        start = f"{prog}: error: unrecognized arguments: {wrong}: did you mean '--"
        assert captured.out == "" and captured.err.startswith(start) and captured.err.count("\n") == 1, captured.err


def test_the_command_line_of_the_process_is_checked_too(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["rewardware", "--verison"])
    with pytest.raises(SystemExit):
        dispatch()
    assert capsys.readouterr().err == (
        "rewardware: error: unrecognized arguments: --verison: did you mean '--version'?\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("train fixar --groups 4", "--groups is an option of rewardware train learninggroup"),
        ("train learninggroup --array cupy", "--array is an option of rewardware train fixar"),
        ("train fixar --loss huber", "--loss is an option of rewardware train pearl"),
        ("package rescaler --ouput there", "--ouput: did you mean '--out'?"),
        ("compose --nothing-like-it", "--nothing-like-it"),
        ("train fixar --tua 1 --gama=2", "--tua: did you mean '--tau'?; --gama: did you mean '--gamma'?"),
        ("train pearl --tau 1", "--tau is an option of ddpg and sac, not of dqn: --algo says which"),
        ("list -x", "-x"),
    ],
)
def test_an_option_of_something_else_is_told_as_such(arguments, said, capsys):
    assert exit_code(*arguments.split()) == 2
    assert capsys.readouterr().err.endswith(f"error: unrecognized arguments: {said}\n")


def test_options_may_be_shortened_and_help_goes_first(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert dispatch(["train", "pearl", "--env", "CartPole-v1", "--learning-st", "7", "--print-c"]) == 0
    assert "learning_starts: 7\n" in capsys.readouterr().out
    assert exit_code("train", "pearl", "--no-such-option", "--help") == 0


def test_every_command_that_draws_has_a_seed():
    """Verilog, an exploration by synthesis, lists, a probe, the cache and scripts are the same every time."""
    without = {" ".join(words) for words in COMMANDS_THAT_RUN if "--seed" not in PARSERS[words]._option_string_actions}
    explorations = {f"explore {name}" for name in ("a3c", "dnn_mcts", "maac", "mcts")}
    assert without == {"package", *explorations, "map", "probe", "list", "cache", "completion"}
    trained = {words for words in COMMANDS_THAT_RUN if "--evaluation-seed" in PARSERS[words]._option_string_actions}
    assert trained == {words for words in COMMANDS_THAT_RUN if words[0] == "train"}


@pytest.mark.parametrize("algorithm", ["dqn", "ddpg", "sac"])
@pytest.mark.parametrize("place", ["before", "behind"])
def test_help_has_the_options_of_the_chosen_algorithm_alone(algorithm, place, capsys):
    configurations = {kind.algorithm: kind for kind in (DQNConfig, PrioritizedDDPGConfig, PrioritizedSACConfig)}
    own = set(hyper_parameter_options(configurations[algorithm]))
    others = {option for kind in configurations.values() for option in hyper_parameter_options(kind)} - own
    words = ["--algo", algorithm, "--help"] if place == "before" else ["--help", "--algo", algorithm]
    assert exit_code("train", "pearl", *words) == 0
    shown = set(re.findall("--[a-z0-9-]+", capsys.readouterr().out.partition("hyper-parameters:")[2]))
    assert own <= shown and others and not others & shown


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_every_option_has_a_help_that_says_its_default(words):
    parser = PARSERS[words]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
            continue
        text = " ".join(parser._get_formatter()._expand_help(action).split()) if action.help else ""
        assert text, action.option_strings or action.dest
        if action.default not in (None, False, [], argparse.SUPPRESS):
            assert f"default {action.default}" in text, text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "train fixar",
            ["0: at the end only (default 1000)", "learning rate for the actor (default 0.0001)"],
        ),
        (
            "train pearl",
            ["at most 65 535 (default 64)", "linear ramp from 1 (default 0.05)", "future rewards (default 0.99)"],
        ),
        ("train learninggroup", ["(default 100)", "hidden and cell state (default 128)"]),
        ("experiment mcts", ["(default docs)", "(default runs)"]),
        ("compose", ["experiences per batch (default 128)"]),
    ],
)
def test_defaults_are_told(words, said, capsys):
    assert exit_code(*words.split(), "--help") == 0
    text = " ".join(capsys.readouterr().out.split())
    for part in said:
        assert part in text
