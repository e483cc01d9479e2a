"""The backward half of attention."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from ..component import ConfiguredComponent
from ..replicated import replicated
from .attention_backward_lane import AttentionBackwardLane
from .config import AttentionConfig
from .head_streams import join_heads, share_heads

__all__ = ["AttentionBackward"]


class AttentionBackward(ConfiguredComponent):
    """Makes errors at queries, keys and values of errors at the messages, for each head.

    PF_H lanes compute as many heads at the same time, head h in lane ``h % parallel_heads``; what they compute is that
    of :class:`.AttentionBackwardLane`, whatever their number::

        message_errors, -.-> lane 0 -.
        queries, keys,  -+-> lane 1 -+-> query_errors, key_errors, value_errors
        values, weights  `-> ...     '

    Number format: ``config.arithmetic.format``; see the lanes.

    Throughput: an experience in ``cycles``. Back-pressure: ``config.waiting`` experiences of queries, keys, values and
    weights wait for their errors.

    Parameters
    ----------
    config : AttentionConfig

    Members
    -------
    message_errors : In(stream of width)
        Agent after agent, head after head, ``value_size`` elements.
    queries, keys, values, weights : In(stream of width)
        What :class:`.AttentionForward` had, and its weights.
    query_errors, key_errors, value_errors : Out(stream of width)
        Agent after agent, head after head, ``key_size`` or ``value_size`` elements.

    Source
    ------
    S. Wiggins et al., section III-B: the head-parallel factor PF_H.
    """

    def __init__(self, config: AttentionConfig):
        self._lanes = [replicated(AttentionBackwardLane(config.lane)) for _ in range(config.parallel_heads)]
        super().__init__(config, self._lanes[0].signature)

    @property
    def cycles(self):
        """Cycles of an experience, if they follow each other."""
        return self._config.backward_cycles

    def elaborate(self, platform):
        m = Module()
        config = self._config
        for index, lane in enumerate(self._lanes):
            m.submodules[f"lane_{index}"] = lane
        for name, size in (
            ("message_errors", config.value_size),
            ("queries", config.key_size),
            ("keys", config.key_size),
            ("values", config.value_size),
            ("weights", config.others),
        ):
            share_heads(m, name, wiring.flipped(getattr(self, name)), self._of_lanes(name), size)
        for name, size in (
            ("query_errors", config.key_size),
            ("key_errors", config.key_size),
            ("value_errors", config.value_size),
        ):
            join_heads(m, name, self._of_lanes(name), wiring.flipped(getattr(self, name)), size)
        return m

    def _of_lanes(self, name):
        return [getattr(lane, name) for lane in self._lanes]
