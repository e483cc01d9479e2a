"""DYNAMAP as a device: shell, units and memories."""

from amaranth.hdl import Cat, Mux, ResetInserter, Signal
from amaranth.lib.wiring import connect

from ...cores.bits import count_ones
from ...cores.convolution.gemm_engine import GemmEngine
from ...cores.convolution.layout_transformation_unit import LayoutTransformationUnit
from ...cores.convolution.pool_unit import PoolUnit
from ...cores.convolution.store_unit import StoreUnit
from ...cores.convolution.word_writer import parameter_row
from ...cores.engine import connect_engine
from ...cores.fractional_convolution.unit import FractionalConvolutionUnit
from ...cores.layouts import connect_fields
from ...cores.memory.config import MemoryConfig
from ...cores.memory.host_map import HostMap
from ...cores.memory.memory import Memory
from ...cores.memory.shared_unaligned import SharedUnalignedMemory
from ...cores.memory.transposable import TransposableMemory
from ..shell.system import System
from ..shell.transfer_config import TransferKind
from ..shell.transfer_engine import TransferEngine
from .instructions import LOAD

__all__ = ["DynamapSystem"]


class DynamapSystem(System):
    """The whole device; docs/dynamap.md says how a picture travels through it.

    ::

        host <--> feature maps --> layouts --> input buffer --> array --> accumulators --> stores --> feature maps
        host --> kernel buffer ----------------------------------^       host --> parameters --^
                 feature maps --> pooling --> feature maps
        host --> weights --> [fractional: feature maps --> feature maps]

    The units read and write one memory of feature maps: in each cycle layouts or stores before the others, pooling
    before fractional, and the host last.

    Parameters
    ----------
    config : DynamapConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    DYNAMAP, section 3.1.3; FSCAccel, section 3.2.
    """

    def connect_engines(self, m, shell):
        config = self.config
        reset = ResetInserter(shell.reset)
        layouts, array = LayoutTransformationUnit(config.layouts), GemmEngine(config.array)
        stores, pooling = StoreUnit(config.stores), PoolUnit(config.pooling)
        m.submodules.layouts, m.submodules.array = reset(layouts), reset(array)
        m.submodules.stores, m.submodules.pooling = reset(stores), reset(pooling)
        m.submodules.host_map = host_map = reset(HostMap(config.host_map))
        # From map to map, each by itself.
        others = {"pooling": pooling}
        if config.fractional is not None:
            others["fractional"] = fractional = FractionalConvolutionUnit(config.fractional_unit)
            m.submodules.fractional = reset(fractional)
            self._connect_rows(m, "fractional_weights", fractional.read_weights, host_map.fractional_weights[0][0])
        self._connect_commands(m, shell, layouts=layouts, array=array, stores=stores, **others)
        self._connect_transfers(m, shell, reset, host_map)
        self._connect_features(m, (layouts, *others.values()), (stores, *others.values()), host_map.features[0][0])
        self._connect_inputs(m, shell, layouts, array)
        for half, port in enumerate(array.weights):
            self._connect_rows(m, f"weights_{half}", port, getattr(host_map, f"weights_{half}")[0][0])
        self._connect_sums(m, array, stores)
        self._connect_parameters(m, (stores, *others.values()), host_map.parameters[0][0])
        writing = {"stores": stores, **others}
        for name, unit in writing.items():
            m.d.comb += getattr(shell.engines, name).errors.overflow.eq(unit.saturated.any())
        # A register between the lanes and the sum of them.
        words = Cat(unit.saturated for unit in writing.values())
        m.d.sync += shell.registers.saturated.eq(shell.registers.saturated + _count(m, words))

    def _connect_commands(self, m, shell, **units):
        for name, unit in units.items():
            port = getattr(shell.engines, name)
            (entry,) = self.config.instruction_set.formats_of(name)
            connect_engine(m, port, unit, {})
            connect_fields(m, unit.commands.payload, port.commands.payload.arguments[entry.name])

    def _connect_transfers(self, m, shell, reset, host_map):
        m.submodules.transfer = transfer = reset(TransferEngine(self.config.transfer))
        port = shell.engines.transfer
        rows = port.commands.payload.arguments.load
        command = {
            "kind": Mux(port.commands.payload.opcode == LOAD.opcode, TransferKind.LOAD, TransferKind.STORE),
            **{name: rows[name] for name in ("memory", "base", "count")},
        }
        connect_engine(m, port, transfer, command)
        connect(m, transfer.accesses, host_map.accesses)
        m.d.comb += [transfer.answers.eq(host_map.answers), transfer.waiting.eq(host_map.waiting)]
        connect(m, shell.rows_in, transfer.packets_in)
        connect(m, transfer.packets_out, shell.rows_out)

    def _connect_features(self, m, readers, writers, host):
        m.submodules.features = features = SharedUnalignedMemory(self.config.shared_features)
        for number, unit in enumerate(readers):
            connect(m, unit.memory, features.reads[number])
            m.d.comb += unit.memory_granted.eq(features.read_granted[number])
        for number, unit in enumerate(writers):
            connect(m, unit.features, features.writes[number])
            m.d.comb += unit.features_granted.eq(features.write_granted[number])
        read, write = features.reads[-1], features.writes[-1]
        whole, row = _whole_row(m, host.write, "features")
        m.d.comb += [
            read.enable.eq(host.read.enable),
            read.row.eq(host.read.address),
            host.read.data.eq(Cat(read.data)),
            host.read_granted.eq(features.read_granted[-1]),
            write.enable.eq(whole.replicate(len(write.enable))),
            write.row.eq(host.write.address),
            Cat(write.data).eq(row),
            host.write_granted.eq(features.write_granted[-1] | ~whole),
        ]

    def _connect_inputs(self, m, shell, layouts, array):
        """Halves of the input buffer; a command of layouts says which one it writes."""
        commands, half = shell.engines.layouts.commands, Signal()
        with m.If(commands.valid & commands.ready):
            m.d.sync += half.eq(commands.payload.arguments.lay_out.half)
        for number in range(2):
            m.submodules[f"inputs_{number}"] = inputs = TransposableMemory(self.config.array.input_memory)
            connect(m, array.inputs[number], inputs.read)
            names = ("row", "index", "column", "lane", "data")
            m.d.comb += [
                *(getattr(inputs.write, name).eq(getattr(layouts.buffer, name)) for name in names),
                inputs.write.enable.eq(Mux(half == number, layouts.buffer.enable, 0)),
            ]

    def _connect_rows(self, m, name, port, host):
        """A memory that an engine reads and the host writes."""
        m.submodules[name] = memory = Memory(port.signature.shape, MemoryConfig(depth=port.signature.depth))
        connect(m, port, memory.reads[0])
        _write_rows(m, host.write, memory.write, name)

    def _connect_sums(self, m, array, stores):
        config = MemoryConfig(depth=self.config.array.bank_rows, lanes=self.config.columns, readers=2)
        for bank, (write, *reads) in enumerate(zip(array.sum_writes, array.sum_reads, stores.sum_reads, strict=True)):
            m.submodules[f"sums_{bank}"] = sums = Memory(reads[0].signature.members["data"].shape, config)
            connect(m, write, sums.write)
            for read, port in zip(reads, sums.reads, strict=True):
                connect(m, read, port)

    def _connect_parameters(self, m, units, host):
        row = parameter_row(self.config.stores.writer)
        config = MemoryConfig(depth=self.config.parameter_rows, readers=len(units))
        m.submodules.parameters = parameters = Memory(row, config)
        for unit, port in zip(units, parameters.reads, strict=True):
            connect(m, unit.parameters, port)
        _write_rows(m, host.write, parameters.write, "parameters")


def _whole_row(m, write, name):
    """Whether the last beat of a host's row comes in this cycle, and the row."""
    beats = len(write.enable)
    width = len(write.data) // beats
    before = Signal((beats - 1) * width, name=f"{name}_before")
    for beat in range(beats - 1):
        with m.If(write.enable[beat]):
            m.d.sync += before.word_select(beat, width).eq(write.data[:width])
    return write.enable[-1], Cat(before, write.data[-width:])


def _write_rows(m, host, memory, name):
    """Lets a host write to a memory of whole rows."""
    whole, row = _whole_row(m, host, name)
    m.d.comb += [memory.enable.eq(whole), memory.address.eq(host.address), memory.data.as_value().eq(row)]


def _count(m, bits):
    """How many bits were set in the cycle before."""
    count = Signal(range(len(bits) + 1), name="count")
    m.d.sync += count.eq(count_ones(m, bits, "counted"))
    return count
