"""LearningGroup as a device: shell, engines, cores."""

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring

from ...cores.replicated import replicated
from ...cores.sparse.engine import SparseDataEngine
from ...cores.vector.aggregator import Aggregator
from ..shell.engine import connect_engine
from ..shell.shell import Shell, connect_host, system_signature
from .broadcast import CommandBroadcast
from .core import LearningGroupCore
from .core_parameters import RATES
from .hardware import LearningGroupHardware
from .instructions import EVERY_CORE, Memory
from .parameter_memory import connect_rows
from .transfer_engine import READ_LATENCY, TransferEngine
from .update_control import UpdateControl

__all__ = ["LearningGroupSystem"]


class LearningGroupSystem(wiring.Component):
    """The whole device; docs/learninggroup.md says how a sample travels through it.

    Parameters
    ----------
    config : LearningGroupHardware

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    LearningGroup, figure 3.
    """

    def __init__(self, config: LearningGroupHardware):
        self.config = config
        super().__init__(system_signature(config.shell))

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.shell = shell = Shell(config.shell)
        connect_host(m, self, shell)
        reset = ResetInserter(shell.reset)
        transfer, sparse, aggregator = (
            TransferEngine(config),
            SparseDataEngine(config.sparse),
            Aggregator(config.aggregator),
        )
        update = UpdateControl(config)
        m.submodules.transfer = reset(transfer)
        m.submodules.sparse = reset(sparse)
        m.submodules.aggregator = reset(aggregator)
        m.submodules.update = reset(update)
        self.cores = [
            replicated(LearningGroupCore(config), name="learninggroup_core") for _ in range(config.device.cores)
        ]
        for number, core in enumerate(self.cores):
            m.submodules[f"core_{number}"] = reset(core)
            m.d.comb += [
                core.seed.eq(Cat(shell.registers.seed_low, shell.registers.seed_high)),
                core.load_seed.eq(shell.registers.load_seed.strobe & shell.registers.load_seed.value[number]),
            ]

        connect_engine(m, shell.engines.transfer, transfer)
        connect_engine(m, shell.engines.update, update)
        wiring.connect(m, shell.rows_in, transfer.packets_in)
        wiring.connect(m, transfer.packets_out, shell.rows_out)
        self._connect_broadcast(m, shell, "matrix")
        self._connect_broadcast(m, shell, "elementwise")
        self._connect_softmax(m, shell)
        self._connect_aggregator(m, shell, aggregator, transfer)
        self._connect_sparse(m, shell, sparse, update)
        self._connect_update(m, shell, update, transfer)
        self._connect_host(m, transfer, update)
        errors = {name: Cat(core.errors[name] for core in self.cores).any() for name in
                  ("address_out_of_range", "memory_conflict")}  # fmt: skip
        m.d.sync += [shell.errors[name].eq(flag) for name, flag in errors.items()]
        nonfinite = Cat(core.nonfinite for core in self.cores).any()
        m.d.sync += shell.errors.nonfinite.eq(
            nonfinite | aggregator.errors.nonfinite | sparse.errors.not_a_number | update.nonfinite
        )
        return m

    def _connect_broadcast(self, m, shell, name):
        """A command goes to all cores, a pass in the same cycle; it is complete when all have completed it."""
        port = getattr(shell.engines, name)
        arguments = getattr(port.commands.payload.arguments, name)
        layout = getattr(self.cores[0], name).payload.shape()
        broadcast = CommandBroadcast(layout, len(self.cores), together=name == "elementwise")
        m.submodules[f"{name}_broadcast"] = ResetInserter(shell.reset)(broadcast)
        payload, cores = broadcast.commands.payload.command, broadcast.commands.payload.cores
        if name == "elementwise":
            self._elementwise_command(m, payload, arguments)
            m.d.comb += cores.eq(Mux(arguments.core == EVERY_CORE, (1 << len(self.cores)) - 1, 1 << arguments.core))
        else:
            m.d.comb += [payload[field].eq(arguments[field]) for field, _ in layout]
            m.d.comb += cores.eq(arguments.cores)
        m.d.comb += [
            broadcast.commands.valid.eq(port.commands.valid),
            port.commands.ready.eq(broadcast.commands.ready),
            port.completions.valid.eq(broadcast.done),
            port.busy.eq(broadcast.busy),
            broadcast.core_done.eq(Cat(getattr(core, f"{name}_done") for core in self.cores)),
            broadcast.core_busy.eq(Cat(getattr(core, f"{name}_busy") for core in self.cores)),
        ]
        for number, (given, core) in enumerate(zip(broadcast.core_commands, self.cores, strict=True)):
            taken = getattr(core, name)
            m.d.comb += [taken.valid.eq(given.valid), given.ready.eq(taken.ready), taken.payload.eq(given.payload)]
            # A pass of no blocks takes its turn and writes nothing; so does a product of no groups.
            nothing = taken.payload.blocks if name == "elementwise" else taken.payload.groups
            with m.If(~broadcast.meant[number]):
                m.d.comb += nothing.eq(0)

    def _elementwise_command(self, m, payload, arguments):
        for name in "abc":
            m.d.comb += [
                payload[name][field].eq(arguments[f"{name}_{field}"]) for field in ("memory", "base", "stride", "block")
            ]
        for index in range(2):
            m.d.comb += [
                payload.destinations[index][field].eq(arguments[f"{field}_{index}"])
                for field in ("memory", "base", "stride", "after_function")
            ]
        m.d.comb += [
            payload[field].eq(arguments[field])
            for field in ("exchange", "first", "second", "function", "features", "blocks")
        ]
        m.d.comb += payload.wait.eq(arguments.after)

    def _connect_softmax(self, m, shell):
        port = shell.engines.softmax
        arguments = port.commands.payload.arguments.choose
        for number, core in enumerate(self.cores):
            here = Signal(name=f"chooses_{number}")
            m.d.comb += [
                here.eq(arguments.core == number),
                core.softmax.valid.eq(port.commands.valid & here),
                core.softmax.payload.choices.eq(arguments.choices),
                core.softmax.payload.blocks.eq(arguments.blocks),
            ]
            with m.If(here):
                m.d.comb += port.commands.ready.eq(core.softmax.ready)
        # Units of different cores may choose at a time; one completion a cycle.
        left = Signal(8)
        done = sum((core.softmax_done for core in self.cores), start=Signal(1, name="none_done"))
        m.d.sync += left.eq(left + done - port.completions.valid)
        m.d.comb += [
            port.completions.valid.eq(left != 0),
            port.busy.eq(Cat(core.softmax_busy for core in self.cores).any() | (left != 0)),
        ]

    def _connect_aggregator(self, m, shell, aggregator, transfer):
        port = shell.engines.aggregator
        arguments = port.commands.payload.arguments.aggregate
        m.d.comb += [
            aggregator.commands.valid.eq(port.commands.valid),
            port.commands.ready.eq(aggregator.commands.ready),
            *(aggregator.commands.payload[name].eq(arguments[name]) for name, _ in aggregator.commands.payload.shape()),
            port.completions.valid.eq(aggregator.completions.valid),
            aggregator.completions.ready.eq(1),
            port.busy.eq(aggregator.busy),
        ]
        blocks = self.config.device.blocks
        late_core = Signal.like(transfer.core)
        later_core = Signal.like(transfer.core)
        m.d.sync += [late_core.eq(transfer.core), later_core.eq(late_core)]
        shared = Signal(blocks * self.config.block_bits)
        for number, core in enumerate(self.cores):
            m.d.comb += [
                core.read_results.enable.eq(aggregator.read_enable),
                core.read_results.address.eq(aggregator.read_address),
                aggregator.words[number].eq(Cat(core.read_results.data)),
            ]
            with m.If(later_core == number):
                m.d.comb += shared.eq(core.host.read_word)
        for number, core in enumerate(self.cores):
            owner = aggregator.write_core == number
            m.d.comb += [
                core.aggregate.blocks.eq(
                    Mux(transfer.copy_write, (1 << blocks) - 1, Mux(owner, aggregator.write_blocks, 0))
                ),
                core.aggregate.address.eq(Mux(transfer.copy_write, transfer.copy_address, aggregator.write_address)),
                core.aggregate.word.eq(Mux(transfer.copy_write, shared, aggregator.write_word)),
            ]

    def _connect_sparse(self, m, shell, sparse, update):
        config = self.config
        port = shell.engines.sparse
        arguments = port.commands.payload.arguments.group
        payload = sparse.commands.payload
        stages = ("find", "encode", "transpose", "compress", "walk", "every_word")
        bases = ("grouping", "index", "group", "row", "column", "weight", "parameter")
        m.d.comb += [
            sparse.commands.valid.eq(port.commands.valid),
            port.commands.ready.eq(sparse.commands.ready),
            *(payload[name].eq(arguments[name]) for name in (*stages, "groups", "rows")),
            *(payload[f"{name}_base"].eq(arguments[f"{name}_base"]) for name in bases),
            *(
                payload.columns[number].eq(Mux(arguments.cores[number], arguments.columns, 0))
                for number in range(config.device.cores)
            ),
            port.completions.valid.eq(sparse.completions.valid),
            sparse.completions.ready.eq(1),
            port.busy.eq(sparse.busy),
            port.errors.address_out_of_range.eq(
                sparse.errors.address_out_of_range | sparse.errors.too_many_groups | sparse.errors.missing_tuple
            ),
        ]
        read = update.read_grouping
        m.d.comb += [
            read.enable.eq(sparse.grouping_read_enable),
            read.address.eq(sparse.grouping_read_address),
            sparse.grouping_data.eq(read.data),
            update.write_row_list.enable.eq(sparse.row_write_enable),
            update.write_row_list.address.eq(sparse.row_write_address),
            update.write_row_list.data.eq(sparse.row_write),
        ]
        for number, core in enumerate(self.cores):
            read = core.read_parameters
            m.d.comb += [
                read.enable.eq(sparse.parameter_read_enable[number]),
                read.address.eq(sparse.parameter_read_address[number]),
                sparse.parameter_data[number].eq(read.data),
            ]
            wiring.connect(m, sparse.words[number], core.words)
            m.d.comb += [
                core.write_row_list.enable.eq(sparse.row_write_enable),
                core.write_row_list.address.eq(sparse.row_write_address),
                core.write_row_list.data.eq(sparse.row_write),
            ]
            for write in (core.write_column_list, update.write_column_lists[number]):
                m.d.comb += [
                    write.enable.eq(sparse.column_write_enable[number]),
                    write.address.eq(sparse.column_write_address[number]),
                    write.data.eq(sparse.column_write[number]),
                ]
            for write in (core.write_tables, update.write_tables[number]):
                m.d.comb += [
                    write.enable.eq(sparse.table_write_enable[number]),
                    write.address.eq(sparse.table_write_address[number]),
                    *(write.data[name].eq(sparse.table_write_entry[number][name]) for name, _ in write.data.shape()),
                ]
            for bank in range(self.config.weight_banks):
                m.d.comb += [
                    core.write_weights[bank].enable.eq(sparse.weight_write_enable[number][bank]),
                    core.write_weights[bank].address.eq(sparse.weight_write_addresses[number][bank]),
                    core.write_weights[bank].data.eq(sparse.weight_write_weights[number][bank]),
                ]

    def _connect_update(self, m, shell, update, transfer):
        """Commands of the update, and the grouping matrices for the host."""
        registers = shell.registers
        rates = Signal(update.rates.shape())
        m.d.comb += [rates[name].eq(getattr(registers, name)) for name in RATES]
        m.d.comb += [
            update.rates.eq(rates),
            update.biases_done.eq(Cat(core.biases_done for core in self.cores)),
        ]
        connect_rows(m, update.host, transfer, numbers=Memory.GROUPING, squares=Memory.GROUPING_SQUARE)
        for number, core in enumerate(self.cores):
            wiring.connect(m, update.biases[number], core.biases)
            wiring.connect(m, update.banks[number], core.banks)
            m.d.comb += core.rates.eq(rates)
            with m.If(registers.random_core == number):
                m.d.comb += Cat(registers.random_low, registers.random_high).eq(core.random_state)

    def _connect_host(self, m, transfer, update):
        """Rows from and to the memories of cores, and activations to all of them."""
        config = self.config
        blocks, block_bits = config.device.blocks, config.block_bits
        shift = (blocks - 1).bit_length()
        to_activation = Signal()
        m.d.comb += to_activation.eq(transfer.write & (transfer.memory == Memory.ACTIVATION))
        host_blocks = Signal(blocks)
        m.d.comb += host_blocks.eq(1 << transfer.row[:shift])
        memories, cores = [transfer.memory], [transfer.core]
        for stage in range(READ_LATENCY):
            late_memory = Signal(4, name=f"memory_{stage}")
            late_core = Signal(5, name=f"core_{stage}")
            m.d.sync += [late_memory.eq(memories[-1]), late_core.eq(cores[-1])]
            memories.append(late_memory)
            cores.append(late_core)
        m.d.comb += [
            transfer.read_taken.eq(Cat(core.host.read_taken for core in self.cores).any()),
            transfer.write_taken.eq(Cat(core.host.write_taken for core in self.cores).any()),
        ]
        for number, core in enumerate(self.cores):
            here = Signal(name=f"host_here_{number}")
            m.d.comb += [
                here.eq((transfer.core == number) | (transfer.core == EVERY_CORE)),
                core.host.memory.eq(transfer.memory),
                core.host.row.eq(transfer.row),
                core.host.write.eq(transfer.write & here),
                core.host.write_data.eq(transfer.write_data),
                core.host.read.eq(transfer.read & here),
            ]
            # Elementwise units walk in step, so that the blocks of one core's words are those of all.
            m.d.comb += core.write_activation_blocks.eq(
                Mux(to_activation, host_blocks, self.cores[0].activation.blocks)
            )
            for owner, other in enumerate(self.cores):
                port = core.write_activations[owner]
                shared = other.activation
                m.d.comb += [
                    port.enable.eq(Mux(to_activation, transfer.core == owner, shared.blocks.any())),
                    port.address.eq(Mux(to_activation, transfer.row >> shift, shared.address)),
                    Cat(port.data).eq(
                        Mux(to_activation, transfer.write_data[:block_bits].replicate(blocks), shared.word)
                    ),
                ]
            with m.If(cores[-1] == number):
                m.d.comb += transfer.read_data.eq(core.host.read_data)
        for memory, words in ((Memory.GROUPING, update.numbers), (Memory.GROUPING_SQUARE, update.squares)):
            late = Signal.like(words.as_value(), name=f"{memory.name.lower()}_late")
            m.d.sync += late.eq(words)
            with m.If(memories[-1] == memory):
                m.d.comb += transfer.read_data.eq(late)
