"""The base of the floating-point units: a pipeline without back-pressure, with registers where its depth says."""

from abc import ABC, abstractmethod

from amaranth.hdl import Module, Signal, Value

from ..component import ConfiguredComponent
from .datapath import Stages

__all__ = ["FloatUnit"]


class FloatUnit(ConfiguredComponent, ABC):
    """A pipeline that takes operands in every cycle; base of the units, whose ``datapath`` it surrounds.

    Parameters
    ----------
    config : object
        With ``depth``.
    signature : dict
        Members of the unit's signature.
    """

    # For each depth the places in the datapath where registers stand; deeper than the last, results are only delayed.
    PLACES: tuple[tuple[str, ...], ...]

    @property
    def latency(self):
        """Cycles from operands to results."""
        return self._config.depth

    @abstractmethod
    def datapath(self, m: Module, stages: Stages) -> dict[str, Value]:
        """The statements between operands and results; returns the results by port."""

    def elaborate(self, platform):
        m = Module()
        depth = self._config.depth
        places = self.PLACES[min(depth, len(self.PLACES) - 1)]
        stages = Stages(m, places)
        results = self.datapath(m, stages)
        stages.finish()
        for name, value in results.items():
            for cycle in range(depth - len(places)):
                delayed = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=True)
                m.d.sync += delayed.eq(value)
                value = delayed
            m.d.comb += getattr(self, name).eq(value)
        return m
