"""The update engine: RMSprop of the unmasked weights of a core, a word of the parameter memory at a time."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..float.config import FloatConversionConfig
from ..float.conversion import FloatConverter
from ..pipeline import delay
from ..replicated import replicated
from ..sparse.address_generator import parameter_word
from ..sparse.compression import WeightExpander
from ..time_sharing import collect, serialize
from .rms_prop_config import RATES
from .rms_prop_lane import RMSpropLane
from .update_config import UpdateConfig

__all__ = ["UpdateEngine", "update_command", "update_errors"]

ADDRESS_WIDTH = 20
COUNT_WIDTH = 16

# Parameters that no mask concerns: `columns` neighbours from word `parameter_base` on, whose gradients are those of a
# single row from address `weight_base` on. Without columns nothing is updated, but what is under way finished.
update_command = data.StructLayout(
    {"parameter_base": ADDRESS_WIDTH, "weight_base": ADDRESS_WIDTH, "columns": COUNT_WIDTH}
)
update_errors = data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})


class UpdateEngine(wiring.Component):
    """Updates the unmasked weights of every word that comes, and on command biases; each lane is an RMSpropLane.

    Number format: gradients are converted from ``gradient_format`` to that of the lane, exactly where it is wider; then
    see :class:`.RMSpropLane`. Masked lanes of a word keep weight and mean square.

    Words of a layer come from the stage ``walk`` of the sparse data engine; its gradients are in banks as its
    compressed weights are. Those of biases are in the banks as weights of a single row of a group that has all columns:
    column p in bank ``p mod banks`` at address ``weight_base + p div banks``.

    Latency: ``latency`` cycles from a word to its write. Throughput: a word every ``interval`` cycles. Words under
    way have different addresses. While a command is done no word is taken, otherwise always after ``interval`` cycles.
    A command of N columns takes ``ceil(N / lanes) * interval + latency`` cycles and a few more.

    Parameters
    ----------
    config : UpdateConfig

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
        ``address_out_of_range``: a command ends behind a memory; nothing is done. ``nonfinite``: what is written in
        this cycle has an infinity or a NaN in a lane that is written.
    gradient_read_enable : Out(banks)
    gradient_read_addresses : out, array of ``banks``
    gradients : in, array of ``banks``
        Of the banks; the data come one cycle after the address.
    read_enable, read_address : out
        Of weights and mean squares.
    weights, squares : in, arrays of ``lanes``
        One cycle after the address.
    write_lanes : Out(lanes)
        Which are written.
    write_address, new_weights, new_squares : out
    alpha, rest, rate, epsilon : In(width)
        Rates; constant while anything is under way.

    Source
    ------
    LearningGroup, III-A and IV-A.
    """

    def __init__(self, config: UpdateConfig):
        self._config = config
        sparse, width = config.sparse, config.rms_prop.format.width
        words = data.ArrayLayout(width, config.lanes)
        self._units = [
            replicated(RMSpropLane(config.rms_prop), name="rms_prop_lane")
            for _ in range(config.lanes // config.interval)
        ]
        address = range(sparse.parameter_words)
        super().__init__(
            {
                "words": In(stream.Signature(parameter_word(sparse))),
                "commands": In(stream.Signature(update_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(update_errors),
                "gradient_read_enable": Out(sparse.banks),
                "gradient_read_addresses": Out(range(sparse.weight_words)).array(sparse.banks),
                "gradients": In(sparse.weight_width).array(sparse.banks),
                "read_enable": Out(1),
                "read_address": Out(address),
                "weights": In(words),
                "squares": In(words),
                "write_lanes": Out(config.lanes),
                "write_address": Out(address),
                "new_weights": Out(words),
                "new_squares": Out(words),
                **{name: In(width) for name in RATES},
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def gradient_latency(self):
        """Cycles from a word to its gradients in the format of the lanes."""
        return 3 + (self._config.conversion_depth if self._config.converts else 0)

    @property
    def latency(self):
        """Cycles from a word to its write."""
        return self.gradient_latency + self._config.interval - 1 + self._units[0].latency

    def elaborate(self, platform):
        m = Module()
        config, sparse = self._config, self._config.sparse
        m.submodules.expander = expander = WeightExpander(sparse)
        dense_word = Signal(parameter_word(sparse))
        self.issue, self.free = Signal(), Signal()
        take = Signal()
        m.d.comb += [
            take.eq(self.words.valid & self.words.ready),
            expander.words.valid.eq(take | self.issue),
            expander.words.payload.eq(Mux(self.issue, dense_word.as_value(), self.words.payload.as_value())),
            self.gradient_read_enable.eq(expander.read_enable),
        ]
        for bank in range(sparse.banks):
            m.d.comb += [
                self.gradient_read_addresses[bank].eq(expander.read_addresses[bank]),
                expander.read_weights[bank].eq(self.gradients[bank]),
            ]

        # Whether there is a word, by the cycles since it came.
        valid = [expander.words.valid]
        for cycle in range(self.latency):
            there = Signal(name=f"valid_{cycle + 1}")
            m.d.sync += there.eq(valid[-1])
            valid.append(there)
        m.d.comb += self.free.eq(1)
        if config.interval > 1:
            m.d.comb += self.free.eq(~Cat(valid[1 : config.interval]).any())
        self._commands(m, dense_word, Cat(valid[1:]).any())
        self._lanes(m, expander, valid)
        return m

    def _commands(self, m, word, under_way):
        """Words of what no mask concerns."""
        sparse = self._config.sparse
        lanes, banks = sparse.lanes, sparse.banks
        payload = self.commands.payload
        left = Signal(COUNT_WIDTH)
        place = Signal(range(banks))
        parameter_end, weight_end = Signal(ADDRESS_WIDTH + 1), Signal(ADDRESS_WIDTH + 1)
        outside = Signal()
        next_place = Signal(range(banks + 1))
        m.d.comb += [
            parameter_end.eq(payload.parameter_base + (payload.columns + (lanes - 1)) // lanes),
            weight_end.eq(payload.weight_base + (payload.columns + (banks - 1)) // banks),
            outside.eq((parameter_end > sparse.parameter_words) | (weight_end > sparse.weight_words)),
            next_place.eq(place + lanes),
            word.phase.eq(place),
            word.turn.eq(place),
            self.words.ready.eq(self.commands.ready & self.free),
            self.busy.eq(~self.commands.ready | under_way),
        ]
        m.d.comb += [word.mask[lane].eq(lane < left) for lane in range(lanes)]
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
                m.d.comb += self.issue.eq(self.free)
                with m.If(self.free):
                    m.d.sync += [
                        word.parameter_address.eq(word.parameter_address + 1),
                        word.weight_address.eq(word.weight_address + (next_place >= banks)),
                        place.eq(next_place),
                        left.eq(left - lanes),
                    ]
                    with m.If(left <= lanes):
                        m.next = "SETTLE"
            with m.State("SETTLE"):
                with m.If(~under_way):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _lanes(self, m, expander, valid):
        """Gradients, weights and mean squares to the units, and what comes out to the memory."""
        config, units = self._config, self._units
        lanes, interval = config.lanes, config.interval
        start = self.gradient_latency
        gradients = list(expander.lanes)
        if config.converts:
            conversion = FloatConversionConfig(
                source=config.gradient_format, target=config.rms_prop.format, depth=config.conversion_depth
            )
            for lane in range(lanes):
                m.submodules[f"converter_{lane}"] = converter = FloatConverter(conversion)
                m.d.comb += converter.a.eq(gradients[lane])
                gradients[lane] = converter.result
        # A memory's word is late in its cycle: the units take it in the next.
        address = delay(m, expander.words.payload.parameter_address, start - 2, "address")
        m.d.comb += [self.read_enable.eq(valid[start - 2]), self.read_address.eq(address)]
        read = {"gradient": gradients}
        for name, words in (("weight", self.weights), ("square", self.squares)):
            word = Signal(words.shape(), name=f"{name}_read", reset_less=True)
            m.d.sync += word.eq(words)
            read[name] = [word[lane] for lane in range(lanes)]
        turns = {name: serialize(m, valid[start], words, interval, name) for name, words in read.items()}
        for number, unit in enumerate(units):
            m.submodules[f"lane_{number}"] = unit
            m.d.comb += [getattr(unit, name).eq(words[number]) for name, words in turns.items()]
            m.d.comb += [getattr(unit, name).eq(getattr(self, name)) for name in RATES]
        nonfinite = Signal(lanes)
        mask = delay(m, expander.word.mask, self.latency - 3, "mask")
        m.d.comb += [
            self.write_lanes.eq(Mux(valid[self.latency], mask, Const(0, lanes))),
            self.write_address.eq(delay(m, address, self.latency - start + 2, "write_address")),
            nonfinite.eq(Cat(collect(m, [unit.nonfinite for unit in units], interval, "nonfinite"))),
            self.errors.nonfinite.eq((nonfinite & self.write_lanes).any()),
        ]
        for port, output in ((self.new_weights, "new_weight"), (self.new_squares, "new_square")):
            words = collect(m, [getattr(unit, output) for unit in units], interval, output)
            m.d.comb += [port[lane].eq(word) for lane, word in enumerate(words)]
