"""The memories that the matrix engine works on, each with a port for what stands on its other side."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..memory.ports import ReadPort, WritePort
from .matrix_config import MatrixConfig
from .matrix_layouts import vector_block_layout, vector_word_layout, weight_port

__all__ = ["MatrixMemories"]


class MatrixMemories(ConfiguredComponent):
    """Activations, errors, weights; results and gradients.

    Each is a :class:`.Memory`: what the engine reads the other side writes, what it writes the other
    side reads. The error memory has as many read ports as the engine, and the result memory is two halves. A read does
    not see the write of its own cycle.

    Latency: data come one cycle after the address.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    read_activations, read_errors, read_weights : In
        For the engine; its ports have the same names.
    write_results, write_gradients : In
        For the engine; its ports have the same names.
    write_activations : In(WritePort(vector_word_layout(config), activation_rows, blocks)).array(cores)
        A bank for each owner. From the exchange between cores, and from the host.
    write_errors : In(WritePort(vector_word_layout(config), error_rows, blocks))
    write_weights : In(WritePort(format.width, weight_rows)).array(weight_banks)
        From the weight compression.
    read_results : In(ReadPort(vector_word_layout(config), config.result_half)).array(2)
        A whole word of each half: rows below ``result_half``, and from there on. To elementwise unit and
        aggregator.
    read_gradients : In(ReadPort(format.width, weight_rows)).array(weight_banks)
        To the optimiser.

    Source
    ------
    LearningGroup, section III-D: activation and weight memory of a core.
    """

    def __init__(self, config: MatrixConfig):
        word, block, blocks, number = (
            vector_word_layout(config), vector_block_layout(config), config.blocks, config.format.width,
        )  # fmt: skip
        banks = config.weight_banks

        super().__init__(
            config,
            {
                "read_activations": In(ReadPort(word, config.activation_rows)).array(config.cores),
                "read_errors": In(ReadPort(word, config.error_rows)).array(config.error_ports),
                "read_weights": In(weight_port(config)).array(banks),
                "write_results": In(WritePort(block, config.result_rows)).array(blocks),
                "write_gradients": In(WritePort(number, config.weight_rows)).array(banks),
                "write_activations": In(WritePort(word, config.activation_rows, blocks)).array(config.cores),
                "write_errors": In(WritePort(word, config.error_rows, blocks)),
                "write_weights": In(WritePort(number, config.weight_rows)).array(banks),
                "read_results": In(ReadPort(word, config.result_half)).array(2),
                "read_gradients": In(weight_port(config)).array(banks),
            },
        )

    def elaborate(self, platform):
        m = Module()
        self._add(m, "errors", self.write_errors, self.read_errors)
        for name in ("activations", "weights", "gradients"):
            ports = zip(getattr(self, f"write_{name}"), getattr(self, f"read_{name}"), strict=True)
            for number, (write, read) in enumerate(ports):
                self._add(m, f"{name}_{number}", write, [read])
        self._add_results(m)
        return m

    def _add(self, m, name, write, reads):
        """A memory between its ports."""
        port = write.signature
        config = MemoryConfig(depth=port.depth, lanes=port.lanes, readers=len(reads))
        m.submodules[name] = memory = Memory(port.shape, config)
        wiring.connect(m, wiring.flipped(write), memory.write)
        for inner, read in zip(memory.reads, reads, strict=True):
            wiring.connect(m, wiring.flipped(read), inner)

    def _add_results(self, m):
        """A memory for each half and block, as each block goes to a row of its own."""
        half = self._config.result_half
        for number, rows in enumerate((half, max(self._config.result_rows - half, 1))):
            read = self.read_results[number]
            for block, write in enumerate(self.write_results):
                memory = Memory(write.signature.shape, MemoryConfig(depth=rows))
                m.submodules[f"results_{number}_{block}"] = memory
                m.d.comb += [
                    memory.write.enable.eq(write.enable & (write.address[-1] == number)),
                    memory.write.address.eq(write.address[:-1]),
                    memory.write.data.eq(write.data),
                    memory.reads[0].enable.eq(read.enable),
                    memory.reads[0].address.eq(read.address),
                    read.data[block].eq(memory.reads[0].data),
                ]
