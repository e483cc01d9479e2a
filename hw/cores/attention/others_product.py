"""Products of an agent's vector with the vectors of all other agents."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layer.forward_stage import ForwardStage
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .config import OthersProductConfig

__all__ = ["OthersProduct"]


class OthersProduct(ConfiguredComponent):
    """A layer (:class:`.ForwardStage`) whose weights are the vectors of the other agents.

    ::

        scores   o[j] = sum over d of i[d] * v[j, d]     one for each j other than the agent, in the order of j
        sums     o[d] = sum over j of i[j] * v[j, d]

    Vectors of an experience are complete before its first product is begun; those of the next ones come meanwhile,
    each experience in a bank of its own. Products go by agent, then by head, and skip the agent's own vector: it is
    not read at all, so that whatever it is does not matter.

    ::

        vectors -> banks --weights--.
        inputs ---------------------+-> ForwardStage -> outputs

    Number format: ``config.arithmetic.format``; for the order of sums see :class:`.ForwardSums`.

    Latency: ``latency`` cycles from an input, if the vectors are there, to the first output. Throughput: a head of an
    agent in ``config.cycles``. Back-pressure: inputs wait for the vectors of their experience, vectors for a free bank.

    Parameters
    ----------
    config : OthersProductConfig

    Members
    -------
    vectors : In(stream of width)
        Agent after agent, head after head, element after element.
    inputs : In(stream of width)
        Agent after agent, head after head: ``size`` elements of scores, or ``agents - 1`` weights of sums.
    outputs : Out(stream of width)
        ``agents - 1`` scores, or ``size`` elements of a sum.
    errors : Out
        ``nonfinite``: an output is infinite or NaN.

    Source
    ------
    S. Wiggins et al., "A Heterogeneous Acceleration System for Attention-Based Multi-Agent Reinforcement Learning",
    equation 2 and section III-B.
    """

    def __init__(self, config: OthersProductConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(
            config,
            {
                "vectors": In(elements),
                "inputs": In(elements),
                "outputs": Out(elements),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )
        self._stage = ForwardStage(config.layer)

    @property
    def latency(self):
        """Cycles from the first input to the first output."""
        return self._stage.latency

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.stage = stage = self._stage
        m.submodules.vectors_memory = memory = Memory(
            config.arithmetic.format.width, MemoryConfig(depth=config.banks * config.agents * config.row)
        )
        complete, left = Signal(range(config.banks + 1)), Signal()
        finished = self._keep(m, memory.write, complete)
        m.d.sync += complete.eq(complete + finished - left)
        reader = memory.reads[0]
        m.d.comb += [
            stage.inputs.payload.eq(self.inputs.payload),
            stage.inputs.valid.eq(self.inputs.valid & (complete != 0)),
            self.inputs.ready.eq(stage.inputs.ready & (complete != 0)),
            reader.enable.eq(stage.weights.enable),
            stage.weights.data[0].eq(reader.data),
            self.errors.eq(stage.errors),
        ]
        wiring.connect(m, stage.outputs, wiring.flipped(self.outputs))
        self._walk(m, stage.weights.enable, reader.address, left)
        return m

    def _keep(self, m, writer, complete):
        """Vectors into their bank; whether those of an experience are complete with this one."""
        config = self._config
        place, address = Signal(range(config.agents * config.row)), Signal.like(writer.address)
        last, finished = Signal(), Signal()
        m.d.comb += [
            self.vectors.ready.eq(complete != config.banks),
            writer.enable.eq(self.vectors.valid & self.vectors.ready),
            writer.address.eq(address),
            writer.data.eq(self.vectors.payload),
            last.eq(place == config.agents * config.row - 1),
            finished.eq(writer.enable & last),
        ]
        with m.If(writer.enable):
            depth = config.banks * config.agents * config.row
            m.d.sync += [place.eq(Mux(last, 0, place + 1)), address.eq(Mux(address == depth - 1, 0, address + 1))]
        return finished

    def _walk(self, m, moves, address, left):
        """The addresses of the others' elements in the order in which the stage asks for weights."""
        config = self._config
        agent, other = Signal(range(config.agents)), Signal(range(config.agents), init=1)
        head, element = Signal(range(max(config.heads, 2))), Signal(range(max(config.size, 2)))
        # `bank` is the first address of an experience. `base` is where agent 0 has the current head, and for scores the
        # current element of it. `current` is the address that is read.
        bank, base, current = Signal.like(address), Signal.like(address), Signal.like(address, init=config.row)
        last_other, last_element, last_head, last_agent, skips, done = (
            Signal(name=name) for name in ("last_other", "last_element", "last_head", "last_agent", "skips", "done")
        )
        next_agent, next_base, next_bank = Signal.like(agent), Signal.like(address), Signal.like(address)
        depth = config.agents * config.row
        m.d.comb += [
            address.eq(current),
            last_agent.eq(agent == config.agents - 1),
            last_head.eq(head == config.heads - 1),
            last_element.eq(element == config.size - 1),
            last_other.eq(other == Mux(last_agent, config.agents - 2, config.agents - 1)),
            skips.eq(other + 1 == agent),
            done.eq(last_other & last_element),
            left.eq(moves & done & last_head & last_agent),
            next_bank.eq(bank),
            next_agent.eq(agent),
        ]
        with m.If(last_head):
            m.d.comb += next_agent.eq(Mux(last_agent, 0, agent + 1))
            with m.If(last_agent):
                m.d.comb += next_bank.eq(Mux(bank == (config.banks - 1) * depth, 0, bank + depth))
        scores = config.product == "scores"
        # Scores take an element of all others, then the next one; sums take all elements of an agent.
        m.d.comb += next_base.eq(Mux(last_head, next_bank, base + (1 if scores else config.size)))
        inner, outer = (last_other, last_element) if scores else (last_element, last_other)
        with m.If(moves):
            with m.If(done):
                m.d.sync += [
                    bank.eq(next_bank),
                    base.eq(next_base),
                    agent.eq(next_agent),
                    head.eq(Mux(last_head, 0, head + 1)),
                    element.eq(0),
                    other.eq(next_agent == 0),
                    current.eq(next_base + Mux(next_agent == 0, config.row, 0)),
                ]
            with m.Elif(inner):
                if scores:
                    m.d.sync += [
                        element.eq(element + 1),
                        base.eq(base + 1),
                        other.eq(agent == 0),
                        current.eq(base + 1 + Mux(agent == 0, config.row, 0)),
                    ]
                else:
                    step = config.row - config.size + 1
                    m.d.sync += [
                        element.eq(0),
                        other.eq(other + 1 + skips),
                        current.eq(current + Mux(skips, step + config.row, step)),
                    ]
            with m.Else():
                if scores:
                    m.d.sync += [
                        other.eq(other + 1 + skips),
                        current.eq(current + Mux(skips, 2 * config.row, config.row)),
                    ]
                else:
                    m.d.sync += [element.eq(element + 1), current.eq(current + 1)]
