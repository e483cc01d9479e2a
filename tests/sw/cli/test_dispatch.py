"""The command line as a whole: help, version, errors in one line."""

import re

import pytest

from rewardware.sw.cli.dispatch import dispatch


def run(*arguments: str) -> int:
    try:
        return dispatch(arguments)
    except SystemExit as exit:
        return exit.code or 0


def test_version(capsys):
    assert run("--version") == 0
    assert re.fullmatch(r"rewardware \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_help_names_every_command(capsys):
    assert run("--help") == 0
    out = capsys.readouterr().out
    assert all(f"\n    {name}" in out for name in ("train", "eval", "experiment", "list"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "the following arguments are required: COMMAND"),
        ("trian", "invalid choice: 'trian' .*: did you mean 'train'\\?"),
        ("train fixar", "--env is needed: a Gymnasium environment"),
        ("train fixer --env Pendulum-v1", "invalid choice: 'fixer' .*: did you mean 'fixar'\\?"),
        ("train pixels --env Pendulum-v1", "invalid choice: 'pixels' .*'pearl'\\)$"),
        ("package quantiser -o there", "Design must be one of .*, not 'quantiser': did you mean 'quantizer'\\?"),
        ("package array_core --set lane=4 -o there", "not 'lane': did you mean 'lanes'\\?"),
        ("report array_core --part xcu500", "Part must be one of .*, not 'xcu500': did you mean 'xcu50'\\?"),
        ("train fixar --env Pendulum-v1 --config smal", "or a YAML file, not 'smal': did you mean 'small'\\?"),
        ("train fixar --env Pendulum-v1 --steps many", "argument --steps: invalid int value: 'many'"),
        ("train fixar --env Pendulum-v1 --steps 0", "--steps must be at least 1, not 0"),
        ("train fixar --env Pendulum-v1 --gamma 2", r"gamma must be in \[0, 1\], not 2.0"),
        ("train fixar --env Pendulum-v1 --hidden-sizes 64x48", "'64x48' is not a list of whole numbers"),
        ("train fixar --env CartPole-v1 --backend torch", "The action space must be a Box"),
        ("train fixar --env NoSuch-v0", "Environment 'NoSuch-v0' cannot be made"),
        ("train fixar --env Pendulum-v1 --config nowhere.yaml", "Configuration must be one of .*'nowhere.yaml'"),
        (
            "train fixar --env Pendulum-v1 --backend verilog",
            "Backend must be torch, reference, rtl, lockstep, uart:PORT or pynq:",
        ),
        ("train fixar --env Pendulum-v1 --backend rtl --sixteen-bit 8", "Backend rtl has no option sixteen_bit"),
        ("train fixar --env Pendulum-v1 --sixteen-bit 16", "Weight fraction must be from 0 to 15, not 16"),
        (
            "train fixar --env Pendulum-v1 --batch-size 4096",
            "Batch must be from 1 to 128 in configuration small, not 4096",
        ),
        ("train fixar --env Pendulum-v1 --hidden-sizes 400,300", "small"),
        ("train fixar --resume nowhere", "No checkpoint at nowhere/checkpoint.zip"),
        ("train fixar --resume nowhere --out there", "--resume goes on in its own folder"),
        ("train fixar --resume nowhere --tau 0.1", "--resume goes on with the run's own tau"),
        ("eval nowhere", "No checkpoint at nowhere/checkpoint.zip"),
        ("experiment fixar pendulum --arms 33-bit", "Unknown arm 33-bit; pendulum has 32-bit, quantized"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert captured.err.startswith("rewardware") and re.search(words, captured.err), captured.err
    assert list(tmp_path.iterdir()) == []


def test_unknown_key_of_a_configuration_is_named(capsys, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("hardware: {cores: 2, lanse: 4}\n")
    assert run("train", "fixar", "--env", "Pendulum-v1", "--config", str(file)) == 2
    assert "lanse" in capsys.readouterr().err


def test_list(capsys):
    assert run("list") == 0
    out = capsys.readouterr().out
    for expected in ("systems:\n  a3c", "presets:\n  a3c/paper ", "\n  array_core  ", "boards:"):
        assert expected in out
    assert run("list", "presets") == 0
    assert "systems" not in capsys.readouterr().out
