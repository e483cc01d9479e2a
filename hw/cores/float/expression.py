"""Expressions of floating-point units whose operands wait for each other."""

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Signal, Value

from .adder import FloatAdder
from .config import FloatConfig, FloatLaneConfig
from .multiplier import FloatMultiplier

__all__ = ["FloatExpression", "Number"]


@dataclass(frozen=True)
class Number:
    """A number in a pipeline.

    Parameters
    ----------
    value : Value
    time : int
        Cycles from the operands to it.
    """

    value: Value
    time: int


class FloatExpression:
    """Puts adders, multipliers and functions into a module, and registers where one operand comes before the other.

    Registers are shared by all that use a number late. Operands that are no :class:`Number` never change.

    Parameters
    ----------
    m : Module
        Where the units go, each as a submodule of the name it is given.
    config : FloatLaneConfig
        Format, and stages of each adder and multiplier.
    """

    def __init__(self, m: Module, config: FloatLaneConfig):
        self._m, self._config = m, config
        # For each number, by its signal: the signals behind no register, one, two, and so on.
        self._late: dict[int, list[Value]] = {}

    def add(self, name, a, b):
        """``a + b``."""
        return self._sum(name, a, b, 0)

    def subtract(self, name, a, b):
        """``a - b``."""
        return self._sum(name, a, b, 1)

    def multiply(self, name, a, b):
        """``a * b``."""
        config = FloatConfig(format=self._config.format, depth=self._config.multiplier_depth)
        return self._unit(name, FloatMultiplier(config), a=a, b=b)

    def apply(self, name, unit, a):
        """A function of one operand: ``unit`` has ports ``a`` and ``result``, and a latency."""
        return self._unit(name, unit, a=a)

    def at(self, number, time):
        """The value of a number at a time."""
        if not isinstance(number, Number):
            return number
        late = self._late.setdefault(id(number.value), [number.value])
        place = list(self._late).index(id(number.value))
        while len(late) <= time - number.time:
            register = Signal(number.value.shape(), name=f"late_{place}_{len(late)}", reset_less=True)
            self._m.d.sync += register.eq(late[-1])
            late.append(register)
        return late[time - number.time]

    def _sum(self, name, a, b, subtract):
        adder = FloatAdder(FloatConfig(format=self._config.format, depth=self._config.adder_depth))
        return self._unit(name, adder, a=a, b=b, subtract=Const(subtract))

    def _unit(self, name, unit, **operands):
        self._m.submodules[name] = unit
        time = max(operand.time for operand in operands.values() if isinstance(operand, Number))
        self._m.d.comb += [getattr(unit, port).eq(self.at(operand, time)) for port, operand in operands.items()]
        return Number(unit.result, time + unit.latency)
