"""Equal components have equal descriptions, others do not."""

import collections
import enum
import functools
import random
import re
import types
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from amaranth.hdl import Const, Signal, Value, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib import enum as shaped
from amaranth.lib.memory import MemoryData
from amaranth.lib.wiring import In, Out

from rewardware.sim.verilog.description import Description, UndescribedError


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Mode(shaped.Enum, shape=2):
    HOLD = 1
    STEP = 3


class OtherMode(shaped.Enum, shape=2):
    HOLD = 1
    STEP = 3


class Length(int):
    """A number with an attribute."""


class Row(list):
    """A list with attributes."""


def row(values, **more):
    made = Row(values)
    vars(made).update(more)
    return made


def length(value, unit):
    made = Length(value)
    made.unit = unit
    return made


@dataclass(frozen=True)
class Settings:
    width: int = 4
    factors: tuple = (1, 2.5)
    colour: Colour = Colour.RED


class Unit(wiring.Component):
    def __init__(self, settings, **more):
        self.settings = settings
        super().__init__({"i": In(stream.Signature(settings.width)), "total": Out(settings.width)})
        for name, value in more.items():
            setattr(self, name, value)

    def grow(self):
        pass


class OtherUnit(Unit):
    pass


def scaled(factor):
    return lambda value: value * factor


def text(thing):
    return Description(thing).text


def one_held_twice(make):
    thing = make()
    return [thing, thing]


def signals(made_last_first):
    pair = [Signal(name="s"), Signal(name="s")]
    return pair[::-1] if made_last_first else pair


# Each with what it must not be taken for.
DISTINCT = {
    "numbers": lambda: [1, True, 1.0, "1", b"1", None, 1 + 0j, Fraction(1), np.int64(1), np.float64(1)],
    "zeros": lambda: [0.0, -0.0],
    "configurations": lambda: [Settings(), replace(Settings(), width=5), replace(Settings(), factors=[1, 2.5])],
    "members": lambda: [Colour.RED, Colour.BLUE, Mode.HOLD, Mode.STEP],
    "classes": lambda: [Unit, OtherUnit, Unit(Settings()), OtherUnit(Settings())],
    "components": lambda: [
        Unit(Settings()),
        Unit(Settings(width=5)),
        Unit(Settings(), more=1),
        Unit(Settings(), more=2),
    ],
    "signals": lambda: [
        Signal(4, name="s"),
        Signal(5, name="s"),
        Signal(signed(4), name="s"),
        Signal(4, name="t"),
        Signal(4, name="s", init=3),
        Signal(4, name="s", reset_less=True),
        Signal(4, name="s", attrs={"keep": "true"}),
        # Names of members of an enumeration are in Verilog, as attributes.
        Value.cast(Signal(Mode, name="s", init=Mode.HOLD)),
        Value.cast(Signal(OtherMode, name="s", init=OtherMode.HOLD)),
    ],
    "values": lambda: [Const(3, 4), Const(3, 5), Const(3, 4) + 1, Const(3, 4)[1:3], Const(3, 4) & 1],
    "shapes": lambda: [
        data.StructLayout({"a": 3, "b": 4}),
        data.StructLayout({"a": 4, "b": 3}),
        data.StructLayout({"b": 4, "a": 3}),
        data.ArrayLayout(3, 4),
        Mode,
    ],
    "memories": lambda: [
        MemoryData(shape=4, depth=3, init=[]),
        MemoryData(shape=4, depth=3, init=[0, 0, 1]),
        MemoryData(shape=4, depth=4, init=[]),
    ],
    "signatures": lambda: [
        stream.Signature(4),
        stream.Signature(4).flip(),
        stream.Signature(4, always_ready=True),
        stream.Signature(4, always_valid=True),
    ],
    "containers": lambda: [[1, 2], (1, 2), {1, 2}, frozenset((1, 2)), {1: 2}, [[1], 2], [1, [2]], [1, 2, None], {2: 1}],
    "orders": lambda: [{"a": 1, "b": 2}, {"b": 2, "a": 1}, range(4), range(0, 4, 2), range(5)],
    "arrays": lambda: [
        np.array([1, 2]),
        np.array([1, 3]),
        np.array([[1], [2]]),
        np.array([1, 2], np.int16),
        np.array([1.0, 2.0]),
        np.array([int("1" * 30), 2], object),
    ],
    "functions": lambda: [scaled(2), scaled(3), text, length, Unit(Settings()).grow, OtherUnit(Settings()).grow],
    "what a number holds beside": lambda: [length(3, "m"), length(3, "ft"), length(4, "m")],
    "what a list holds beside": lambda: [
        row(["unit", "m"]),
        row([], unit="m"),
        row(["unit"], m=1),
        row(["unit", "m"], m=1),
    ],
    "identities": lambda: [one_held_twice(lambda: Signal(name="s")), [Signal(name="s"), Signal(name="s")]],
    "orders of signals": lambda: [signals(False), signals(True)],
    "sets": lambda: [{Colour.RED}, {Colour.RED, Colour.BLUE}, {"RED"}],
}


@pytest.mark.parametrize("kind", DISTINCT)
def test_what_differs_is_described_otherwise(kind):
    # Made anew, and after other signals.
    things, alike = (DISTINCT[kind]() for _ in range(2))
    first, again = ([text(thing) for thing in made] for made in (things, alike))
    assert len(set(first)) == len(first)
    assert first == again


def test_where_a_signal_was_made_does_not_count():
    assert text(Signal(3, name="s")) == text(
        Signal(3, name="s"),
    )


def test_sets_have_no_order():
    # Numbers that share a place in the set's table are gone through as they were added.
    assert list({0, 8}) != list({8, 0})
    assert text({0, 8}) == text({8, 0})


@pytest.mark.parametrize("thing", [Settings(), Settings, {Settings()}, {1: Colour.RED}, scaled, (text,)])
def test_modules_of_all_parts_are_named(thing):
    assert __name__ in Description(thing).modules


def test_what_is_made_on_the_way_is_no_thing_of_before():
    """Dictionaries behind proxies: each goes when it is described, and the next may take its place."""
    proxies = [types.MappingProxyType({"a": (number, number)}) for number in range(300)]
    assert "again" not in text(proxies)


def test_it_holds_itself():
    unit = Unit(Settings())
    unit.whole = [unit]
    assert "again 0" in text(unit)


def made_within(width):
    class Local(wiring.Component):
        out: Out(4)

        def elaborate(self, platform):
            return Signal(width)

    return Local()


@pytest.mark.parametrize(
    ("thing", "what"),
    [
        (made_within(3), "Class made_within.<locals>.Local is not found by its name: nothing says how it was made"),
        (enum.Enum("Size", {"SMALL": 1}).SMALL, "Class Size is not found"),
        ({Unit(Settings())}, "A set of things with signals has no order"),
        ([random.Random(1)], "Random is a kind of thing that is not described"),
        ({"rng": np.random.default_rng(1)}, "Generator is a kind"),
        (iter([1]), "list_iterator is a kind"),
        (functools.partial(length, 3), "partial is a kind"),
        (collections.deque([1]), "deque is a kind"),
        (re.compile("a"), "Pattern is a kind"),
        (np, "module is a kind"),
    ],
)
def test_what_cannot_be_described_is_refused(thing, what):
    with pytest.raises(UndescribedError, match=what):
        Description(thing)
