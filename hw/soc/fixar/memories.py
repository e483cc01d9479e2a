"""The memories of whole networks: weights, gradients and moments."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out, connect, flipped

from ...cores.component import ConfiguredComponent
from ...cores.memory.config import SharedMemoryConfig
from ...cores.memory.host_map import HostPort
from ...cores.memory.host_map_config import HostRegion
from ...cores.memory.ports import ReadPort, WritePort
from ...cores.memory.row_index import RowIndex
from ...cores.memory.shared import SharedMemory
from ...cores.memory.transposable import TransposableMemory, TransposableReadPort, TransposableWritePort
from .config import BANKS, FixarConfig
from .instructions import Memory

__all__ = ["NetworkMemories", "network_regions"]

# Memories of the moments, in the order of their numbers.
MOMENTS = ("first_moments", "second_moments_low", "second_moments_high")


def network_regions(config: FixarConfig):
    """The memories in the host's map."""
    width, rows = 32 * config.lanes, config.weight_rows
    return (
        HostRegion(name="weights", number=Memory.WEIGHT, width=width, depth=rows, banks=len(BANKS)),
        HostRegion(name="gradients", number=Memory.GRADIENT, width=width, depth=2 * rows),
        HostRegion(name="first_moments", number=Memory.FIRST_MOMENT, width=width, depth=2 * rows),
        HostRegion(name="second_moments_low", number=Memory.SECOND_MOMENT_LOW, width=width, depth=2 * rows),
        HostRegion(name="second_moments_high", number=Memory.SECOND_MOMENT_HIGH, width=width, depth=2 * rows),
    )


class NetworkMemories(ConfiguredComponent):
    """Four weight banks, gradients, first and second moments, each with a port for every engine and for the host.

    ::

        host ------+--> weight banks <--+-- matrix engine (read)
                   |                    '-- Adam (weights of two banks, targets of the others)
                   +--> moments <--------- Adam
                   '--> gradients <-----+- matrix engine (accumulates)
                                        '- Adam (reads)

    A bank a network lets Adam sweep one network while the matrix engine reads another. The program keeps users of one
    port apart; where it does not, ``conflict`` says so. Only the gradient memory is shared by waiting: Adam reads no
    row in a cycle in which gradients are being added.

    Latency: one cycle from a read to its data. Throughput: on each memory a read and a write a cycle. No back-pressure
    but ``gradients_granted``.

    Parameters
    ----------
    config : FixarConfig

    Members
    -------
    weights, gradients, first_moments, second_moments_low, second_moments_high : In(HostPort).array(1, banks)
        The host's ports, of the regions of :func:`network_regions`.
    matrix_weights : In(ReadPort).array(4)
    gradient_read, gradient_write : In
        The matrix engine's ports.
    adam_gradients : In(ReadPort)
    gradients_granted : Out(1)
        Adam may read gradients in this cycle.
    adam_index : In(range(lanes))
        First row of Adam's command, modulo the lanes.
    adam_moments : In(ReadPort).array(3)
    adam_moments_write : In(WritePort).array(3)
        First moments, low and high words of the second.
    adam_weights, adam_weights_write : In, array of 4
        Weights, then targets.
    conflict : Out(1)
        There was one in the cycle before.
    """

    def __init__(self, config: FixarConfig):
        words = data.ArrayLayout(32, config.lanes)
        rows = config.weight_rows
        gradients = config.array_engine.gradients
        super().__init__(
            config,
            {
                **{region.name: In(HostPort(region, config.lanes)).array(1, region.banks)
                   for region in network_regions(config)},
                "matrix_weights": In(ReadPort(words, rows)).array(len(BANKS)),
                "gradient_read": In(TransposableReadPort(gradients)),
                "gradient_write": In(TransposableWritePort(gradients)),
                "adam_gradients": In(ReadPort(words, 2 * rows)),
                "gradients_granted": Out(1),
                "adam_index": In(range(config.lanes)),
                "adam_moments": In(ReadPort(words, 2 * rows)).array(len(MOMENTS)),
                "adam_moments_write": In(WritePort(words, 2 * rows)).array(len(MOMENTS)),
                "adam_weights": In(ReadPort(words, rows)).array(len(BANKS)),
                "adam_weights_write": In(WritePort(words, rows)).array(len(BANKS)),
                "conflict": Out(1),
            },
        )  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        conflicts = [self._gradients(m)]
        for bank, name in enumerate(BANKS):
            host = self.weights[0][bank]
            readers = [host.read, self.matrix_weights[bank], self.adam_weights[bank]]
            writers = [host.write, self.adam_weights_write[bank]]
            conflicts.append(self._shared(m, name, self.config.weight_rows, readers, writers))
        for number, name in enumerate(MOMENTS):
            host = getattr(self, name)[0][0]
            readers = [host.read, self.adam_moments[number]]
            writers = [host.write, self.adam_moments_write[number]]
            conflicts.append(self._shared(m, name, 2 * self.config.weight_rows, readers, writers))
        # Registered one by one: a flag is sticky, so a cycle later is soon enough.
        found = Signal(len(conflicts))
        m.d.sync += found.eq(Cat(conflicts))
        m.d.comb += self.conflict.eq(found.any())
        return m

    def _shared(self, m, name, rows, readers, writers):
        """One memory for several users, those first that are known early in the cycle; when two of them meet."""
        m.submodules[name] = memory = SharedMemory(
            data.ArrayLayout(32, self.config.lanes),
            SharedMemoryConfig(depth=rows, readers=len(readers), writers=len(writers)),
        )
        for port, user in zip([*memory.reads, *memory.writes], [*readers, *writers], strict=True):
            connect(m, flipped(user), port)
        return memory.conflict

    def _gradients(self, m):
        """The gradient memory: the matrix engine goes first, then the host, then Adam; when two of them meet."""
        config = self.config.array_engine.gradients
        m.submodules.gradients = memory = TransposableMemory(config)
        m.submodules.gradient_index = index = RowIndex(config)
        host, adam, read, write = self.gradients[0][0], self.adam_gradients, memory.read, memory.write
        m.d.comb += [
            self.gradients_granted.eq(~self.gradient_read.enable),
            index.row.eq(adam.address),
            index.taken.eq(adam.enable),
            index.first.eq(self.adam_index),
            read.enable.eq(self.gradient_read.enable | host.read.enable | adam.enable),
            read.row.eq(adam.address),
            read.index.eq(index.index),
            *(port.data.eq(read.data) for port in (self.gradient_read, host.read, adam)),
            write.enable.eq(host.write.enable.replicate(config.lanes)),
            write.row.eq(host.write.address),
            write.index.eq(host.index),
            write.data.eq(host.write.data),
        ]
        with m.If(host.read.enable):
            m.d.comb += [read.row.eq(host.read.address), read.index.eq(host.index)]
        place = ("row", "index", "column", "lane")
        with m.If(self.gradient_read.enable):
            m.d.comb += [getattr(read, name).eq(getattr(self.gradient_read, name)) for name in place]
        with m.If(self.gradient_write.enable.any()):
            m.d.comb += [
                getattr(write, name).eq(getattr(self.gradient_write, name)) for name in ("enable", "data", *place)
            ]
        reads_meet = host.read.enable & (self.gradient_read.enable | adam.enable)
        return reads_meet | (host.write.enable & self.gradient_write.enable.any())
