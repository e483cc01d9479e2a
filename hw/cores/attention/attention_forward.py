"""The forward half of attention."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring

from ..component import ConfiguredComponent
from ..replicated import replicated
from .attention_forward_lane import AttentionForwardLane
from .config import AttentionConfig
from .head_streams import join_heads, share_heads

__all__ = ["AttentionForward"]


class AttentionForward(ConfiguredComponent):
    """Sends each agent, for each head, a weighted sum of the values of all other agents.

    PF_H lanes compute as many heads at the same time, head h in lane ``h % parallel_heads``; what they compute is that
    of :class:`.AttentionForwardLane`, whatever their number::

                        .-> lane 0 -> wait -.
        queries, keys, -+-> lane 1 -> wait -+-> messages, weights
        values          `-> ...             '

    Number format: ``config.arithmetic.format``; see the lanes.

    Throughput: an experience in ``cycles``. Back-pressure: as many experiences as the lanes' banks wait.

    Parameters
    ----------
    config : AttentionConfig

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
    S. Wiggins et al., equation 2 and section III-B: the head-parallel factor PF_H.
    """

    def __init__(self, config: AttentionConfig):
        self._lanes = [replicated(AttentionForwardLane(config.lane)) for _ in range(config.parallel_heads)]
        super().__init__(config, self._lanes[0].signature)

    @property
    def cycles(self):
        """Cycles of an experience, if they follow each other."""
        return self._config.forward_cycles

    def elaborate(self, platform):
        m = Module()
        config, lanes = self._config, self._lanes
        for index, lane in enumerate(lanes):
            m.submodules[f"lane_{index}"] = lane
        for name, size in (("queries", config.key_size), ("keys", config.key_size), ("values", config.value_size)):
            share_heads(m, name, wiring.flipped(getattr(self, name)), [getattr(lane, name) for lane in lanes], size)
        join_heads(m, "messages", [lane.messages for lane in lanes], wiring.flipped(self.messages), config.value_size)
        # Weights leave a lane one by one, over the whole time of a head, and in turn with those of the other lanes.
        join_heads(
            m, "weights", [lane.weights for lane in lanes], wiring.flipped(self.weights), config.others, waiting=True
        )
        m.d.comb += self.errors.nonfinite.eq(Cat(lane.errors.nonfinite for lane in lanes).any())
        return m
