"""Help of hyper-parameters, from docstrings."""

from dataclasses import dataclass

import pytest

from rewardware.sw.systems.parameter_help import parameter_help


@dataclass
class Base:
    """A base.

    Parameters
    ----------
    gamma : float
        Discount factor, see :class:`.Other`. More about it.
    alpha, beta
        Adam's decays over
        two lines; ``None``: none
    """

    gamma: float = 0.9
    alpha: float = 0.1
    beta: float = 0.1


@dataclass
class Derived(Base):
    """More.

    Parameters
    ----------
    steps
        L2 of it.
    spread
        GAE lambda.

    Raises
    ------
    ValueError
        Never.
    """

    steps: int = 1
    spread: float = 0.5
    bare: int = 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gamma", "discount factor, see Other"),
        ("alpha", "Adam's decays over two lines; none: none"),
        ("beta", "Adam's decays over two lines; none: none"),
        ("steps", "L2 of it"),
        ("spread", "GAE lambda"),
    ],
)
def test_first_sentence_is_found(name, text):
    assert parameter_help(Derived, name) == text


def test_missing_description_is_refused():
    with pytest.raises(ValueError, match="No docstring of Derived describes bare"):
        parameter_help(Derived, "bare")
