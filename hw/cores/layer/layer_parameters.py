"""Weights of a layer, of its target, the optimiser's state, and the optimiser."""

from collections.abc import Sequence

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.arbiter import ReadArbiter
from ..memory.config import ArbiterConfig
from ..optimizer.shared_lane import SharedLane
from ..pipeline import delay
from .lane_access import LaneAccess
from .parameter_array import ParameterArray
from .ports import parameter_read, parameter_write, word_layout, word_read
from .soft_update_stage import SoftUpdateStage
from .update_stage import UpdateStage, rates_layout
from .update_stage_config import ARRAY_WIDTH, UpdateStageConfig

__all__ = ["LayerParameters", "target_member"]

# The port that says what an update makes of the target's weights.
_TARGET_PORTS = {"copied": ("copy",), "soft": ("tau",), "none": ()}


def target_member(config: UpdateStageConfig):
    """The port that says what an update makes of the target's weights, by its name; empty without a target."""
    widths = {"copy": 1, "tau": config.layer.arithmetic.format.width}
    return {name: In(widths[name]) for name in _TARGET_PORTS[config.target]}


class LayerParameters(ConfiguredComponent):
    """Holds the parameters of a layer, each array in a memory of its own (:class:`.ParameterArray`), and updates them.

    Stages read words of the weights and of the target's weights. An update (:class:`.UpdateStage`) goes over all
    words, with the gradient that the gradient stage has kept; meanwhile no stage reads. With ``copy`` new weights are
    also those of the target; those of a soft target move towards the new ones (:class:`.SoftUpdateStage`).

    ::

        gradients ---------.
        weights -----------+-> UpdateStage -+-> new weights ----------------> weights
        state -------------'                +-> new state ------------------> state
                                            `-> copy, or SoftUpdateStage ---> target

    Latency, number format: see :class:`.UpdateStage`, :class:`.SoftUpdateStage` and :class:`.ParameterArray`.

    Parameters
    ----------
    config : UpdateStageConfig
    readers : int
        Stages that read the weights.
    shared, shared_follow : list of SharedLane, optional
        Lanes of the optimiser and of the target, if ``config`` says that they are shared.

    Members
    -------
    weights : In(word_read).array(readers)
    target : In(word_read), where there is one
    gradients : Out(word_read), of an optimiser that takes them
    start : In(1)
        An update.
    done : Out(1)
    copy : In(1), or tau : In(width) of a soft target
        Constant while an update is under way, as are the rates.
    rates : In(rates_layout(config))
    lanes, follow_lanes : In, in place of rates and tau, where lanes are shared
        Lanes of :class:`.UpdateStage` and :class:`.SoftUpdateStage`.
    nonfinite : Out(1)
        A parameter that is written by the update in this cycle is infinite or NaN.
    array : In(3)
        Which array the host means, a place in ``config.arrays``; constant from a read to its data. Gradients are only
        read.
    host_read : In(parameter_read)
        While there is no update, and no stage reads. Data come two cycles after their address.
    host_write : In(parameter_write)
        While there is no update, and no stage reads.
    """

    def __init__(
        self,
        config: UpdateStageConfig,
        readers: int,
        shared: Sequence[SharedLane] = (),
        shared_follow: Sequence[SharedLane] = (),
    ):
        read = word_read(config.layer)
        self._update = UpdateStage(config, shared)
        self._follow = SoftUpdateStage(config, shared_follow) if config.target == "soft" else None
        if config.shared:
            lanes = {"lanes": self._update.signature.members["lanes"]}
            if self._follow is not None:
                lanes["follow_lanes"] = self._follow.signature.members["lanes"]
        else:
            lanes = {"rates": In(rates_layout(config))}
        super().__init__(
            config,
            ({} if config.shared else target_member(config))
            | ({} if config.target == "none" else {"target": In(read)})
            | {
                "weights": In(read).array(readers),
                **({"gradients": Out(read)} if config.algorithm.gradients else {}),
                "start": In(1),
                "done": Out(1),
                **lanes,
                "nonfinite": Out(1),
                "array": In(ARRAY_WIDTH),
                "host_read": In(parameter_read(config.layer)),
                "host_write": In(parameter_write(config.layer)),
            },
        )

    @property
    def cycles(self):
        """Cycles from ``start`` to ``done``."""
        return self._update.cycles + (0 if self._follow is None else self._follow.latency)

    def elaborate(self, platform):
        m = Module()
        layer, update = self._config.layer, self._update
        m.submodules.update = update
        m.d.comb += update.start.eq(self.start)
        if self._config.shared:
            for port, inner in zip(self.lanes, update.lanes, strict=True):
                wiring.connect(m, wiring.flipped(port), inner)
        else:
            m.d.comb += update.rates.eq(self.rates)
        m.submodules.weights = weights = ParameterArray(layer, len(self.weights))
        target = {} if self._config.target == "none" else {"target": ParameterArray(layer, 1)}
        state = {name: ParameterArray(layer) for name in self._config.algorithm.state}
        for name, array in {**target, **state}.items():
            m.submodules[name] = array
        for reader, port in zip(self.weights, weights.reads, strict=True):
            wiring.connect(m, wiring.flipped(reader), port)
        wiring.connect(m, update.weights, weights.update)
        m.d.comb += _copied(update.new_weights, weights.new_words)
        for array, read, write in zip(state.values(), update.state, update.new_state, strict=True):
            wiring.connect(m, read, array.update)
            wiring.connect(m, write, array.new_words)
        self._update_target(m, target.get("target"))
        gradients = [self._share_gradients(m)] if self._config.algorithm.gradients else []
        self._give_host(m, [weights, *target.values(), *gradients, *state.values()])
        return m

    def _update_target(self, m, target):
        """Let the target, if there is one, follow an update, and report the update's end."""
        update, follow = self._update, self._follow
        if target is not None:
            wiring.connect(m, wiring.flipped(self.target), target.reads[0])
        if follow is not None:
            self._move_target(m, follow, target)
            return
        m.d.comb += [self.done.eq(update.done), self.nonfinite.eq(update.nonfinite)]
        if target is not None:
            m.d.comb += _copied(update.new_weights, target.new_words)
            with m.If(~self.copy):
                m.d.comb += target.new_words.enable.eq(0)

    def _move_target(self, m, follow, target):
        """The target follows, and the update ends when it has."""
        update = self._update
        m.submodules.follow = follow
        m.d.comb += _copied(update.new_weights, follow.weights)
        wiring.connect(m, follow.target, target.update)
        wiring.connect(m, follow.new_target, target.new_words)
        if self._config.shared:
            for port, inner in zip(self.follow_lanes, follow.lanes, strict=True):
                wiring.connect(m, wiring.flipped(port), inner)
        else:
            m.d.comb += follow.tau.eq(self.tau)
        m.d.comb += [
            self.done.eq(delay(m, update.done, follow.latency, "done", reset_less=False)),
            self.nonfinite.eq(update.nonfinite | follow.nonfinite),
        ]

    def _share_gradients(self, m):
        """The gradient for the host and the update; the host's side."""
        layer = self._config.layer
        m.submodules.gradients_host = host = LaneAccess(layer)
        m.submodules.gradients = arbiter = ReadArbiter(word_layout(layer), ArbiterConfig(depth=layer.words, users=2))
        wiring.connect(m, host.words, arbiter.users[0])
        wiring.connect(m, self._update.gradients, arbiter.users[1])
        wiring.connect(m, arbiter.port, wiring.flipped(self.gradients))
        return host

    def _give_host(self, m, arrays):
        """Single parameters of the array that the host means."""
        for place, array in enumerate(arrays):
            read, write = array.host_read, array.host_write
            chosen = Signal(name=f"chosen_{place}")
            m.d.comb += [
                chosen.eq(self.array == place),
                read.enable.eq(self.host_read.enable & chosen),
                read.address.eq(self.host_read.address),
                write.enable.eq(self.host_write.enable & chosen),
                write.address.eq(self.host_write.address),
                write.data.eq(self.host_write.data),
            ]
            # A register separates the block RAM from the choice among arrays and layers.
            found = delay(m, read.data, 1, f"found_{place}")
            with m.If(chosen):
                m.d.comb += self.host_read.data.eq(found)


def _copied(source, sink):
    """One more place gets what is written."""
    return [getattr(sink, name).eq(getattr(source, name)) for name in ("enable", "address", "data")]
