"""The optimiser's pass over the weights of a layer."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..optimizer.float_lane import FLOAT_LANES
from ..optimizer.lane_sweep import sweep_lanes
from ..optimizer.scaled_gradient_lane import ScaledGradientLane
from ..optimizer.shared_lane import SharedLane
from ..pipeline import delay, delay_record
from ..replicated import replicated
from .ports import word_read, word_write
from .update_stage_config import UpdateStageConfig

__all__ = ["UpdateStage", "rates_layout", "update_lane"]


def rates_layout(config: UpdateStageConfig):
    """The rates that a step takes, by name."""
    return data.StructLayout(dict.fromkeys(config.algorithm.rates, config.layer.arithmetic.format.width))


class UpdateStage(ConfiguredComponent):
    """Updates all weights of a layer, a word every ``config.interval`` cycles, on ``config.lanes`` lanes.

    :class:`.FloatAdamLane` and ``SGDLane`` are the lanes, which are time-multiplexed among the
    units of a word; with ``config.gradient_scale``, gradients are multiplied first. Weights, gradient and the
    optimiser's state are read at the same address, and written back. Lanes that layers share are elsewhere, and so are
    the rates.

    Number format: ``config.layer.arithmetic``; lanes of the last group that are no outputs become +0.

    Latency: ``cycles`` from ``start`` to ``done``. Throughput: one pass at a time. No back-pressure.

    Parameters
    ----------
    config : UpdateStageConfig
    shared : list of SharedLane, optional
        As many as ``config.lanes``, if it says that they are shared.

    Members
    -------
    start : In(1)
    done : Out(1)
        All words have been written.
    gradients : Out(word_read), of an optimiser that takes them
    weights : Out(word_read)
    state : Out(word_read).array(arrays of state)
        What the optimiser keeps for each weight, in the order of ``config.algorithm.state``.
    new_weights : Out(word_write)
    new_state : Out(word_write).array(arrays of state)
    rates : In(rates_layout(config)), unless lanes are shared
        Constant while a pass is under way.
    lanes : In(port of :class:`.SharedLane`).array(config.lanes), where they are shared
    nonfinite : Out(1)
        A parameter that is written in this cycle is infinite or NaN.
    """

    def __init__(self, config: UpdateStageConfig, shared: Sequence[SharedLane] = ()):
        if config.shared:
            self._lanes = list(shared)
            lanes = {"lanes": In(shared[0].port).array(config.lanes)}
        else:
            self._lanes = [update_lane(config) for _ in range(config.lanes)]
            lanes = {"rates": In(rates_layout(config))}
        read, write, state = word_read(config.layer), word_write(config.layer), len(config.algorithm.state)
        super().__init__(
            config,
            {
                "start": In(1),
                "done": Out(1),
                **({"gradients": Out(read)} if config.algorithm.gradients else {}),
                "weights": Out(read),
                "state": Out(read).array(state),
                "new_weights": Out(write),
                "new_state": Out(write).array(state),
                **lanes,
                "nonfinite": Out(1),
            },
        )

    @property
    def _to_write(self):
        """Cycles from a word's read to its write: memory and a register, lanes."""
        return 2 + self._config.interval - 1 + self._lanes[0].latency

    @property
    def cycles(self):
        """Cycles from ``start`` to ``done``."""
        return 1 + (self._config.layer.words - 1) * self._config.interval + self._to_write + 1

    def elaborate(self, platform):
        m = Module()
        config, layer = self._config, self._config.layer
        interval = config.interval
        tag = Signal(data.StructLayout({"valid": 1, "last": 1, "last_group": 1, "address": range(layer.words)}))
        turn, group = Signal(range(max(interval, 2))), Signal(range(max(layer.groups, 2)))
        busy, address = Signal(), Signal(range(layer.words))
        m.d.comb += [
            tag.valid.eq(busy & (turn == 0)),
            tag.last.eq(address == layer.words - 1),
            tag.last_group.eq(group == layer.groups - 1),
            tag.address.eq(address),
        ]
        with m.If(self.start):
            m.d.sync += busy.eq(1)
        with m.If(busy):
            m.d.sync += turn.eq(turn + 1)
            with m.If(turn == interval - 1):
                m.d.sync += [turn.eq(0), address.eq(address + 1), group.eq(Mux(tag.last_group, 0, group + 1))]
                with m.If(tag.last):
                    m.d.sync += [busy.eq(0), address.eq(0)]
        read = delay_record(m, tag, 2, "read")
        writes = delay_record(m, read, self._to_write - 2, "to_write")
        self._through_lanes(m, tag, read.valid, writes)
        m.d.sync += self.done.eq(writes.valid & writes.last)
        return m

    def _through_lanes(self, m, tag, load, writes):
        """Words to the lanes, which are time-multiplexed, and from them."""
        config, layer = self._config, self._config.layer
        names, rows = ("weight", *config.algorithm.state), {}
        reads = dict(zip(names, (self.weights, *self.state), strict=True))
        if config.algorithm.gradients:
            reads["gradient"] = self.gradients
        for name, port in reads.items():
            m.d.comb += [port.enable.eq(tag.valid), port.address.eq(tag.address)]
            # A memory's word is late in its cycle: the lanes take it in the next one.
            rows[name] = [delay(m, number, 1, f"{name}_{index}") for index, number in enumerate(port.data)]
        new = dict(zip((f"new_{name}" for name in names), (self.new_weights, *self.new_state), strict=True))
        if config.shared:
            lanes, rates = list(self.lanes), {}
            if config.algorithm.gradients:
                number_format = layer.arithmetic.format
                scale = Const(number_format.nearest(config.gradient_scale), number_format.width)
                rows["gradient_scale"] = [scale] * layer.units
        else:
            lanes, rates = self._lanes, {name: self.rates[name] for name in config.algorithm.rates}
        results = sweep_lanes(m, lanes, load, rows, rates, (*new, "nonfinite"), config.interval)
        last_lanes = layer.outputs - (layer.groups - 1) * layer.units
        there = [~writes.last_group if index >= last_lanes else 1 for index in range(layer.units)]
        flags = [flag & valid for flag, valid in zip(results["nonfinite"], there, strict=False)]
        m.d.comb += self.nonfinite.eq(writes.valid & Cat(flags).any())
        for name, port in new.items():
            m.d.comb += [port.enable.eq(writes.valid.replicate(layer.units)), port.address.eq(writes.address)]
            row = zip(port.data, results[name], there, strict=False)
            m.d.comb += [number.eq(Mux(valid, result, 0)) for number, result, valid in row]


def update_lane(config):
    """A lane of the optimiser, which a layer has to itself or shares with others: one module for all that are equal."""
    arithmetic, optimizer = config.layer.arithmetic, config.optimizer
    shares_scaling = config.shared and config.algorithm.gradients
    if config.gradient_scale == 1 and not shares_scaling:
        return replicated(FLOAT_LANES[optimizer](arithmetic))
    scale = None if shares_scaling else config.gradient_scale
    return replicated(ScaledGradientLane(arithmetic, optimizer, scale), key=(arithmetic, optimizer, scale))
