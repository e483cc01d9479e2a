"""The update of weights: RMSprop of the unmasked weights of a core, a word of the parameter memory at a time."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.config import FloatConversionConfig
from ..float.conversion import FloatConverter
from ..layouts import take_fields
from ..memory.ports import ReadPort, WritePort
from ..optimizer.float_lane import rates_layout
from ..optimizer.lane_sweep import sweep_lanes
from ..optimizer.rms_prop_config import RATES, RMS_PROP
from ..optimizer.rms_prop_lane import RMSpropLane
from ..pipeline import delay
from ..replicated import replicated
from ..sparse.address_generator import parameter_word
from ..sparse.compression import WeightExpander
from .weight_update_config import WeightUpdateConfig

__all__ = ["WeightUpdate", "update_command", "update_errors"]

ADDRESS_WIDTH = 20
COUNT_WIDTH = 16

# Parameters that no mask concerns: `columns` neighbours from word `parameter_base` on, whose gradients are those of a
# single row from address `weight_base` on. Without columns nothing is updated, but what is under way finished.
update_command = data.StructLayout(
    {"parameter_base": ADDRESS_WIDTH, "weight_base": ADDRESS_WIDTH, "columns": COUNT_WIDTH}
)
update_errors = data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})


class WeightUpdate(ConfiguredComponent):
    """Updates the unmasked weights of every word that comes, and on command biases; each lane is an RMSpropLane.

    ::

        words ────┬──> WeightExpander ──> gradients ──> conversion ──┐
        commands ─┘          └──> weights, mean squares ─────────────┴──> lanes ──> new weights, mean squares

    Number format: gradients are converted from ``gradient_format`` to that of the lane, exactly where it is wider; then
    see :class:`.RMSpropLane`. Masked lanes of a word keep weight and mean square.

    Words of a layer come from the step ``walk`` of the sparse data engine; its gradients are in banks as its
    compressed weights are. Gradients of biases are there as weights of a single row of a group that has all columns:
    column p in bank ``p mod banks`` at address ``weight_base + p div banks``.

    Latency: ``latency`` cycles from a word to its write. Throughput: a word every ``interval`` cycles. Words under
    way have different addresses. While a command is done no word is taken, otherwise always after ``interval`` cycles.
    A command of N columns takes ``ceil(N / lanes) * interval + latency`` cycles and a few more.

    Parameters
    ----------
    config : WeightUpdateConfig

    Members
    -------
    words : stream, in
        ``parameter_word`` of the sparse data engine.
    commands : stream, in
        ``update_command``
    completions : stream, out
        One for each command, when it and all words that came before it are written.
    busy : Out(1)
        Something is under way.
    errors : out, ``update_errors``
        ``address_out_of_range``: a command ends past a memory; nothing is done. ``nonfinite``: what is written in
        this cycle has an infinity or a NaN in a lane that is written.
    gradients : Out(ReadPort).array(banks)
    weights, squares : Out(ReadPort)
        The parameter memory and that of the mean squares.
    new_weights, new_squares : Out(WritePort)
        The same, with an enable for each lane.
    rates : In(rates_layout)
        Constant while anything is under way.

    Source
    ------
    LearningGroup, III-A and IV-A.
    """

    def __init__(self, config: WeightUpdateConfig):
        sparse = config.sparse
        row = data.ArrayLayout(config.rms_prop.format.width, config.lanes)
        self._expander = WeightExpander(sparse)
        self._units = [
            replicated(RMSpropLane(config.rms_prop), name="rms_prop_lane")
            for _ in range(config.lanes // config.interval)
        ]
        read, write = ReadPort(row, sparse.parameter_words), WritePort(row, sparse.parameter_words, config.lanes)
        super().__init__(
            config,
            {
                "words": In(stream.Signature(parameter_word(sparse))),
                "commands": In(stream.Signature(update_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(update_errors),
                "gradients": self._expander.signature.members["banks"],
                "weights": Out(read),
                "squares": Out(read),
                "new_weights": Out(write),
                "new_squares": Out(write),
                "rates": In(rates_layout(RMS_PROP, config.rms_prop.format)),
            },
        )

    @property
    def gradient_latency(self):
        """Cycles from a word to its gradients in the format of the lanes."""
        return 1 + self._expander.latency + (self.config.conversion_depth if self.config.converts else 0)

    @property
    def latency(self):
        """Cycles from a word to its write."""
        return self.gradient_latency + self.config.interval - 1 + self._units[0].latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.expander = expander = self._expander
        for inner, outer in zip(expander.banks, self.gradients, strict=True):
            wiring.connect(m, inner, wiring.flipped(outer))
        word, dense_word = (Signal(parameter_word(self.config.sparse), name=name) for name in ("word", "dense_word"))
        issue, free = Signal(), Signal()
        # Whether there is a word, by the cycles since it came.
        valid = [Signal(name="valid_0")]
        for cycle in range(1, self.latency + 1):
            late = Signal(name=f"valid_{cycle}")
            m.d.sync += late.eq(valid[-1])
            valid.append(late)
        m.d.comb += [
            free.eq(~Cat(valid[1 : self.config.interval]).any() if self.config.interval > 1 else 1),
            valid[0].eq((self.words.valid & self.words.ready) | issue),
            word.eq(Mux(issue, dense_word.as_value(), self.words.payload.as_value())),
            expander.words.valid.eq(valid[1]),
        ]
        # The addresses of gradients are computed from a register, and not from whence a word comes.
        m.d.sync += take_fields(expander.words.payload, word)
        self._commands(m, dense_word, issue, free, Cat(valid[1:]).any())
        self._lanes(m, valid, word.parameter_address)
        return m

    def _commands(self, m, word, issue, free, under_way):
        """Words of what no mask concerns."""
        sparse, payload = self.config.sparse, self.commands.payload
        lanes, banks = sparse.lanes, sparse.banks
        left = Signal(COUNT_WIDTH)
        place, next_place = Signal(range(banks)), Signal(range(banks + 1))
        parameter_end, weight_end = Signal(ADDRESS_WIDTH + 1), Signal(ADDRESS_WIDTH + 1)
        outside = Signal()
        m.d.comb += [
            parameter_end.eq(payload.parameter_base + (payload.columns + (lanes - 1)) // lanes),
            weight_end.eq(payload.weight_base + (payload.columns + (banks - 1)) // banks),
            outside.eq((parameter_end > sparse.parameter_words) | (weight_end > sparse.weight_words)),
            next_place.eq(place + lanes),
            word.phase.eq(place),
            word.turn.eq(place),
            *(word.mask[lane].eq(lane < left) for lane in range(lanes)),
            self.words.ready.eq(self.commands.ready & free),
            self.busy.eq(~self.commands.ready | under_way),
        ]
        with m.FSM(name="update"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [
                    word.parameter_address.eq(payload.parameter_base),
                    word.weight_address.eq(payload.weight_base),
                    place.eq(0),
                    left.eq(payload.columns),
                ]
                with m.If(self.commands.valid):
                    m.next = "DENSE"
                    with m.If(payload.columns == 0):
                        m.next = "SETTLE"
                    with m.Elif(outside):
                        m.d.comb += self.errors.address_out_of_range.eq(1)
                        m.next = "SETTLE"
            with m.State("DENSE"):
                m.d.comb += issue.eq(free)
                with m.If(free):
                    m.d.sync += [
                        word.parameter_address.eq(word.parameter_address + 1),
                        word.weight_address.eq(word.weight_address + (next_place >= banks)),
                        place.eq(next_place),
                        left.eq(left - lanes),
                    ]
                    with m.If(left <= lanes):
                        m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~under_way):
                m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _lanes(self, m, valid, parameter_address):
        """Gradients, weights and mean squares to the lanes, and what comes out to the memories."""
        config, expander, start = self.config, self._expander, self.gradient_latency
        lanes = config.lanes
        rows, early = {"gradient": self._converted(m, list(expander.lanes))}, {}
        # A memory's word is late in its cycle: the lanes take it in the next.
        address = delay(m, parameter_address, start - 2, "address")
        for name, port in (("weight", self.weights), ("square", self.squares)):
            m.d.comb += [port.enable.eq(valid[start - 2]), port.address.eq(address)]
            early[name] = [port.data[lane] for lane in range(lanes)]
        outputs = ("new_weight", "new_square", "nonfinite")
        rates = {name: self.rates[name] for name in RATES}
        results = sweep_lanes(
            m, self._units, valid[start], rows, rates, outputs, config.interval, before=valid[start - 1], early=early
        )
        mask = delay(m, expander.mask, self.latency - expander.latency - 1, "mask")
        written, nonfinite = Signal(lanes), Signal(lanes)
        write_address = delay(m, address, self.latency - start + 2, "write_address")
        m.d.comb += [
            written.eq(Mux(valid[self.latency], mask, Const(0, lanes))),
            nonfinite.eq(Cat(results["nonfinite"])),
            self.errors.nonfinite.eq((nonfinite & written).any()),
        ]
        for port, name in ((self.new_weights, "new_weight"), (self.new_squares, "new_square")):
            m.d.comb += [
                port.enable.eq(written),
                port.address.eq(write_address),
                *(port.data[lane].eq(number) for lane, number in enumerate(results[name])),
            ]

    def _converted(self, m, gradients):
        """Gradients in the format of the lanes."""
        config = self.config
        if not config.converts:
            return gradients
        conversion = FloatConversionConfig(
            source=config.gradient_format, target=config.rms_prop.format, depth=config.conversion_depth
        )
        converted = []
        for lane, gradient in enumerate(gradients):
            m.submodules[f"converter_{lane}"] = converter = FloatConverter(conversion)
            m.d.comb += converter.a.eq(gradient)
            converted.append(converter.result)
        return converted
