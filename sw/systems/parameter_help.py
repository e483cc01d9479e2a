"""Help of options that set the fields of a dataclass, taken from its docstring."""

import inspect
import re

__all__ = ["parameter_help"]


def parameter_help(configuration: type, name: str) -> str:
    """The first sentence of what a class, or one that it inherits from, says of a parameter, without its full stop.

    Parameters
    ----------
    configuration
        Class with a section ``Parameters`` in its docstring.
    name
        Of the parameter.

    Raises
    ------
    ValueError
        No docstring describes it.
    """
    entry = re.compile(rf"^(?:\w+, )*{name}(?:, \w+)*(?: : .*)?\n((?:    .*\n?)+)", re.MULTILINE)
    for kind in configuration.__mro__:
        _, _, parameters = inspect.cleandoc(kind.__doc__ or "").partition("Parameters\n----------\n")
        if found := entry.search(parameters):
            text = re.sub(r":\w+:`\.?|`", "", " ".join(found[1].split())).replace("None:", "none:")
            sentence = re.split(r"\.(?: |$)", text)[0]
            # As the other helps begin, but for names.
            first = sentence.split()[0]
            return sentence[0].lower() + sentence[1:] if first[1:].isalpha() and first[1:].islower() else sentence
    raise ValueError(f"No docstring of {configuration.__name__} describes {name}")
