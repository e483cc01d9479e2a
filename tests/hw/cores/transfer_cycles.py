"""The cycles in which streams transfer their values, for tests of latency and throughput."""

import cocotb
from cocotb.triggers import FallingEdge

__all__ = ["TransferCycles"]


class TransferCycles:
    """Looks at streams in the middle of every cycle, when all drivers have done their part of it.

    Parameters
    ----------
    dut : handle
        The component, with a clock ``clk``.
    names : str
        Names of the streams.

    Attributes
    ----------
    offered, taken : dict
        By stream: the cycle in which each value became valid, and that of its transfer, all from the same
        beginning.
    """

    def __init__(self, dut, *names):
        self.offered, self.taken = ({name: [] for name in names} for _ in range(2))
        cocotb.start_soon(self._watch(dut))

    async def _watch(self, dut):
        cycle = 0
        while True:
            await FallingEdge(dut.clk)
            for name, taken in self.taken.items():
                if not int(getattr(dut, f"{name}__valid").value):
                    continue
                if len(self.offered[name]) == len(taken):
                    self.offered[name].append(cycle)
                if int(getattr(dut, f"{name}__ready").value):
                    taken.append(cycle)
            cycle += 1
