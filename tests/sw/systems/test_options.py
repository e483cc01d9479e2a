"""Hyper-parameters of a file, and of the command line, which overrides them."""

import argparse
import dataclasses

import pytest

from rewardware.sw.systems.options import given_hyper_parameters


@dataclasses.dataclass(frozen=True)
class Rates:
    learning_rate: float = 0.1
    hidden_sizes: tuple[int, ...] = (4,)


@dataclasses.dataclass(frozen=True)
class Sizes:
    batch_size: int = 8


def given(hyper, **options):
    options = {"learning_rate": None, "hidden_sizes": None, "batch_size": None} | options
    return given_hyper_parameters(argparse.Namespace(hyper=hyper, **options), Rates, Sizes)


def test_the_command_line_overrides_the_file(tmp_path):
    (tmp_path / "mine.json").write_text('{"learning_rate": 0.5, "hidden_sizes": [3, 2]}')
    assert given(tmp_path / "mine.json") == {"learning_rate": 0.5, "hidden_sizes": (3, 2)}
    assert given(tmp_path / "mine.json", learning_rate=0.25, batch_size=0) == {
        "learning_rate": 0.25,
        "hidden_sizes": (3, 2),
        "batch_size": 0,
    }
    assert given(None, batch_size=3) == {"batch_size": 3}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("learning_rate", r"^mine\.yaml: There must be a mapping of hyper-parameters, not str"),
        ("", r"^mine\.yaml: There must be a mapping of hyper-parameters, not NoneType"),
        ("{gama: 1, 3: 2}", r"^mine\.yaml: Unknown hyper-parameter gama, 3; there are learning_rate, .*, batch_size"),
        ("gamma: [", r"^mine\.yaml is not YAML: "),
    ],
)
def test_another_file_is_refused(text, words, tmp_path):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(ValueError, match=words):
        given(tmp_path / "mine.yaml")
