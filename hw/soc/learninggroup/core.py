"""A core of LearningGroup: matrix engine, elementwise unit, softmax unit, parameters and their update, memories."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.forwarding import forward_port
from ...cores.vector.elementwise_config import Destination, Operand
from ...cores.vector.elementwise_unit import ElementwiseUnit, elementwise_command
from ...cores.vector.matrix_core import MatrixCore
from ...cores.vector.matrix_layouts import command_layout, read_signature
from ...cores.vector.matrix_memories import word_layout
from ...cores.vector.softmax_unit import SoftmaxUnit, softmax_command
from .core_parameters import CoreParameters
from .hardware import LearningGroupHardware
from .instructions import Memory
from .parameter_memory import connect_rows

__all__ = ["LearningGroupCore", "bank_signature", "block_write_signature", "host_signature"]

ROW_WIDTH = 20
# Ports of the matrix core that are the core's.
INHERITED = (
    "write_tables",
    "write_row_list",
    "write_column_list",
    "write_weights",
    "write_activations",
    "write_activation_blocks",
)


def block_write_signature(hardware):
    """A word into a memory of vectors, with an enable for each block; seen from the writer."""
    word = hardware.device.blocks * hardware.block_bits
    return wiring.Signature({"blocks": Out(hardware.device.blocks), "address": Out(16), "word": Out(word)})


def host_signature(hardware):
    """Rows between the host and a core's memories, seen from the transfer engine; data come two cycles after ``read``.

    ``memory`` is a ``Memory``, ``row`` counts blocks. While its port is ``taken`` by a pass, nothing may be asked.
    """
    return wiring.Signature(
        {
            "memory": Out(4),
            "row": Out(ROW_WIDTH),
            "write": Out(1),
            "write_data": Out(hardware.shell.stream_width),
            "read": Out(1),
            "read_data": In(hardware.shell.stream_width),
            "read_word": In(hardware.device.blocks * hardware.block_bits),
            "read_taken": In(1),
            "write_taken": In(1),
        }
    )


def bank_signature(hardware):
    """Reads of the banks of compressed weights and of their gradients, seen from the reader; data in the next cycle."""
    width = hardware.sparse.weight_width
    return wiring.Signature(
        {
            "enable": Out(1),
            "addresses": Out(range(hardware.weight_rows)).array(hardware.weight_banks),
            "weights": In(width).array(hardware.weight_banks),
            "gradients": In(width).array(hardware.weight_banks),
        }
    )


class LearningGroupCore(wiring.Component):
    """What stands once for each core.

    Latency, throughput and back-pressure: those of its engines. Memories have one read and one write port, for an
    engine, or several, and the host: the program keeps them apart, ``memory_conflict`` says that it did not.

    Parameters
    ----------
    hardware : LearningGroupHardware

    Members
    -------
    matrix, elementwise, softmax : In(stream.Signature(command))
        Commands of the engines; ``<engine>_done`` completions, ``<engine>_busy``.
    biases, words, biases_done, read_parameters, rates
        ``commands``, ``words``, ``done``, ``read_parameters`` and ``rates`` of :class:`.CoreParameters`.
    banks : In
        Reads of weights and gradients together, for the sums of :class:`.UpdateControl`.
    errors : Out
        ``address_out_of_range``, ``memory_conflict``.
    nonfinite : Out(1)
    write_tables, write_row_list, write_column_list, write_weights : In
        From the sparse data engine.
    write_activations : In(write_signature).array(cores), write_activation_blocks : In(blocks)
        What the cores share.
    activation : Out(block_write_signature)
        What this core shares.
    aggregate : In(block_write_signature)
        Sums over the cores.
    read_results : In(read_signature)
        For the aggregator, which comes before the elementwise unit.
    host : In(host_signature)
    seed, load_seed : In
        State for the generator of the softmax unit.
    random_state : Out(64)
        What it goes on from.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, hardware: LearningGroupHardware):
        self.config = hardware
        self._matrix = MatrixCore(hardware.matrix)
        self._elementwise = ElementwiseUnit(hardware.elementwise)
        self._softmax = SoftmaxUnit(hardware.softmax)
        config = hardware.matrix
        self._parameters = CoreParameters(hardware)
        of_parameters = self._parameters.signature.members
        super().__init__(
            {
                "matrix": In(stream.Signature(command_layout(config))),
                "elementwise": In(stream.Signature(elementwise_command(hardware.elementwise))),
                "softmax": In(stream.Signature(softmax_command(hardware.softmax))),
                **{f"{name}_done": Out(1) for name in ("matrix", "elementwise", "softmax")},
                **{f"{name}_busy": Out(1) for name in ("matrix", "elementwise", "softmax")},
                "errors": Out(data.StructLayout({"address_out_of_range": 1, "memory_conflict": 1})),
                "nonfinite": Out(1),
                "activation": Out(block_write_signature(hardware)),
                "aggregate": In(block_write_signature(hardware)),
                "read_results": In(read_signature(config.result_rows, word_layout(config))),
                "host": In(host_signature(hardware)),
                "seed": In(64),
                "load_seed": In(1),
                "random_state": Out(64),
                "biases": of_parameters["commands"],
                "biases_done": of_parameters["done"],
                **{name: of_parameters[name] for name in ("words", "read_parameters", "rates")},
                "banks": In(bank_signature(hardware)),
                **{name: self._matrix.signature.members[name] for name in INHERITED},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.matrix_core = matrix = self._matrix
        m.submodules.elementwise_unit = unit = self._elementwise
        m.submodules.softmax_unit = softmax = self._softmax
        for name, engine in (("matrix", matrix), ("elementwise", unit), ("softmax", softmax)):
            wiring.connect(m, wiring.flipped(getattr(self, name)), engine.commands)
            m.d.comb += [
                engine.completions.ready.eq(1),
                getattr(self, f"{name}_done").eq(engine.completions.valid),
                getattr(self, f"{name}_busy").eq(engine.busy),
            ]
        for name in INHERITED:
            forward_port(m, matrix, self, name)
        m.d.comb += [softmax.seed.eq(self.seed), softmax.load.eq(self.load_seed), self.random_state.eq(softmax.state)]

        m.submodules.parameters = parameters = self._parameters
        conflict = self._connect_memories(m, matrix, unit, softmax, parameters)
        m.d.sync += [
            self.errors.address_out_of_range.eq(
                matrix.errors.address_out_of_range | parameters.errors.address_out_of_range
            ),
            self.errors.memory_conflict.eq(
                unit.errors.memory_conflict | conflict | parameters.errors.memory_conflict | matrix.memory_conflict
            ),
            self.nonfinite.eq(
                matrix.nonfinite | unit.errors.nonfinite | softmax.errors.nonfinite | parameters.errors.nonfinite
            ),
        ]
        return m

    def _connect_memories(self, m, matrix, unit, softmax, parameters):
        """Sources and destinations of elementwise passes, and what the host sees; returns whether two met."""
        config = self.config
        blocks, block_bits = config.device.blocks, config.block_bits
        host = self.host
        conflicts = []
        word_row = Signal(16)
        host_block = Signal(range(max(blocks, 2)))
        shift = (blocks - 1).bit_length()
        m.d.comb += [word_row.eq(host.row >> shift), host_block.eq(host.row & (blocks - 1))]
        host_data = host.write_data[:block_bits]

        # Words for the host: the memory that was asked a cycle ago.
        late_memory, late_block = Signal.like(host.memory), Signal.like(host_block)
        m.d.sync += [late_memory.eq(host.memory), late_block.eq(host_block)]
        host_word = Signal(blocks * block_bits)
        answer = Signal(blocks * block_bits)
        gradients = self._connect_banks(m, matrix, conflicts)
        m.d.sync += [answer.eq(host_word), host.read_data.eq(host_word.word_select(late_block, block_bits))]
        with m.If(late_memory == Memory.GRADIENT):
            m.d.sync += host.read_data.eq(gradients)
        with m.If(late_memory == Memory.PARAMETER):
            m.d.sync += host.read_data.eq(parameters.numbers)
        with m.If(late_memory == Memory.PARAMETER_SQUARE):
            m.d.sync += host.read_data.eq(parameters.squares)
        m.d.comb += host.read_word.eq(answer)

        for index in range(Memory.STATE_2 + 1):
            read, write = unit.reads[index], unit.writes[index]
            wanted, writing = Signal(name=f"host_reads_{index}"), Signal(name=f"host_writes_{index}")
            m.d.comb += [
                wanted.eq(host.read & (host.memory == index)),
                writing.eq(host.write & (host.memory == index)),
            ]
            conflicts += [wanted & read.enable, writing & write.blocks.any()]
            with m.If(host.memory == index):
                m.d.comb += [host.read_taken.eq(read.enable), host.write_taken.eq(write.blocks.any())]
            words = []
            for block in range(blocks):
                m.submodules[f"state_{index}_{block}"] = bank = memory.Memory(
                    shape=block_bits, depth=config.state_rows, init=[]
                )
                write_port, read_port = bank.write_port(), bank.read_port()
                m.d.comb += [
                    read_port.en.eq(read.enable | wanted),
                    read_port.addr.eq(Mux(wanted, word_row, read.address)),
                    write_port.en.eq(Mux(writing, host_block == block, write.blocks[block])),
                    write_port.addr.eq(Mux(writing, word_row, write.address)),
                    write_port.data.eq(Mux(writing, host_data, write.word.word_select(block, block_bits))),
                ]
                words.append(read_port.data)
            m.d.comb += read.word.eq(Cat(words))
            with m.If(late_memory == index):
                m.d.comb += host_word.eq(read.word)

        # Results: the aggregator first, then the host, then elementwise passes; each half has a port.
        wanted, late_half = Signal(name="host_reads_results"), Signal()
        result_row = Signal(self.read_results.address.shape())
        m.d.comb += [
            wanted.eq(host.read & (host.memory == Memory.RESULT)),
            result_row.eq(Mux(self.read_results.enable, self.read_results.address, word_row)),
            Cat(self.read_results.data).eq(
                Mux(late_half, Cat(matrix.read_results[1].data), Cat(matrix.read_results[0].data))
            ),
        ]
        with m.If(self.read_results.enable | wanted):
            m.d.sync += late_half.eq(result_row[-1])
        for number, (operand, port) in enumerate(
            zip((Operand.RESULT_0, Operand.RESULT_1), matrix.read_results, strict=True)
        ):
            read, taken = unit.reads[operand], Signal(name=f"results_taken_{number}")
            m.d.comb += [
                taken.eq((self.read_results.enable | wanted) & (result_row[-1] == number)),
                port.enable.eq(taken | read.enable),
                port.address.eq(Mux(taken, result_row[:-1], read.address)),
                read.word.eq(Cat(port.data)),
            ]
            conflicts.append(read.enable & taken)
        with m.If(late_memory == Memory.RESULT):
            m.d.comb += host_word.eq(Cat(self.read_results.data))

        # Choices
        read, write = unit.reads[Operand.CHOICE], unit.writes[Destination.LOGIT]
        wanted = Signal(name="host_reads_choices")
        m.d.comb += [
            wanted.eq(host.read & (host.memory == Memory.CHOICE)),
            softmax.read_address.eq(Mux(wanted, word_row, read.address)),
            read.word.eq(softmax.read_word),
            softmax.write_blocks.eq(write.blocks),
            softmax.write_address.eq(write.address),
            softmax.write_word.eq(write.word),
        ]
        conflicts.append(wanted & read.enable)
        with m.If(host.memory == Memory.CHOICE):
            m.d.comb += host.read_taken.eq(read.enable)
        with m.If(late_memory == Memory.CHOICE):
            m.d.comb += host_word.eq(read.word)

        # Sums over the cores, and what they share
        read = unit.reads[Operand.AGGREGATE]
        words = []
        for block in range(blocks):
            m.submodules[f"aggregate_{block}"] = bank = memory.Memory(
                shape=block_bits, depth=config.aggregate_rows, init=[]
            )
            write_port, read_port = bank.write_port(), bank.read_port()
            m.d.comb += [
                read_port.en.eq(read.enable),
                read_port.addr.eq(read.address),
                write_port.en.eq(self.aggregate.blocks[block]),
                write_port.addr.eq(self.aggregate.address),
                write_port.data.eq(self.aggregate.word.word_select(block, block_bits)),
            ]
            words.append(read_port.data)
        m.d.comb += read.word.eq(Cat(words))

        # Scalars
        width = config.elementwise.lane.format.width
        m.submodules.scalars = scalars = memory.Memory(shape=width, depth=config.scalar_rows, init=[])
        write_port, read_port = scalars.write_port(), scalars.read_port()
        host_scalar = Signal()
        m.d.comb += host_scalar.eq(host.write & (host.memory == Memory.SCALAR))
        m.d.comb += [
            read_port.en.eq(1),
            read_port.addr.eq(unit.scalar_address),
            unit.scalar.eq(read_port.data),
            write_port.en.eq(host_scalar | parameters.scalar_write),
            write_port.addr.eq(Mux(host_scalar, host.row, parameters.scalar_address)),
            write_port.data.eq(Mux(host_scalar, host.write_data[:width], parameters.scalar)),
        ]
        conflicts.append(host_scalar & parameters.scalar_write)

        # What leaves the elementwise unit
        errors = unit.writes[Destination.ERROR]
        activation = unit.writes[Destination.ACTIVATION]
        with m.If(host.memory == Memory.ACTIVATION):
            m.d.comb += host.write_taken.eq(activation.blocks.any())
        m.d.comb += [
            matrix.write_errors.enable.eq(errors.blocks.any()),
            matrix.write_error_blocks.eq(errors.blocks),
            matrix.write_errors.address.eq(errors.address),
            Cat(matrix.write_errors.data).eq(errors.word),
            self.activation.blocks.eq(activation.blocks),
            self.activation.address.eq(activation.address),
            self.activation.word.eq(activation.word),
        ]
        conflict = Signal()
        m.d.comb += conflict.eq(Cat(conflicts).any())
        return conflict

    def _connect_banks(self, m, matrix, conflicts):
        """Who reads weights and gradients; returns a row of gradients, for the host."""
        parameters, host, banks = self._parameters, self.host, self.banks
        wiring.connect(m, wiring.flipped(self.biases), parameters.commands)
        wiring.connect(m, wiring.flipped(self.words), parameters.words)
        wiring.connect(m, wiring.flipped(self.read_parameters), parameters.read_parameters)
        m.d.comb += [self.biases_done.eq(parameters.done), parameters.rates.eq(self.rates)]
        connect_rows(m, parameters.host, host, numbers=Memory.PARAMETER, squares=Memory.PARAMETER_SQUARE)
        wanted = Signal(name="host_reads_gradients")
        m.d.comb += [
            wanted.eq(host.read & (host.memory == Memory.GRADIENT)),
            matrix.read_weights.enable.eq(banks.enable),
        ]
        for bank, port in enumerate(matrix.read_gradients):
            updated = parameters.gradient_read_enable[bank]
            m.d.comb += [
                port.enable.eq(wanted | banks.enable | updated),
                port.address.eq(
                    Mux(
                        wanted,
                        host.row,
                        Mux(banks.enable, banks.addresses[bank], parameters.gradient_read_addresses[bank]),
                    )
                ),
                parameters.gradients[bank].eq(port.data),
                banks.gradients[bank].eq(port.data),
                matrix.read_weights.addresses[bank].eq(banks.addresses[bank]),
                banks.weights[bank].eq(matrix.read_weights.data[bank]),
            ]
        updates = parameters.gradient_read_enable.any()
        conflicts.append((wanted & (banks.enable | updates)) | (banks.enable & updates))
        return Cat(port.data for port in matrix.read_gradients)
