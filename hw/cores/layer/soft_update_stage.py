"""The target's weights, moved towards those of a layer."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..optimizer.lane_sweep import sweep_lanes
from ..optimizer.shared_lane import SharedLane
from ..optimizer.soft_update_lane import SoftUpdateLane
from ..pipeline import delay, delay_record
from ..replicated import replicated
from .ports import word_read, word_write
from .update_stage_config import UpdateStageConfig

__all__ = ["SoftUpdateStage"]


class SoftUpdateStage(ConfiguredComponent):
    """Moves the weights of a layer's target towards new weights, which come as an update writes them::

        new_target = target + tau * (weight - target)

    ``config.lanes`` lanes (:class:`.SoftUpdateLane`) are time-multiplexed as in the
    update itself, and shared as there.

    Number format: ``config.layer.arithmetic``, each operation rounded. Lanes of the last group that are no outputs stay
    +0 as long as ``tau`` is finite and not negative.

    Latency: ``latency`` cycles from the write of a word of weights to that of the target. Throughput: a word every
    ``config.interval`` cycles. No back-pressure.

    Parameters
    ----------
    config : UpdateStageConfig
    shared : list of SharedLane, optional
        As many as ``config.lanes``, if it says that they are shared.

    Members
    -------
    weights : In(word_write)
        New ones, whole words.
    target : Out(word_read)
    new_target : Out(word_write)
    tau : In(width), unless lanes are shared
        Constant while words are under way.
    lanes : In(port of :class:`.SharedLane`).array(config.lanes), where they are shared
    nonfinite : Out(1)
        A parameter that is written in this cycle is infinite or NaN.

    Source
    ------
    T. P. Lillicrap et al., "Continuous control with deep reinforcement learning", ICLR 2016, algorithm 1.
    """

    def __init__(self, config: UpdateStageConfig, shared: Sequence[SharedLane] = ()):
        if config.shared:
            self._lanes = list(shared)
            lanes = {"lanes": In(shared[0].port).array(config.lanes)}
        else:
            self._lanes = [replicated(SoftUpdateLane(config.layer.arithmetic)) for _ in range(config.lanes)]
            lanes = {"tau": In(config.layer.arithmetic.format.width)}
        super().__init__(
            config,
            {
                "weights": In(word_write(config.layer)),
                "target": Out(word_read(config.layer)),
                "new_target": Out(word_write(config.layer)),
                **lanes,
                "nonfinite": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a word of weights to the target's: memory and a register, lanes."""
        return 2 + self._config.interval - 1 + self._lanes[0].latency

    def elaborate(self, platform):
        m = Module()
        config, layer = self._config, self._config.layer
        tag = Signal(data.StructLayout({"valid": 1, "address": range(layer.words)}))
        m.d.comb += [
            tag.valid.eq(self.weights.enable.any()),
            tag.address.eq(self.weights.address),
            self.target.enable.eq(tag.valid),
            self.target.address.eq(tag.address),
        ]
        read = delay_record(m, tag, 2, "read")
        writes = delay_record(m, read, self.latency - 2, "to_write")
        words = {
            "weight": [delay(m, number, 2, f"weight_{index}") for index, number in enumerate(self.weights.data)],
            "target": [delay(m, number, 1, f"target_{index}") for index, number in enumerate(self.target.data)],
        }
        outputs = ("new_target", "nonfinite")
        lanes, rates = (list(self.lanes), {}) if config.shared else (self._lanes, {"tau": self.tau})
        results = sweep_lanes(m, lanes, read.valid, words, rates, outputs, config.interval)
        m.d.comb += [
            self.new_target.enable.eq(writes.valid.replicate(layer.units)),
            self.new_target.address.eq(writes.address),
            self.nonfinite.eq(writes.valid & Cat(results["nonfinite"][: layer.units]).any()),
        ]
        new_target = zip(self.new_target.data, results["new_target"], strict=False)
        m.d.comb += [number.eq(result) for number, result in new_target]
        return m
