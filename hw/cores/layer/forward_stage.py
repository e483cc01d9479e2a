"""The forward stage of a layer."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..float.functions.config import FloatFunctionConfig
from ..float.functions.sigmoid_tanh import FloatSigmoidTanh
from ..pipeline import delay
from ..replicated import replicated
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .adder_tree import AdderTree
from .config import AdderTreeConfig, LayerConfig
from .multiply_accumulate import MultiplyAccumulate

__all__ = ["ForwardStage"]

# Cycles from an output whose turn it is to the tree, and behind the tree to where it may be taken.
TO_TREE, BEHIND_TREE = 2, 2


class ForwardStage(wiring.Component):
    """Computes ``activation(W x + b)`` of one sample after another.

    Inputs come one after the other; each is multiplied by all words of its row, and the products are added to the sums
    of all outputs. At the end come the biases, times 1. An output whose sum is not back from the adder when its next
    product is there has several partial sums: row i goes to partial sum ``i % partial_sums``, and these are added as a
    tree (:class:`.AdderTree`) when the sample is complete, for one output a cycle, while the next sample is taken.

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even, and every sum
    starts with its first product. ReLU makes +0 of whatever has a negative sign; NaN stays. For tanh see
    :class:`...float.functions.sigmoid_tanh.FloatSigmoidTanh`.

    Latency: ``latency`` cycles from the first input to the first output, if inputs are there when they are wanted.
    Throughput: a sample in ``config.forward_cycles`` cycles. Back-pressure: a sample is begun while there is
    room for its sums; outputs are made while the buffer behind them has room.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    inputs : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    outputs : Out(stream of width)
    read_enable : Out(1)
    read_address : Out(range(words))
        Of the weight memory: row after row.
    word : In(width).array(units)
        In the next cycle.
    idle : Out(1)
        No sample is under way; outputs may wait.
    errors : Out
        ``nonfinite``: an output is infinite or NaN.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6. Of its own: the order of the loops, so that all stages share
    the layout of the weights, and partial sums.
    """

    def __init__(self, config: LayerConfig):
        self._config = config
        width = config.arithmetic.format.width
        self._tree = AdderTree(AdderTreeConfig(terms=config.partial_sums, arithmetic=config.arithmetic))
        self._tanh = None
        if config.activation == "tanh":
            self._tanh = FloatSigmoidTanh(FloatFunctionConfig(format=config.arithmetic.format))
        self._buffer = StreamBuffer(width, StreamBufferConfig(depth=config.outputs + self._leaving))
        super().__init__(
            {
                "inputs": In(stream.Signature(width)),
                "outputs": Out(stream.Signature(width)),
                "read_enable": Out(1),
                "read_address": Out(range(config.words)),
                "word": In(width).array(config.units),
                "idle": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def _summed(self):
        """Cycles from the first read of a sample to its sums."""
        arithmetic = self._config.arithmetic
        return self._config.words + 1 + arithmetic.multiplier_depth + arithmetic.adder_depth

    @property
    def _activating(self):
        """Cycles of the activation."""
        return 0 if self._tanh is None else self._tanh.latency

    @property
    def _leaving(self):
        """Cycles from an output whose turn it is to where it may be taken."""
        return TO_TREE + self._tree.latency + self._activating + BEHIND_TREE

    @property
    def _banks(self):
        """Samples whose sums are kept, so that none waits: from the first read to the last output."""
        return max(2, -(-(self._summed + self._config.outputs) // self._config.forward_cycles))

    @property
    def latency(self):
        """Cycles from the first input, valid, to the first output, valid."""
        return self._summed + self._leaving

    def elaborate(self, platform):
        m = Module()
        m.submodules.tree, m.submodules.buffer = self._tree, self._buffer
        started, finished, left = Signal(), Signal(), Signal()
        # Samples whose sums are kept, and of them those that are complete.
        kept, complete = Signal(range(self._banks + 1)), Signal(range(self._banks + 1))
        m.d.sync += [kept.eq(kept + started - left), complete.eq(complete + finished - left)]
        m.d.comb += self.idle.eq((kept == 0) & ~self.inputs.valid)
        sums = self._accumulate(m, kept != self._banks, started, finished)
        self._leave(m, sums, complete != 0, left)
        return m

    def _accumulate(self, m, room, started, finished):
        """Goes over the words of a sample; returns the ports where its sums are read, one a partial sum."""
        config, arithmetic = self._config, self._config.arithmetic
        groups, partial_sums, width = config.groups, config.partial_sums, arithmetic.format.width

        # Which word it is the turn of.
        row, group, address = Signal(range(config.rows)), Signal(range(max(groups, 2))), Signal(range(config.words))
        place, bank = Signal(range(max(partial_sums, 2))), Signal(range(self._banks))
        turn, last_group, bias = Signal(), Signal(), Signal()
        m.d.comb += [
            last_group.eq(group == groups - 1),
            bias.eq(row == config.inputs),
            turn.eq((self.inputs.valid | bias) & (room | (address != 0))),
            started.eq(turn & (address == 0)),
            self.inputs.ready.eq(turn & last_group & ~bias),
            self.read_enable.eq(turn),
            self.read_address.eq(address),
        ]
        with m.If(turn):
            m.d.sync += [address.eq(address + 1), group.eq(group + 1)]
            with m.If(last_group):
                m.d.sync += [group.eq(0), row.eq(row + 1), place.eq(Mux(place == partial_sums - 1, 0, place + 1))]
                with m.If(bias):
                    m.d.sync += [row.eq(0), address.eq(0), place.eq(0), bank.eq(self._after(bank))]

        # With it through the units.
        tag = Signal(
            data.StructLayout(
                {
                    "valid": 1,
                    "first": 1,
                    "last": 1,
                    "bank": bank.shape(),
                    "group": group.shape(),
                    "place": place.shape(),
                }
            )
        )
        operand = Signal(width, reset_less=True)
        m.d.sync += [
            operand.eq(Mux(bias, arithmetic.format.one, self.inputs.payload)),
            tag.valid.eq(turn),
            tag.first.eq(row < partial_sums),
            tag.last.eq(last_group & bias),
            tag.bank.eq(bank),
            tag.group.eq(group),
            tag.place.eq(place),
        ]
        reads = delay(m, tag.as_value(), arithmetic.multiplier_depth - 1, "to_read", reset_less=False)
        adds = delay(m, reads, 1, "to_add", reset_less=False)
        writes = delay(m, adds, arithmetic.adder_depth, "to_write", reset_less=False)
        reads, adds, writes = (data.View(tag.shape(), bits) for bits in (reads, adds, writes))

        word_shape = data.ArrayLayout(width, config.units)
        m.submodules.accumulators = accumulators = Memory(
            shape=word_shape, depth=max(2, groups * partial_sums), init=[]
        )
        writer = accumulators.write_port()
        reader = accumulators.read_port(transparent_for=(writer,))

        def slot(at):
            return at.place * groups + at.group

        again = Signal()
        m.d.comb += [
            again.eq(writes.valid & (slot(writes) == slot(adds))),
            reader.en.eq(reads.valid),
            reader.addr.eq(slot(reads)),
            writer.en.eq(writes.valid),
            writer.addr.eq(slot(writes)),
            finished.eq(writes.valid & writes.last),
        ]
        for index in range(config.units):
            m.submodules[f"unit_{index}"] = unit = replicated(MultiplyAccumulate(arithmetic))
            m.d.comb += [
                unit.a.eq(self.word[index]),
                unit.b.eq(operand),
                unit.kept.eq(reader.data[index]),
                unit.first.eq(adds.first),
                unit.again.eq(again),
                writer.data[index].eq(unit.result),
            ]

        # Once more where they stay while the next sample is taken; all partial sums of a group are read at once.
        ports = []
        for index in range(partial_sums):
            m.submodules[f"sums_{index}"] = sums = Memory(shape=word_shape, depth=self._banks * groups, init=[])
            copies = sums.write_port()
            m.d.comb += [
                copies.en.eq(writes.valid & (writes.place == index)),
                copies.addr.eq(writes.bank * groups + writes.group),
                copies.data.eq(writer.data),
            ]
            ports.append(sums.read_port())
        return ports

    def _after(self, bank):
        """The next bank."""
        return Mux(bank == self._banks - 1, 0, bank + 1)

    def _leave(self, m, ports, ready, left):
        """Takes the outputs of complete samples out of the sums."""
        config = self._config
        number_format, groups = config.arithmetic.format, config.groups
        depth = self._buffer.config.depth
        # Outputs that are under way or wait.
        waiting = Signal(range(depth + 1))
        bank, group, lane = (
            Signal(range(self._banks)),
            Signal(range(max(groups, 2))),
            Signal(range(max(config.units, 2))),
        )
        turn, last_lane, last_group = Signal(), Signal(), Signal()
        last_lanes = config.outputs - (groups - 1) * config.units
        m.d.comb += [
            turn.eq(ready & (waiting != depth)),
            last_group.eq(group == groups - 1),
            last_lane.eq(lane == Mux(last_group, last_lanes - 1, config.units - 1)),
            left.eq(turn & last_lane & last_group),
        ]
        m.d.sync += waiting.eq(waiting + turn - (self.outputs.valid & self.outputs.ready))
        with m.If(turn):
            m.d.sync += lane.eq(lane + 1)
            with m.If(last_lane):
                m.d.sync += [lane.eq(0), group.eq(Mux(last_group, 0, group + 1))]
            with m.If(left):
                m.d.sync += bank.eq(self._after(bank))

        lane_read = delay(m, lane, 1, "lane")
        for index, port in enumerate(ports):
            term = Signal(number_format.width, name=f"term_{index}", reset_less=True)
            m.d.comb += [port.en.eq(turn), port.addr.eq(bank * groups + group)]
            m.d.sync += term.eq(port.data[lane_read])
            m.d.comb += self._tree.terms[index].eq(term)
        total = self._tree.result
        valid = delay(m, turn, TO_TREE + self._tree.latency + self._activating, "valid", reset_less=False)
        activated = Signal(number_format.width)
        if self._tanh is not None:
            m.submodules.tanh = tanh = self._tanh
            m.d.comb += [tanh.a.eq(total), tanh.tanh.eq(1)]
            total = tanh.result
        m.d.comb += [
            # NaN has no sign.
            activated.eq(Mux(total[-1], 0, total) if config.activation == "relu" else total),
            self._buffer.i.payload.eq(activated),
            self._buffer.i.valid.eq(valid),
            self.errors.nonfinite.eq(valid & activated[number_format.fraction_bits : -1].all()),
            self.outputs.payload.eq(self._buffer.o.payload),
            self.outputs.valid.eq(self._buffer.o.valid),
            self._buffer.o.ready.eq(self.outputs.ready),
        ]
