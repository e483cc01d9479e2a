"""Descriptions of dataclasses' fields, from their docstrings: for the help of options, and for tables."""

import inspect
import re

__all__ = ["parameter_entry", "parameter_help"]


def parameter_entry(configuration: type, name: str) -> tuple[tuple[str, ...], str]:
    """A docstring's entry for a parameter, of a class or one that it inherits from: the names described, and the text.

    Parameters
    ----------
    configuration
        Class with a section ``Parameters`` in its docstring.
    name
        Name of the parameter.

    Raises
    ------
    ValueError
        No docstring describes it.
    """
    entry = re.compile(rf"^((?:\w+, )*{name}(?:, \w+)*)(?: : .*)?\n((?:    .*\n?)+)", re.MULTILINE)
    for kind in configuration.__mro__:
        _, _, parameters = inspect.cleandoc(kind.__doc__ or "").partition("Parameters\n----------\n")
        if found := entry.search(parameters):
            return tuple(found[1].split(", ")), " ".join(found[2].split())
    raise ValueError(f"No docstring of {configuration.__name__} describes {name}")


def parameter_help(configuration: type, name: str) -> str:
    """The first sentence of :func:`parameter_entry`, without marks and its full stop, as the help of an option."""
    _, text = parameter_entry(configuration, name)
    sentence = re.split(r"\.(?: |$)", re.sub(r":\w+:`\.?|`", "", text).replace("None:", "none:"))[0]
    # As the other helps begin, but for names.
    first = sentence.split()[0]
    return sentence[0].lower() + sentence[1:] if first[1:].isalpha() and first[1:].islower() else sentence
