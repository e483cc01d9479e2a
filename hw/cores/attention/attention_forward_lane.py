"""The cores of the forward half of attention."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.fork import StreamFork
from .config import AttentionConfig
from .others_product import OthersProduct
from .softmax import AttentionSoftmax

__all__ = ["AttentionForwardLane"]


class AttentionForwardLane(ConfiguredComponent):
    """Sends each agent, for each head of the lane, a weighted sum of the values of all other agents::

        score_j = query . key_j;  w = softmax(score * scale);  message = sum of w_j * value_j, over all j not the agent

    ::

        keys ----------.                                 values ----------.
        queries -> wait +-> OthersProduct -> AttentionSoftmax -+-> OthersProduct -> messages
                                                               `-> weights, for the backward half

    Scores and weights never leave the chip, and are never stored for more than two samples. Keys of an experience are
    complete before its first score, so its queries wait.

    Number format: ``config.arithmetic.format``; see the cores.

    Throughput: an experience in ``config.forward_cycles``. Back-pressure: as many experiences as the cores' banks wait.

    Parameters
    ----------
    config : AttentionConfig
        Configuration of the lane's heads: :attr:`.AttentionConfig.lane`.

    Members
    -------
    queries, keys : In(stream of width)
        Agent after agent, head after head, ``key_size`` elements.
    values : In(stream of width)
        Agent after agent, head after head, ``value_size`` elements.
    messages : Out(stream of width)
        The same.
    weights : Out(stream of width)
        Agent after agent, head after head, ``agents - 1`` numbers.
    errors : Out
        ``nonfinite``: a score, weight or message is infinite or NaN.

    Source
    ------
    S. Wiggins et al., equation 2; S. Iqbal and F. Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning",
    ICML 2019, equations 5 and 6.
    """

    def __init__(self, config: AttentionConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(
            config,
            {
                **{name: In(elements) for name in ("queries", "keys", "values")},
                **{name: Out(elements) for name in ("messages", "weights")},
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, shape = self._config, self.messages.payload.shape()
        waiting = StreamBufferConfig(depth=max(2, 2 * config.agents * config.scores.row))
        m.submodules.queries_waiting = queries = StreamBuffer(shape, waiting)
        m.submodules.scores = scores = OthersProduct(config.scores)
        m.submodules.softmax = softmax = AttentionSoftmax(config)
        m.submodules.sums = sums = OthersProduct(config.messages)
        m.submodules.weights_fork = fork = StreamFork(shape, 2)
        wiring.connect(m, wiring.flipped(self.queries), queries.i)
        wiring.connect(m, wiring.flipped(self.keys), scores.vectors)
        wiring.connect(m, wiring.flipped(self.values), sums.vectors)
        wiring.connect(m, queries.o, scores.inputs)
        wiring.connect(m, scores.outputs, softmax.scores)
        wiring.connect(m, softmax.weights, fork.i)
        wiring.connect(m, fork.o[0], sums.inputs)
        wiring.connect(m, fork.o[1], wiring.flipped(self.weights))
        wiring.connect(m, sums.outputs, wiring.flipped(self.messages))
        parts = (scores, softmax, sums)
        m.d.comb += self.errors.nonfinite.eq(Cat(part.errors.nonfinite for part in parts).any())
        return m
