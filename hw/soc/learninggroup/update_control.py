"""The engine of the update: the grouping matrices and what updates them, and commands to the cores."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.optimizer.grouping_gradient import GroupingGradient
from ...cores.optimizer.grouping_update import GroupingUpdate
from ...cores.optimizer.rms_prop_config import RATES
from ...cores.sparse.lists import table_entry
from ...cores.vector.matrix_layouts import read_signature, write_signature
from ..sequencer.layouts import command_layout
from .core import bank_signature
from .core_parameters import bias_command, rates_layout
from .hardware import LearningGroupHardware
from .instructions import INSTRUCTION_SET, UPDATE_GROUPING
from .parameter_memory import ParameterMemory, parameter_word

__all__ = ["UpdateControl"]


class UpdateControl(wiring.Component):
    """Executes update instructions, one at a time: those of biases in the cores, those of the grouping itself.

    It keeps the grouping matrices, and lists and tables a second time: those of the matrix engine have one read port.

    Number format: see :class:`.GroupingGradient`, :class:`.GroupingUpdate` and :class:`.CoreParameters`.

    Latency: what these take, and three cycles.

    Parameters
    ----------
    hardware : LearningGroupHardware

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: tables, or an entry of a grouping matrix,
        are behind a memory. ``memory_conflict``: of the grouping matrices.
    nonfinite : Out(1)
        A gradient or a number that is written is infinite or NaN.
    biases : streams, out, array of ``cores``
        ``bias_command``
    biases_done : In(cores)
    write_row_list : In(write_signature)
    write_column_lists, write_tables : In, arrays of ``cores``
        From the sparse data engine.
    banks : In, array of ``cores``
        Of the cores: see :class:`.LearningGroupCore`.
    read_grouping : In(read_signature)
    host, numbers, squares
        See :class:`.ParameterMemory`.
    rates : In(rates_layout)

    Source
    ------
    LearningGroup, section III-A.
    """

    def __init__(self, hardware: LearningGroupHardware):
        self.config = hardware
        sparse = hardware.sparse
        cores = sparse.cores
        self._memory = ParameterMemory(hardware, hardware.grouping_rows, 2)
        self._gradient = GroupingGradient(hardware.grouping_update.gradient)
        self._update = GroupingUpdate(hardware.grouping_update)
        of_memory = self._memory.signature.members
        column = range(sparse.core_columns)
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "update"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1, "memory_conflict": 1})),
                "nonfinite": Out(1),
                "biases": Out(stream.Signature(bias_command)).array(cores),
                "biases_done": In(cores),
                "write_row_list": In(write_signature(sparse.row_list, range(max(sparse.rows, 2)))),
                "write_column_lists": In(write_signature(sparse.column_list, column)).array(cores),
                "write_tables": In(write_signature(2 * sparse.tuples, table_entry(sparse))).array(cores),
                "banks": Out(bank_signature(hardware)).array(cores),
                "read_grouping": In(read_signature(sparse.grouping_words, parameter_word(hardware))),
                **{name: of_memory[name] for name in ("host", "numbers", "squares")},
                "rates": In(rates_layout(hardware)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.matrices = self._memory
        m.submodules.gradient = self._gradient
        m.submodules.update = self._update
        self._control(m)
        self._lists(m)
        self._grouping(m)
        return m

    def _control(self, m):
        gradient, update = self._gradient, self._update
        cores = self.config.device.cores
        command = Signal(self.commands.payload.shape())
        biases, grouping = command.arguments.update_biases, command.arguments.update_grouping
        started, done = Signal(cores), Signal(cores)
        for core, port in enumerate(self.biases):
            m.d.comb += [
                port.payload.parameter_base.eq(biases.parameter_base),
                port.payload.weight_base.eq(biases.weight_base),
                port.payload.scalar_base.eq(biases.scalar_base),
                port.payload.columns.eq(Mux(biases.cores[core], biases.columns, 0)),
            ]
            with m.If(port.valid & port.ready):
                m.d.sync += started[core].eq(1)
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            gradient.commands.payload.table_base.eq(grouping.table),
            gradient.commands.payload.groups.eq(grouping.groups),
            gradient.commands.payload.columns.eq(grouping.columns),
            *(update.layer[name].eq(grouping[name]) for name, _ in update.layer.shape()),
            self.errors.address_out_of_range.eq(
                gradient.errors.address_out_of_range | update.errors.address_out_of_range
            ),
            self.errors.memory_conflict.eq(self._memory.memory_conflict),
            self.nonfinite.eq(gradient.errors.nonfinite | update.errors.nonfinite),
        ]
        with m.FSM(name="update"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), started.eq(0), done.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "BIASES"
                    with m.If(self.commands.payload.opcode == UPDATE_GROUPING.opcode):
                        m.next = "GROUPING"
            with m.State("BIASES"):
                m.d.comb += [port.valid.eq(~started[core]) for core, port in enumerate(self.biases)]
                m.d.sync += done.eq(done | self.biases_done)
                with m.If(done.all()):
                    m.next = "COMPLETE"
            with m.State("GROUPING"):
                m.d.comb += gradient.commands.valid.eq(1)
                m.next = "SUMS"
            with m.State("SUMS"):
                m.d.comb += gradient.completions.ready.eq(1)
                with m.If(gradient.completions.valid):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                with m.If(~update.busy):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _lists(self, m):
        """Row list, column lists and tables, as the sparse data engine writes them."""
        sparse, gradient, update = self.config.sparse, self._gradient, self._update

        def keep(name, depth, write, enable, address, found):
            m.submodules[name] = bank = memory.Memory(shape=write.data.shape(), depth=depth, init=[])
            read_port, write_port = bank.read_port(), bank.write_port()
            m.d.comb += [
                write_port.en.eq(write.enable),
                write_port.addr.eq(write.address),
                write_port.data.eq(write.data),
                read_port.en.eq(enable),
                read_port.addr.eq(address),
                found.eq(read_port.data),
            ]

        keep(
            "row_list", sparse.row_list, self.write_row_list,
            update.row_read_enable, update.row_read_address, update.row_data,
        )  # fmt: skip
        for core in range(sparse.cores):
            keep(
                f"column_list_{core}", sparse.column_list, self.write_column_lists[core],
                update.column_read_enable[core], update.column_read_address[core], update.column_data[core],
            )  # fmt: skip
            keep(
                f"tables_{core}", 2 * sparse.tuples, self.write_tables[core],
                gradient.table_read_enable[core], gradient.table_read_address[core], gradient.table_data[core],
            )  # fmt: skip

    def _grouping(self, m):
        """Sums of the cores' banks, and entries of the grouping matrices."""
        matrices, gradient, update = self._memory, self._gradient, self._update
        for core, banks in enumerate(self.banks):
            m.d.comb += banks.enable.eq(gradient.read_enable[core])
            for bank in range(self.config.weight_banks):
                m.d.comb += [
                    banks.addresses[bank].eq(gradient.read_addresses[core][bank]),
                    gradient.weights[core][bank].eq(banks.weights[bank]),
                    gradient.gradients[core][bank].eq(banks.gradients[bank]),
                ]
            wiring.connect(m, gradient.columns[core], update.columns[core])
        wiring.connect(m, gradient.rows, update.rows)
        of_sparse, of_update = matrices.reads
        wiring.connect(m, wiring.flipped(self.host), matrices.host)
        m.d.comb += [
            self.numbers.eq(matrices.numbers),
            self.squares.eq(matrices.squares),
            of_sparse.enable.eq(self.read_grouping.enable),
            of_sparse.address.eq(self.read_grouping.address),
            self.read_grouping.data.eq(matrices.numbers),
            of_update.enable.eq(update.read_enable),
            of_update.address.eq(update.read_address),
            update.weights.eq(matrices.numbers),
            update.squares.eq(matrices.squares),
            matrices.write_lanes.eq(update.write_lanes),
            matrices.write_address.eq(update.write_address),
            Cat(matrices.new_numbers).eq(update.new_weight.replicate(self.config.weight_banks)),
            Cat(matrices.new_squares).eq(update.new_square.replicate(self.config.weight_banks)),
            *(getattr(update, name).eq(self.rates[name]) for name in RATES),
        ]
