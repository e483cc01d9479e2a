"""LearningGroup as a device: shell, engines, cores."""

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import memory, wiring

from ...cores.float.config import BINARY16, FloatConversionConfig, find_format
from ...cores.float.conversion import FloatConverter
from ...cores.replicated import replicated
from ...cores.sparse.engine import SparseDataEngine
from ...cores.vector.aggregator import Aggregator
from ...cores.vector.matrix_config import WEIGHT_BANKS
from ..shell.engine import connect_engine
from ..shell.shell import Shell, connect_host, system_signature
from .core import LearningGroupCore
from .hardware import LearningGroupHardware
from .instructions import EVERY_CORE, Memory
from .transfer_engine import READ_LATENCY, TransferEngine

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
        m.submodules.transfer = reset(transfer)
        m.submodules.sparse = reset(sparse)
        m.submodules.aggregator = reset(aggregator)
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
        wiring.connect(m, shell.rows_in, transfer.packets_in)
        wiring.connect(m, transfer.packets_out, shell.rows_out)
        self._connect_broadcast(m, shell, "matrix")
        self._connect_broadcast(m, shell, "elementwise")
        self._connect_softmax(m, shell)
        self._connect_aggregator(m, shell, aggregator, transfer)
        self._connect_sparse(m, shell, sparse, transfer)
        self._connect_host(m, transfer)
        errors = {name: Cat(core.errors[name] for core in self.cores).any() for name in
                  ("address_out_of_range", "memory_conflict")}  # fmt: skip
        m.d.sync += [shell.errors[name].eq(flag) for name, flag in errors.items()]
        m.d.sync += shell.errors.nonfinite.eq(
            Cat(core.nonfinite for core in self.cores).any() | aggregator.errors.nonfinite | sparse.errors.not_a_number
        )
        return m

    def _connect_broadcast(self, m, shell, name):
        """A command goes to all cores at once; it is complete when all have completed it."""
        port = getattr(shell.engines, name)
        arguments = getattr(port.commands.payload.arguments, name)
        ready = Cat(getattr(core, name).ready for core in self.cores).all()
        m.d.comb += port.commands.ready.eq(ready)
        waiting = []
        for number, core in enumerate(self.cores):
            commands = getattr(core, name)
            payload = commands.payload
            m.d.comb += commands.valid.eq(port.commands.valid & ready)
            if name == "elementwise":
                self._elementwise_command(m, number, payload, arguments)
            else:
                m.d.comb += [payload[field].eq(arguments[field]) for field, _ in payload.shape()]
            done = Signal(5, name=f"{name}_done_{number}")
            waiting.append((done, getattr(core, f"{name}_done")))
        complete = Signal(name=f"{name}_complete")
        m.d.comb += complete.eq(Cat(done != 0 for done, _ in waiting).all())
        for done, arrives in waiting:
            m.d.sync += done.eq(done + arrives - complete)
        m.d.comb += [
            port.completions.valid.eq(complete),
            port.busy.eq(
                Cat(getattr(core, f"{name}_busy") for core in self.cores).any()
                | Cat(done != 0 for done, _ in waiting).any()
            ),
        ]

    def _elementwise_command(self, m, number, payload, arguments):
        """A core that is not meant gets a pass without features."""
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
            payload[field].eq(arguments[field]) for field in ("exchange", "first", "second", "function", "blocks")
        ]
        here = (arguments.core == EVERY_CORE) | (arguments.core == number)
        m.d.comb += [payload.features.eq(Mux(here, arguments.features, 0)), payload.wait.eq(arguments.after)]

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

    def _connect_sparse(self, m, shell, sparse, transfer):
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
        self.rows_read = {}
        self.rows_read[Memory.GROUPING] = [
            self._parameter_memory(
                m, "grouping", config.grouping_rows, transfer, Memory.GROUPING, None,
                sparse.grouping_read_enable, sparse.grouping_read_address, sparse.grouping_data,
            )
        ]  # fmt: skip
        self.rows_read[Memory.PARAMETER] = []
        for number, core in enumerate(self.cores):
            words = Signal(sparse.parameter_data[number].shape(), name=f"parameters_{number}")
            wide = Signal(config.parameter_bits, name=f"wide_parameters_{number}")
            self.rows_read[Memory.PARAMETER].append(
                self._parameter_memory(
                    m, f"parameter_{number}", config.parameter_rows, transfer, Memory.PARAMETER, number,
                    sparse.parameter_read_enable[number], sparse.parameter_read_address[number], wide,
                )
            )  # fmt: skip
            number_format = find_format(config.device.optimizer_format)
            for lane in range(WEIGHT_BANKS):
                weight = wide.word_select(lane, number_format.width)
                if config.conversion_depth:
                    converter = FloatConverter(
                        FloatConversionConfig(source=number_format, target=BINARY16, depth=config.conversion_depth)
                    )
                    m.submodules[f"converter_{number}_{lane}"] = converter
                    m.d.comb += [converter.a.eq(weight), words[lane].eq(converter.result)]
                else:
                    m.d.comb += words[lane].eq(weight)
            m.d.comb += sparse.parameter_data[number].eq(words)
            m.d.comb += [
                core.write_row_list.enable.eq(sparse.row_write_enable),
                core.write_row_list.address.eq(sparse.row_write_address),
                core.write_row_list.data.eq(sparse.row_write),
                core.write_column_list.enable.eq(sparse.column_write_enable[number]),
                core.write_column_list.address.eq(sparse.column_write_address[number]),
                core.write_column_list.data.eq(sparse.column_write[number]),
                core.write_tables.enable.eq(sparse.table_write_enable[number]),
                core.write_tables.address.eq(sparse.table_write_address[number]),
                *(
                    core.write_tables.data[name].eq(sparse.table_write_entry[number][name])
                    for name, _ in core.write_tables.data.shape()
                ),
            ]
            for bank in range(WEIGHT_BANKS):
                m.d.comb += [
                    core.write_weights[bank].enable.eq(sparse.weight_write_enable[number][bank]),
                    core.write_weights[bank].address.eq(sparse.weight_write_addresses[number][bank]),
                    core.write_weights[bank].data.eq(sparse.weight_write_weights[number][bank]),
                ]
            m.d.comb += sparse.words[number].ready.eq(1)

    def _parameter_memory(self, m, name, rows, transfer, kind, core, enable, address, words):
        """A memory of words of 16 numbers, read by the sparse data engine and the host; returns what the host reads."""
        config = self.config
        m.submodules[name] = bank = memory.Memory(shape=config.parameter_bits, depth=rows, init=[])
        write, read = bank.write_port(), bank.read_port()
        here = Signal(name=f"{name}_here")
        m.d.comb += here.eq(transfer.memory == kind)
        if core is not None:
            m.d.comb += here.eq((transfer.memory == kind) & ((transfer.core == core) | (transfer.core == EVERY_CORE)))
        wanted = Signal(name=f"host_reads_{name}")
        m.d.comb += [
            wanted.eq(transfer.read & here),
            write.en.eq(transfer.write & here),
            write.addr.eq(transfer.row),
            write.data.eq(transfer.write_data),
            read.en.eq(enable | wanted),
            read.addr.eq(Mux(wanted, transfer.row, address)),
            (words if words.shape() == read.data.shape() else words.as_value()).eq(read.data),
        ]
        late = Signal(config.parameter_bits, name=f"{name}_late")
        m.d.sync += late.eq(read.data)
        return late

    def _connect_host(self, m, transfer):
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
                with m.If(memories[-1] == Memory.PARAMETER):
                    m.d.comb += transfer.read_data.eq(self.rows_read[Memory.PARAMETER][number])
        with m.If(memories[-1] == Memory.GROUPING):
            m.d.comb += transfer.read_data.eq(self.rows_read[Memory.GROUPING][0])
