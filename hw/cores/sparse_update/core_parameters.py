"""The parameters of a core: their memories, their update, and the biases' way to the elementwise unit."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.config import FloatConversionConfig
from ..float.conversion import FloatConverter
from ..forwarding import forward_port
from ..layouts import layout_of_fields, take_fields
from ..memory.config import SharedMemoryConfig
from ..memory.ports import ReadPort, WritePort
from ..memory.shared import SharedMemory, connect_rows
from ..pipeline import delay
from .core_parameters_config import CoreParametersConfig
from .weight_update import WeightUpdate, update_command

__all__ = ["CoreParameters", "bias_command"]

# A layer's biases: see WeightUpdate; the first of their places among the scalars.
bias_command = data.StructLayout(update_command.members | {"scalar_base": 20})
# Its fields that the copy to the scalars needs.
COPIED = ("columns", "parameter_base", "scalar_base")


class CoreParameters(ConfiguredComponent):
    """The parameters of a core and their mean squares, with what updates them.

    ::

        words, commands ──> WeightUpdate <──> weights, squares <──> host
                                                 │
                        parameters <── rounded ──┴──> a bias a cycle ── rounded ──> scalars

    Number format: ``update.rms_prop``'s; who reads parameters or scalars gets them in ``update.gradient_format``,
    rounded to nearest even.

    Latency: parameters come ``parameter_latency`` cycles after the address. A command takes what it takes the
    WeightUpdate, then copies the biases, one a cycle.

    Parameters
    ----------
    config : CoreParametersConfig

    Members
    -------
    parameters : In(ReadPort)
        Words of ``lanes`` weights.
    words : stream, in
        ``parameter_word`` of the walk over sparse data: what is to be updated.
    commands : stream, in
        ``bias_command``: what came before is finished, then a layer's biases are updated and copied to the scalars.
        Words that come before it is done may meet the copy: ``memory_conflict``.
    done : Out(1)
        A command is complete, and all words that came before it.
    busy : Out(1)
    errors : Out
        ``address_out_of_range``, ``memory_conflict``, ``nonfinite``; the last: of what is written in this cycle.
    gradients : Out(ReadPort).array(banks)
    scalars : Out(WritePort)
    read_weights, read_squares : In(ReadPort)
    write_weights, write_squares : In(WritePort)
        Words for a host, in the format of the update. Who meets the update there raises ``memory_conflict``.
    rates : In(rates_layout)
        Constant while anything is under way.

    Source
    ------
    LearningGroup, section III-A and III-C.
    """

    def __init__(self, config: CoreParametersConfig):
        update, sparse = config.update, config.update.sparse
        self._update = WeightUpdate(update)
        rows = sparse.parameter_words
        row = data.ArrayLayout(update.rms_prop.format.width, update.lanes)
        weights = data.ArrayLayout(sparse.weight_width, update.lanes)
        of_update = self._update.signature.members
        read, write = In(ReadPort(row, rows)), In(WritePort(row, rows))
        self._weights = SharedMemory(row, SharedMemoryConfig(depth=rows, readers=4, writers=2, lanes=update.lanes))
        self._squares = SharedMemory(row, SharedMemoryConfig(depth=rows, readers=2, writers=2, lanes=update.lanes))
        super().__init__(
            config,
            {
                "parameters": In(ReadPort(weights, rows, sparse.parameter_latency)),
                "words": of_update["words"],
                "commands": In(stream.Signature(bias_command)),
                "done": Out(1),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1, "memory_conflict": 1, "nonfinite": 1})),
                "gradients": of_update["gradients"],
                "scalars": Out(WritePort(sparse.weight_width, config.scalars)),
                "read_weights": read,
                "read_squares": read,
                "write_weights": write,
                "write_squares": write,
                "rates": of_update["rates"],
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.weights = weights = self._weights
        m.submodules.squares = squares = self._squares
        m.submodules.update = update = self._update
        for name in ("words", "gradients", "rates"):
            forward_port(m, update, self, name)
        # The first of each has precedence.
        to_update, to_scalars, to_parameters, to_host = weights.reads
        wiring.connect(m, update.weights, to_update)
        wiring.connect(m, update.squares, squares.reads[0])
        wiring.connect(m, wiring.flipped(self.read_weights), to_host)
        wiring.connect(m, wiring.flipped(self.read_squares), squares.reads[1])
        for memory, written, host in (
            (weights, update.new_weights, self.write_weights),
            (squares, update.new_squares, self.write_squares),
        ):
            wiring.connect(m, written, memory.writes[0])
            connect_rows(m, host, memory.writes[1])
        m.d.comb += [
            to_parameters.enable.eq(self.parameters.enable),
            to_parameters.address.eq(self.parameters.address),
            *(
                weight.eq(self._rounded(m, number, f"weight_{lane}"))
                for lane, (weight, number) in enumerate(zip(self.parameters.data, to_parameters.data, strict=True))
            ),
            self.errors.memory_conflict.eq(weights.conflict | squares.conflict),
            self.errors.nonfinite.eq(update.errors.nonfinite),
        ]
        self._copy_biases(m, to_scalars)
        return m

    def _rounded(self, m, number, name):
        """A parameter in the format in which others read it, ``conversion_depth`` cycles later."""
        update = self.config.update
        if not update.converts:
            return number
        converter = FloatConverter(
            FloatConversionConfig(
                source=update.rms_prop.format, target=update.gradient_format, depth=self.config.conversion_depth
            )
        )
        m.submodules[f"converter_of_{name}"] = converter
        m.d.comb += converter.a.eq(number)
        return converter.result

    def _copy_biases(self, m, read):
        """Commands: the update's part, then the copy of the biases to the scalars."""
        update, scalars, given = self._update, self.scalars, self.commands.payload
        command = Signal(layout_of_fields(bias_command, COPIED), reset_less=True)
        place = Signal(len(command.columns), reset_less=True)
        reading = Signal()
        # Memory, lane, conversion.
        latency = 2 + self.config.conversion_depth
        under_way = [reading]
        for cycle in range(1, latency + 1):
            late = Signal(name=f"copying_{cycle}")
            m.d.sync += late.eq(under_way[-1])
            under_way.append(late)
        lane_bits = (self.config.update.lanes - 1).bit_length()
        width = self.config.update.rms_prop.format.width
        lane, number = Signal(lane_bits, reset_less=True), Signal(width, reset_less=True)
        target = Signal(21)
        m.d.sync += [lane.eq(place), number.eq(read.data[lane])]
        m.d.comb += [
            *(update.commands.payload[name].eq(given[name]) for name, _ in update_command),
            read.enable.eq(reading),
            read.address.eq(command.parameter_base + (place >> lane_bits)),
            target.eq(delay(m, command.scalar_base + place, latency, "target")),
            scalars.enable.eq(under_way[-1] & (target < self.config.scalars)),
            scalars.address.eq(target),
            scalars.data.eq(self._rounded(m, number, "bias")),
            self.busy.eq(update.busy | ~self.commands.ready),
            self.errors.address_out_of_range.eq(update.errors.address_out_of_range | under_way[-1] & ~scalars.enable),
        ]
        self._control(m, command, place, reading, Cat(under_way).any())

    def _control(self, m, command, place, reading, copying):
        """The update of a command's biases, and then their places one after another."""
        update, refused = self._update, Signal()
        with m.FSM(name="biases"):
            with m.State("IDLE"):
                m.d.comb += [
                    self.commands.ready.eq(update.commands.ready),
                    update.commands.valid.eq(self.commands.valid),
                ]
                m.d.sync += [place.eq(0), *take_fields(command, self.commands.payload)]
                with m.If(self.commands.valid & update.commands.ready):
                    m.d.sync += refused.eq(update.errors.address_out_of_range)
                    m.next = "UPDATE"
            with m.State("UPDATE"):
                m.d.comb += update.completions.ready.eq(1)
                with m.If(update.completions.valid):
                    m.next = "COPY"
                    with m.If(refused | (command.columns == 0)):
                        m.next = "COMPLETE"
            with m.State("COPY"):
                m.d.comb += reading.eq(1)
                m.d.sync += place.eq(place + 1)
                with m.If(place + 1 == command.columns):
                    m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~copying):
                m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
