"""The engine of the update: the grouping matrices and what updates them, and commands to the cores."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.config import SharedMemoryConfig
from ..memory.ports import ReadPort, WritePort
from ..memory.shared import SharedMemory, connect_rows
from .core_parameters import bias_command
from .grouping_gradient import GroupingGradient, grouping_gradient_command
from .grouping_update import GroupingUpdate, grouping_update_layer
from .grouping_update_config import GroupingUpdateConfig

__all__ = ["UpdateEngine", "update_engine_command"]


def update_engine_command(config: GroupingUpdateConfig):
    """``biases`` of a layer, in the ``cores`` that have a bit.

    Or, with ``grouping``, the ``gradient`` of a layer's grouping, and where its matrix is (``layer``).
    """
    return data.StructLayout(
        {
            "grouping": 1,
            "cores": config.sparse.cores,
            "biases": bias_command,
            "gradient": grouping_gradient_command,
            "layer": grouping_update_layer,
        }
    )


class UpdateEngine(ConfiguredComponent):
    """Executes commands, one at a time: updates of biases in the cores, updates of the grouping matrices, which it has.

    ::

        commands ──┬──> biases of the cores
                   └──> GroupingGradient ──> rows, columns ──> GroupingUpdate <──> weights, squares <──> host
                              │                                     │                 │
        cores: tables, weights, gradients           row list, column lists         grouping

    Number format: see :class:`.GroupingGradient` and :class:`.GroupingUpdate`.

    Latency: what these, or the cores, take, and three cycles.

    Parameters
    ----------
    config : GroupingUpdateConfig

    Members
    -------
    commands : stream, in
        ``update_engine_command``
    completions, busy, errors
        See :class:`.EngineSignature`. ``address_out_of_range``: tables, or an entry of a grouping matrix, are
        past the end. ``memory_conflict``: two meet at the grouping matrices. ``nonfinite``: a gradient, or a number
        that is written, is infinite or NaN.
    biases : streams, out, array of ``cores``
        ``bias_command``; without columns for a core that is not meant.
    biases_done : In(cores)
    row_list : Out(ReadPort)
    column_lists, tables : Out(ReadPort).array(cores)
        Lists and tables of the sparse data engine.
    weights, gradients : Out(ReadPort).array(cores, banks)
        The banks of the cores.
    grouping : In(ReadPort)
        Words of the grouping matrices, for the sparse data engine.
    read_weights, read_squares : In(ReadPort)
    write_weights, write_squares : In(WritePort)
        Words of the grouping matrices and their mean squares, for a host.
    rates : In(rates_layout)

    Source
    ------
    LearningGroup, section III-A.
    """

    def __init__(self, config: GroupingUpdateConfig):
        sparse = config.sparse
        self._gradient, self._update = GroupingGradient(config.gradient), GroupingUpdate(config)
        of_gradient, of_update = self._gradient.signature.members, self._update.signature.members
        row, rows = data.ArrayLayout(config.rms_prop.format.width, sparse.lanes), sparse.grouping_words
        self._weights = SharedMemory(row, SharedMemoryConfig(depth=rows, readers=3, writers=2, lanes=sparse.lanes))
        self._squares = SharedMemory(row, SharedMemoryConfig(depth=rows, readers=2, writers=2, lanes=sparse.lanes))
        errors = ("address_out_of_range", "memory_conflict", "nonfinite")
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(update_engine_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout(dict.fromkeys(errors, 1))),
                "biases": Out(stream.Signature(bias_command)).array(sparse.cores),
                "biases_done": In(sparse.cores),
                **{name: of_update[name] for name in ("row_list", "column_lists", "rates")},
                **{name: of_gradient[name] for name in ("tables", "weights", "gradients")},
                "grouping": In(ReadPort(row, rows)),
                **{f"read_{name}": In(ReadPort(row, rows)) for name in ("weights", "squares")},
                **{f"write_{name}": In(WritePort(row, rows)) for name in ("weights", "squares")},
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.gradient = gradient = self._gradient
        m.submodules.update = update = self._update
        command = Signal(self.commands.payload.shape())
        for name in ("row_list", "column_lists", "rates"):
            forward_port(m, update, self, name)
        for name in ("tables", "weights", "gradients"):
            forward_port(m, gradient, self, name)
        wiring.connect(m, gradient.rows, update.rows)
        for given, taken in zip(gradient.columns, update.columns, strict=True):
            wiring.connect(m, given, taken)
        self._matrices(m)
        self._control(m, command)
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            gradient.commands.payload.eq(command.gradient),
            update.layer.eq(command.layer),
            self.errors.address_out_of_range.eq(
                gradient.errors.address_out_of_range | update.errors.address_out_of_range
            ),
            self.errors.memory_conflict.eq(self._weights.conflict | self._squares.conflict),
            self.errors.nonfinite.eq(gradient.errors.nonfinite | update.errors.nonfinite),
        ]
        return m

    def _matrices(self, m):
        """The grouping matrices and their mean squares; the update has precedence."""
        m.submodules.weights = weights = self._weights
        m.submodules.squares = squares = self._squares
        wiring.connect(m, self._update.weights, weights.reads[0])
        wiring.connect(m, wiring.flipped(self.grouping), weights.reads[1])
        wiring.connect(m, wiring.flipped(self.read_weights), weights.reads[2])
        wiring.connect(m, self._update.squares, squares.reads[0])
        wiring.connect(m, wiring.flipped(self.read_squares), squares.reads[1])
        wiring.connect(m, self._update.new_weights, weights.writes[0])
        wiring.connect(m, self._update.new_squares, squares.writes[0])
        connect_rows(m, self.write_weights, weights.writes[1])
        connect_rows(m, self.write_squares, squares.writes[1])

    def _control(self, m, command):
        gradient, cores = self._gradient, self.config.sparse.cores
        started, done = Signal(cores), Signal(cores)
        for core, port in enumerate(self.biases):
            m.d.comb += [
                port.payload.eq(command.biases),
                port.payload.columns.eq(Mux(command.cores[core], command.biases.columns, 0)),
            ]
            with m.If(port.valid & port.ready):
                m.d.sync += started[core].eq(1)
        with m.FSM(name="update"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), started.eq(0), done.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "BIASES"
                    with m.If(self.commands.payload.grouping):
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
            with m.State("SETTLE"), m.If(~self._update.busy):
                m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
