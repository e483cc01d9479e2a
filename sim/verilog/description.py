"""All that a component holds before it is elaborated, as text: with that of the program, its Verilog depends on it."""

import enum
import functools
import operator
import re
import sys
import types
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["Description", "UndescribedError"]

_PLAIN: tuple[Any, ...] = (type(None), bool, int, float, complex, str, bytes)
_HOLDERS = (object, tuple, list, dict, OrderedDict, set, frozenset, *_PLAIN)
# Where in the program a thing was made, and whether it was elaborated: they change no Verilog.
_LEFT_OUT = re.compile(r"(_\w+__)?src_loc|_MustUse__\w+")
# Amaranth's signals are numbered as they are made.
_NUMBER = "duid"
# CPython's Py_TPFLAGS_IMMUTABLETYPE: a class whose attributes cannot be set, as those written in C.
_IMMUTABLE_TYPE = 1 << 8


class UndescribedError(TypeError):
    """A part of a component is of a kind that is not described: of a class made within a function, for instance."""


class Description:
    """A thing and all that it holds.

    Things of equal descriptions differ in nothing but their identity: what is held twice is written once, and named by
    its number where it comes again.

    Parameters
    ----------
    thing : object

    Attributes
    ----------
    text : str
    modules : list of str
        Modules with the classes and functions of its parts, sorted.

    Raises
    ------
    UndescribedError
    """

    def __init__(self, thing: Any):
        self._words: list[str] = []
        # Numbers of things by their identities, and the things: none may go, and leave its identity to a new one.
        self._numbers: dict[int, tuple[int, Any]] = {}
        self._modules: set[str] = set()
        self._signals: list[int] = []
        self._add(thing)
        # In the order of signals, not of the places where they are held, lines are written.
        places = {number: place for place, number in enumerate(sorted(self._signals))}
        self._words.append(f"signals {[places[number] for number in self._signals]}")
        self.text = "\n".join(self._words)
        self.modules = sorted(self._modules)

    def _add(self, thing: Any) -> None:
        kind = type(thing)
        # Not `isinstance`: members of enumerations are numbers, and more than that.
        if kind in _PLAIN:
            self._words.append(f"{kind.__name__} {thing!r}")
        elif isinstance(thing, type):
            self._words.append(f"class {self._name(thing)}")
        elif id(thing) in self._numbers:
            self._words.append(f"again {self._numbers[id(thing)][0]}")
        else:
            self._numbers[id(thing)] = len(self._numbers), thing
            self._words.append(self._name(kind))
            for part in self._parts(thing):
                self._add(part)
            self._words.append("end")

    def _name(self, kind: type) -> str:
        if not _is_found(kind):
            raise UndescribedError(f"Class {kind.__qualname__} is not found by its name: nothing says how it was made")
        self._modules.add(kind.__module__)
        return f"{kind.__module__}:{kind.__qualname__}"

    def _parts(self, thing: Any) -> Iterator[Any]:
        kind: Any = type(thing)
        if isinstance(thing, enum.Enum):
            yield thing.name
        elif isinstance(thing, range):
            yield from (thing.start, thing.stop, thing.step)
        elif isinstance(thing, np.ndarray | np.generic):
            # Bytes of objects would be where these are in memory.
            yield from (str(thing.dtype), thing.shape, thing.tolist() if thing.dtype.hasobject else thing.tobytes())
        elif isinstance(thing, types.FunctionType):
            yield from self._function(thing)
        elif isinstance(thing, types.MethodType):
            yield from (thing.__func__, thing.__self__)
        elif isinstance(thing, types.MappingProxyType):
            yield dict(thing)
        elif _is_of_python(kind):
            yield from self._contents(thing)
            yield from self._attributes(thing)
        else:
            raise UndescribedError(f"{kind.__qualname__} is a kind of thing that is not described")

    def _contents(self, thing: Any) -> Iterator[Any]:
        """Members of a container, beside the attributes that its class may have."""
        if isinstance(thing, dict):
            yield from (part for item in thing.items() for part in item)
        elif isinstance(thing, list | tuple):
            yield from thing
        elif isinstance(thing, set | frozenset):
            described = [Description(part) for part in thing]
            if any(part._signals for part in described):
                raise UndescribedError("A set of things with signals has no order, and these may be held elsewhere")
            self._modules.update(name for part in described for name in part.modules)
            yield from sorted(part.text for part in described)
        else:
            yield from (plain.__repr__(thing) for plain in _PLAIN if isinstance(thing, plain))

    def _attributes(self, thing: Any) -> Iterator[Any]:
        # Apart from what a container holds.
        self._words.append("attributes")
        state = object.__getstate__(thing)
        for held in state if isinstance(state, tuple) else (state,):
            for name, value in (held or {}).items():
                if name == _NUMBER:
                    self._signals.append(value)
                elif not _LEFT_OUT.fullmatch(name):
                    yield name
                    yield value

    def _function(self, function: types.FunctionType) -> Iterator[Any]:
        self._modules.add(function.__module__)
        yield function.__qualname__
        yield function.__code__.co_firstlineno
        yield function.__defaults__
        yield function.__kwdefaults__
        yield from (cell.cell_contents for cell in function.__closure__ or ())


@functools.cache
def _is_found(kind: Any) -> bool:
    """Whether the text of its module says what this class is: one made within a function may use variables of that."""
    if kind.__module__ == "builtins":
        return True
    try:
        return operator.attrgetter(kind.__qualname__)(sys.modules.get(kind.__module__)) is kind
    except AttributeError:
        return False


@functools.cache
def _is_of_python(kind: Any) -> bool:
    """Whether attributes are all that things of this class hold, as far as they are no containers."""
    return all(_is_written_in_python(base) for base in kind.__mro__ if base not in _HOLDERS)


def _is_written_in_python(kind: type) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    # Some classes of C say that they are of the module in Python that users import them from.
    return file.endswith(".py") and not kind.__flags__ & _IMMUTABLE_TYPE
