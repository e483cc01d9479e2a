"""The softmax unit: probabilities of choices, and choices drawn from them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.nonfinite import any_nonfinite
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..memory.ports import ReadPort, WritePort
from ..pipeline import delay
from ..random.xorshift import STATE_WIDTH
from ..replicated import replicated
from .softmax_config import SoftmaxConfig
from .softmax_lane import SoftmaxLane
from .softmax_layouts import softmax_command
from .softmax_sequencer import SoftmaxSequencer
from .uniform_source import UniformSource

__all__ = ["SoftmaxUnit"]


class SoftmaxUnit(ConfiguredComponent):
    """Turns logits, a word for each alternative, into probabilities and a choice for each vector::

        maximum = the largest logit;  e_i = exp(logit_i + (-maximum));  p_i = e_i * reciprocal((e_0 + e_1) + ...)
        choice = how many of p_0, p_0 + p_1, ... (all but the last) are <= uniform / 2048

        commands ──> SoftmaxSequencer ──> orders ─────────┐
        logits ──────────────────────────────────────────┐│
        probabilities <──────────────────────────────┐   ││
              └──────────────────────────────────────┼───┴┴──> SoftmaxLane, one a lane ──> choices
        UniformSource ───────────────────────────────┼─────────────────┘ │
                                                     └───────────────────┘

    Sums are taken in order. Uniform numbers are those of :class:`.UniformSource`.

    Logits are written before a command, and read by it; probabilities, and 1 for the alternative that was chosen and 0
    for the others, are read after it, the latter from address ``choices`` on. The blocks of a word are
    time-multiplexed over the lanes, a choice every ``slots`` cycles.

    Number format: the configuration's; every operation is rounded.

    Latency: ``latency(choices, blocks)`` cycles a command. One command at a time. No back-pressure.

    Parameters
    ----------
    config : SoftmaxConfig

    Members
    -------
    commands : In(stream.Signature(softmax_command(config)))
        At least two choices, at least one block.
    completions : Out(stream.Signature(1))
        One for each command; ready must be 1.
    busy : Out(1)
    errors : Out
        ``nonfinite``: a probability is infinite or NaN.
    write_logits : In(WritePort(word, choices, blocks))
        An enable for each block.
    read_choices : In(ReadPort(word, 2 * choices))
        Probabilities, and from ``choices`` on the chosen alternatives.
    seed, load, state
        See :class:`.UniformSource`.

    Source
    ------
    IC3Net's heads; LearningGroup, section IV.
    """

    def __init__(self, config: SoftmaxConfig):
        self._lanes = [replicated(SoftmaxLane(config), name="softmax_lane") for _ in range(config.lanes)]
        word = config.blocks * config.block_bits
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(softmax_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
                "write_logits": In(WritePort(word, config.choices, config.blocks)),
                "read_choices": In(ReadPort(word, 2 * config.choices)),
                "seed": In(STATE_WIDTH),
                "load": In(1),
                "state": Out(STATE_WIDTH),
            },
        )

    def latency(self, choices, blocks):
        """Cycles from taking a command until its completion."""
        lane, slots = self._lanes[0], self._config.slots
        walk = choices * slots
        inverted = 2 * walk + slots + lane.exp_latency + lane.sum_latency + lane.reciprocal_latency + 4
        drawn = UniformSource(self._config).latency(blocks)
        return max(inverted, drawn) + walk + lane.normalise_latency + lane.sum_latency + 2

    def elaborate(self, platform):
        m = Module()
        config, lane = self._config, self._lanes[0]
        waits = {
            "max": 1,
            "exp": lane.exp_latency + lane.sum_latency,
            "reciprocal": lane.reciprocal_latency,
            "normalise": lane.normalise_latency + lane.sum_latency,
        }
        m.submodules.sequencer = sequencer = SoftmaxSequencer(config, waits)
        m.submodules.source = source = UniformSource(config)
        wiring.connect(m, wiring.flipped(self.commands), sequencer.commands)
        wiring.connect(m, sequencer.completions, wiring.flipped(self.completions))
        m.d.comb += [
            self.busy.eq(sequencer.busy),
            sequencer.drawn.eq(source.drawn),
            source.start.eq(self.commands.valid & self.commands.ready),
            source.blocks.eq(self.commands.payload.blocks),
            source.seed.eq(self.seed),
            source.load.eq(self.load),
            self.state.eq(source.state),
        ]
        numbers = self._read(m, sequencer)
        for index, unit in enumerate(self._lanes):
            m.submodules[f"lane_{index}"] = unit
            m.d.comb += [
                unit.number.eq(numbers.word_select(index, config.format.width)),
                unit.order.eq(sequencer.order),
                *(unit.uniform[block].eq(source.uniform[block][index]) for block in range(config.blocks)),
            ]
        return m

    def _read(self, m, sequencer):
        """Logits and probabilities, which the lanes and then others read; the numbers for the lanes."""
        config, read, order = self._config, self.read_choices, sequencer.order
        memory_config = MemoryConfig(depth=config.choices, lanes=config.blocks)
        m.submodules.logits = logits = Memory(read.signature.shape, memory_config)
        m.submodules.probabilities = probabilities = Memory(read.signature.shape, memory_config)
        wiring.connect(m, wiring.flipped(self.write_logits), logits.write)
        logit, probability = logits.reads[0], probabilities.reads[0]
        m.d.comb += [
            logit.enable.eq(sequencer.running),
            logit.address.eq(sequencer.choice),
            probability.enable.eq(sequencer.running | read.enable),
            probability.address.eq(Mux(sequencer.running, sequencer.choice, read.address)),
        ]
        self._write(m, order, probabilities.write)

        chosen_address = Signal.like(read.address)
        with m.If(read.enable):
            m.d.sync += chosen_address.eq(read.address)
        one = Const(config.format.one, config.format.width)
        chosen = Cat(
            Mux(unit.choice[block] + config.choices == chosen_address, one, 0)
            for block in range(config.blocks)
            for unit in self._lanes
        )
        m.d.comb += read.data.eq(Mux(chosen_address >= config.choices, chosen, probability.data))
        numbers = Signal(config.block_bits)
        m.d.comb += numbers.eq(
            Mux(order.normalise, probability.data, logit.data).word_select(order.slot, config.block_bits)
        )
        return numbers

    def _write(self, m, order, write):
        """Writes what leaves the lanes: exponentials, then the probabilities in their place."""
        config, lane = self._config, self._lanes[0]
        exponentiated = delay(m, order, lane.exp_latency, "exponentiated", reset_less=False)
        normalised = delay(m, order, lane.normalise_latency, "normalised", reset_less=False)
        written, slot = Signal(), Signal.like(order.slot)
        m.d.comb += [
            written.eq(exponentiated.exp | normalised.normalise),
            slot.eq(Mux(exponentiated.exp, exponentiated.slot, normalised.slot)),
            write.enable.eq(written << slot),
            write.address.eq(Mux(exponentiated.exp, exponentiated.choice, normalised.choice)),
            write.data.eq(Cat(unit.result for unit in self._lanes).replicate(config.blocks)),
        ]
        results = [unit.result for unit in self._lanes]
        m.d.sync += self.errors.nonfinite.eq(written & any_nonfinite(config.format, results))
