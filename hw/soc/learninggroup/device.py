"""LearningGroup as a device: shell, engines, cores."""

from amaranth.hdl import Cat, Mux, ResetInserter, Signal
from amaranth.lib import wiring

from ...cores.engine import connect_engine
from ...cores.memory.arbiter import WriteArbiter
from ...cores.memory.config import ArbiterConfig
from ...cores.memory.host_map import HostMap
from ...cores.optimizer.rms_prop_config import RATES
from ...cores.replicated import replicated
from ...cores.sparse.command import STEPS
from ...cores.sparse.core import LIST_READERS
from ...cores.sparse.engine import SparseDataEngine
from ...cores.sparse_update.update_engine import UpdateEngine
from ...cores.vector.aggregator import Aggregator
from ..shell.system import System
from ..shell.transfer_config import TransferKind
from ..shell.transfer_engine import TransferEngine
from .broadcast import CommandBroadcast
from .core import CORE_REGIONS, LearningGroupCore
from .instructions import COPY, EVERY_CORE, LOAD, UPDATE_BIASES, UPDATE_GROUPING

__all__ = ["LearningGroupSystem"]

# Readers of the lists and tables.
OF_UPDATE, OF_MATRIX = range(LIST_READERS)
BASES = ("grouping", "index", "group", "row", "column", "weight", "parameter")


class LearningGroupSystem(System):
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

    def connect_engines(self, m, shell):
        config = self.config
        reset = ResetInserter(shell.reset)
        sparse, update = SparseDataEngine(config.sparse), UpdateEngine(config.grouping_update)
        aggregator = Aggregator(config.aggregator)
        m.submodules.sparse = reset(sparse)
        m.submodules.update = reset(update)
        m.submodules.aggregator = reset(aggregator)
        cores = [replicated(LearningGroupCore(config), name="learninggroup_core") for _ in range(config.device.cores)]
        for number, core in enumerate(cores):
            m.submodules[f"core_{number}"] = reset(core)
        _connect_broadcast(m, shell, cores, "matrix", reset)
        _connect_broadcast(m, shell, cores, "elementwise", reset)
        _connect_softmax(m, shell, cores)
        _connect_aggregator(m, shell, aggregator, cores)
        _connect_sparse(m, shell, sparse, cores)
        _connect_update(m, shell, update, sparse, cores)
        self._connect_memories(m, shell, update, cores, reset)
        _connect_flags(m, shell, sparse, cores)

    def _connect_memories(self, m, shell, update, cores, reset):
        """The memories that the host sees, and the transfer engine that moves rows to and from them."""
        config = self.config
        m.submodules.transfer = transfer = reset(TransferEngine(config.transfer))
        m.submodules.host_map = host = reset(HostMap(config.host_map))
        port = shell.engines.transfer
        load, copy = port.commands.payload.arguments.load, port.commands.payload.arguments.copy
        opcode = port.commands.payload.opcode
        copying = opcode == COPY.opcode
        others = Mux(opcode == LOAD.opcode, TransferKind.LOAD, TransferKind.STORE)
        command = {
            "kind": Mux(copying, TransferKind.COPY, others),
            "memory": load.memory,
            "core": load.core,
            "base": Mux(copying, copy.base * config.device.blocks, load.base),
            "count": Mux(copying, copy.words, load.count),
            "target": copy.target,
        }
        connect_engine(m, port, transfer, command)
        wiring.connect(m, shell.rows_in, transfer.packets_in)
        wiring.connect(m, transfer.packets_out, shell.rows_out)
        wiring.connect(m, transfer.accesses, host.accesses)
        m.d.comb += [transfer.answers.eq(host.answers), transfer.waiting.eq(host.waiting)]
        for number, core in enumerate(cores):
            for name in CORE_REGIONS:
                wiring.connect(m, getattr(host, name)[number][0], getattr(core.host, name))
            m.d.comb += [
                core.copies.enable.eq(transfer.copies.enable),
                core.copies.address.eq(transfer.copies.address),
                core.copies.data.eq(transfer.copies.data),
            ]
        for region, read, write in (
            (host.grouping, update.read_weights, update.write_weights),
            (host.grouping_square, update.read_squares, update.write_squares),
        ):
            wiring.connect(m, region[0][0].read, read)
            wiring.connect(m, region[0][0].write, write)
        self._connect_activations(m, host, cores)

    def _connect_activations(self, m, host, cores):
        """Activations of a core, or its features from the host, to its bank in all cores."""
        for owner, core in enumerate(cores):
            port, given = core.activation.signature, host.activation[owner][0]
            size = ArbiterConfig(depth=port.depth, users=2, lanes=port.lanes)
            m.submodules[f"activations_{owner}"] = arbiter = WriteArbiter(port.shape, size)
            wiring.connect(m, core.activation, arbiter.users[0])
            wiring.connect(m, given.write, arbiter.users[1])
            m.d.comb += given.write_granted.eq(arbiter.granted[1])
            for other in cores:
                wiring.connect(m, arbiter.port, other.write_activations[owner])


def _connect_broadcast(m, shell, cores, name, reset):
    """A command goes to all cores, a pass in the same cycle; it is complete when all have completed it."""
    port = getattr(shell.engines, name)
    arguments = getattr(port.commands.payload.arguments, name)
    layout = getattr(cores[0], name).payload.shape()
    together = name == "elementwise"
    broadcast = CommandBroadcast(layout, len(cores), together=together)
    m.submodules[f"{name}_broadcast"] = reset(broadcast)
    payload, meant = broadcast.commands.payload.command, broadcast.commands.payload.cores
    if together:
        _elementwise_command(m, payload, arguments)
        m.d.comb += meant.eq(Mux(arguments.core == EVERY_CORE, (1 << len(cores)) - 1, 1 << arguments.core))
    else:
        m.d.comb += [*(payload[field].eq(arguments[field]) for field, _ in layout), meant.eq(arguments.cores)]
    m.d.comb += [
        broadcast.commands.valid.eq(port.commands.valid),
        port.commands.ready.eq(broadcast.commands.ready),
        port.completions.valid.eq(broadcast.done),
        port.busy.eq(broadcast.busy),
        broadcast.core_done.eq(Cat(getattr(core, f"{name}_done") for core in cores)),
        broadcast.core_busy.eq(Cat(getattr(core, f"{name}_busy") for core in cores)),
    ]
    for number, (given, core) in enumerate(zip(broadcast.core_commands, cores, strict=True)):
        taken = getattr(core, name)
        wiring.connect(m, given, taken)
        # A pass of no blocks takes its turn and writes nothing; so does a product of no groups.
        nothing = taken.payload.blocks if together else taken.payload.groups
        with m.If(~broadcast.meant[number]):
            m.d.comb += nothing.eq(0)


def _elementwise_command(m, payload, arguments):
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


def _connect_softmax(m, shell, cores):
    port = shell.engines.softmax
    arguments = port.commands.payload.arguments.choose
    for number, core in enumerate(cores):
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
    done = sum((core.softmax_done for core in cores), start=Signal(1, name="none_done"))
    m.d.sync += left.eq(left + done - port.completions.valid)
    m.d.comb += [
        port.completions.valid.eq(left != 0),
        port.busy.eq(Cat(core.softmax_busy for core in cores).any() | (left != 0)),
    ]


def _connect_aggregator(m, shell, aggregator, cores):
    port = shell.engines.aggregator
    arguments = port.commands.payload.arguments.aggregate
    connect_engine(m, port, aggregator, {name: arguments[name] for name, _ in aggregator.commands.payload.shape()})
    for core, read, write in zip(cores, aggregator.reads, aggregator.writes, strict=True):
        wiring.connect(m, read, core.read_results)
        wiring.connect(m, write, core.aggregate)


def _connect_sparse(m, shell, sparse, cores):
    port, payload = shell.engines.sparse, sparse.commands.payload
    arguments = port.commands.payload.arguments.group
    names = (*STEPS, "every_word", "groups", "rows", *(f"{name}_base" for name in BASES))
    m.d.comb += [
        sparse.commands.valid.eq(port.commands.valid),
        port.commands.ready.eq(sparse.commands.ready),
        *(payload[name].eq(arguments[name]) for name in names),
        port.completions.valid.eq(sparse.completions.valid),
        sparse.completions.ready.eq(port.completions.ready),
        port.busy.eq(sparse.busy),
        port.errors.address_out_of_range.eq(
            sparse.errors.address_out_of_range | sparse.errors.too_many_groups | sparse.errors.missing_tuple
        ),
    ]
    for number, core in enumerate(cores):
        m.d.comb += payload.columns[number].eq(Mux(arguments.cores[number], arguments.columns, 0))
        wiring.connect(m, sparse.parameters[number], core.parameters)
        wiring.connect(m, sparse.words[number], core.words)
        rows, columns, table = (
            ports[number][OF_MATRIX] for ports in (sparse.read_row_lists, sparse.read_column_lists, sparse.read_tables)
        )
        wiring.connect(m, core.read_row_list, rows)
        for given, bank in zip(sparse.weights[number], core.write_weights, strict=True):
            wiring.connect(m, given, bank)
        # The matrix engine has narrower fields, and no use for a group's number.
        m.d.comb += [
            columns.enable.eq(core.read_column_list.enable),
            columns.address.eq(core.read_column_list.address),
            core.read_column_list.data.eq(columns.data),
            table.enable.eq(core.read_tables.enable),
            table.address.eq(core.read_tables.address),
            *(core.read_tables.data[name].eq(table.data[name]) for name, _ in core.read_tables.data.shape()),
        ]


def _connect_update(m, shell, update, sparse, cores):
    """Commands of the update, the lists and banks that it reads, and what it has the cores do."""
    port, payload = shell.engines.update, update.commands.payload
    biases, grouping = (
        port.commands.payload.arguments[instruction.name] for instruction in (UPDATE_BIASES, UPDATE_GROUPING)
    )
    connect_engine(m, port, update, {"cores": biases.cores})
    m.d.comb += [
        payload.grouping.eq(port.commands.payload.opcode == UPDATE_GROUPING.opcode),
        *(payload.biases[name].eq(biases[name]) for name, _ in payload.biases.shape()),
        *(payload.layer[name].eq(grouping[name]) for name, _ in payload.layer.shape()),
        payload.gradient.table_base.eq(grouping.table),
        payload.gradient.groups.eq(grouping.groups),
        payload.gradient.columns.eq(grouping.columns),
        update.biases_done.eq(Cat(core.biases_done for core in cores)),
    ]
    wiring.connect(m, sparse.grouping, update.grouping)
    wiring.connect(m, update.row_list, sparse.read_row_lists[0][OF_UPDATE])
    registers = shell.registers
    m.d.comb += [update.rates[name].eq(getattr(registers, name)) for name in RATES]
    for number, core in enumerate(cores):
        wiring.connect(m, update.column_lists[number], sparse.read_column_lists[number][OF_UPDATE])
        wiring.connect(m, update.tables[number], sparse.read_tables[number][OF_UPDATE])
        wiring.connect(m, update.biases[number], core.biases)
        for given, taken in ((update.weights, core.read_weights), (update.gradients, core.read_gradients)):
            for reader, bank in zip(given[number], taken, strict=True):
                wiring.connect(m, reader, bank)
        m.d.comb += [
            core.rates.eq(update.rates),
            core.seed.eq(Cat(registers.seed_low, registers.seed_high)),
            core.load_seed.eq(registers.load_seed.strobe & registers.load_seed.value[number]),
        ]
        with m.If(registers.random_core == number):
            m.d.comb += Cat(registers.random_low, registers.random_high).eq(core.random_state)


def _connect_flags(m, shell, sparse, cores):
    """Flags of the cores and of the grouping matrices, a cycle later: they come from everywhere."""
    for name, _ in cores[0].errors.shape():
        raised = Cat(core.errors[name] for core in cores).any()
        m.d.sync += shell.errors[name].eq(raised | sparse.errors.not_a_number if name == "nonfinite" else raised)
