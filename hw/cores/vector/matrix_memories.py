"""The memories that the matrix engine works on, each with a port for what stands on its other side."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In

from .matrix_config import MatrixConfig
from .matrix_engine import OperandReadSignature
from .matrix_layouts import (
    BlockWriteSignature,
    WeightReadSignature,
    address_width,
    group_layout,
    read_signature,
    write_signature,
)

__all__ = ["MatrixMemories", "result_half", "word_layout"]


def word_layout(config: MatrixConfig):
    """A word: block, then lane."""
    return data.ArrayLayout(data.ArrayLayout(config.format.width, config.lanes), config.blocks)


def result_half(config: MatrixConfig):
    """Rows of the first half of the result memory, which has a read port of its own: all that lack the highest bit."""
    return 1 << (address_width(config.result_rows) - 1)


class MatrixMemories(wiring.Component):
    """Activations, errors, weights, lists, tables; results and gradients.

    Each memory has one write port and one synchronous read port (error memories: a copy for each port; the result
    memory is two), so that any tool makes block RAM of it: what the engine reads the other side writes, what it writes
    the other side reads. Data come one cycle after the address and stay until the next read; a read does not see the
    write of its own cycle.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    tables, row_list, column_list, operands, weights, results : In
        The engine's, by the same names.
    gradient_enable, gradient_bank, gradient_address, gradient_data : In
        The engine's.
    write_tables : In(write_signature)
    write_row_list, write_column_list : In(write_signature)
    write_activations : In(write_signature).array(cores)
        A bank for each owner; the data are words. From the exchange between cores, and from the host.
    write_activation_blocks : In(blocks)
        Blocks that the writes of this cycle change.
    write_errors : In(write_signature)
    write_error_blocks : In(blocks)
    write_weights : In(write_signature).array(weight_banks)
        From the weight compression.
    read_results : In(read_signature).array(2)
        A whole word of each half: rows below ``result_half(config)``, and from there on. To elementwise unit and
        aggregator.
    read_gradients : In(read_signature).array(weight_banks)
        To the optimiser.

    Source
    ------
    LearningGroup, section III-D: activation and weight memory of a core.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        lists = read_signature(config.list_rows, address_width(config.features))
        write_list = write_signature(config.list_rows, address_width(config.features))
        word, number = word_layout(config), config.format.width
        super().__init__(
            {
                "tables": In(read_signature(config.table_rows, group_layout(config))),
                "row_list": In(lists),
                "column_list": In(lists),
                "operands": In(OperandReadSignature(config)),
                "weights": In(WeightReadSignature(config)),
                "results": In(BlockWriteSignature(config)),
                "gradient_enable": In(1),
                "gradient_bank": In(range(config.weight_banks)),
                "gradient_address": In(address_width(config.weight_rows)),
                "gradient_data": In(number),
                "write_tables": In(write_signature(config.table_rows, group_layout(config))),
                "write_row_list": In(write_list),
                "write_column_list": In(write_list),
                "write_activations": In(write_signature(config.activation_rows, word)).array(config.cores),
                "write_activation_blocks": In(config.blocks, init=(1 << config.blocks) - 1),
                "write_errors": In(write_signature(config.error_rows, word)),
                "write_error_blocks": In(config.blocks, init=(1 << config.blocks) - 1),
                "write_weights": In(write_signature(config.weight_rows, number)).array(config.weight_banks),
                "read_results": In(read_signature(result_half(config), word)).array(2),
                "read_gradients": In(read_signature(config.weight_rows, number)).array(config.weight_banks),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        for name, rows in (
            ("tables", config.table_rows),
            ("row_list", config.list_rows),
            ("column_list", config.list_rows),
        ):
            write, read = getattr(self, f"write_{name}"), getattr(self, name)
            data = _memory(m, name, rows, write.enable, write.address, write.data, read.enable, read.address)
            m.d.comb += read.data.eq(data)

        operands = self.operands
        for owner in range(config.cores):
            write = self.write_activations[owner]
            enable = Signal(name=f"activation_enable_{owner}")
            m.d.comb += enable.eq(operands.activation_enable & (operands.activation_bank == owner))
            for block in range(config.blocks):
                data = _memory(
                    m,
                    f"activations_{owner}_{block}",
                    config.activation_rows,
                    write.enable & self.write_activation_blocks[block],
                    write.address,
                    write.data[block],
                    enable,
                    operands.activation_address,
                )
                self._spread(m, operands.activation_data[owner][block], data)
        for port in range(config.error_ports):
            for block in range(config.blocks):
                data = _memory(
                    m,
                    f"errors_{port}_{block}",
                    config.error_rows,
                    self.write_errors.enable & self.write_error_blocks[block],
                    self.write_errors.address,
                    self.write_errors.data[block],
                    operands.error_enable[port],
                    operands.error_address[port],
                )
                self._spread(m, operands.error_data[port][block], data)
        half = result_half(config)
        for number, rows in enumerate((half, max(config.result_rows - half, 1))):
            read = self.read_results[number]
            for block in range(config.blocks):
                address = self.results.addresses[block]
                data = _memory(
                    m,
                    f"results_{number}_{block}",
                    rows,
                    self.results.enables[block] & (address[-1] == number),
                    address[:-1],
                    Cat(self.results.data[block]),
                    read.enable,
                    read.address,
                )
                m.d.comb += read.data[block].eq(data)
        for bank in range(config.weight_banks):
            write, read = self.write_weights[bank], self.read_gradients[bank]
            data = _memory(
                m,
                f"weights_{bank}",
                config.weight_rows,
                write.enable,
                write.address,
                write.data,
                self.weights.enable,
                self.weights.addresses[bank],
            )
            m.d.comb += self.weights.data[bank].eq(data)
            data = _memory(
                m,
                f"gradients_{bank}",
                config.weight_rows,
                self.gradient_enable & (self.gradient_bank == bank),
                self.gradient_address,
                self.gradient_data,
                read.enable,
                read.address,
            )
            m.d.comb += read.data.eq(data)
        return m

    def _spread(self, m, ports, data):
        """A block to the VPUs' ports."""
        vector = self._config.vector_width
        m.d.comb += [port.eq(data[vpu * vector : (vpu + 1) * vector]) for vpu, port in enumerate(ports)]


def _memory(m, name, rows, write_enable, write_address, write_data, read_enable, read_address):
    """What a memory with one port each reads."""
    value = Value.cast(write_data)
    m.submodules[name] = memory = Memory(shape=len(value), depth=rows, init=[])
    write, read = memory.write_port(), memory.read_port()
    m.d.comb += [
        write.en.eq(write_enable),
        write.addr.eq(write_address),
        write.data.eq(value),
        read.en.eq(read_enable),
        read.addr.eq(read_address),
    ]
    return read.data
