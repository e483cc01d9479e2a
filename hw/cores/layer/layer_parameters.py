"""Weights of a layer, of its target, what the optimiser keeps, and the optimiser."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from .soft_update_stage import SoftUpdateStage
from .update_stage import UpdateStage, rates_layout
from .update_stage_config import ARRAY_WIDTH, UpdateStageConfig
from .word_memory import NumberAccess, WordMemory, WordRead

__all__ = ["LayerParameters", "target_member"]


def target_member(config: UpdateStageConfig):
    """The port that says what an update makes of the target's weights, by its name."""
    return {"tau": In(config.layer.arithmetic.format.width)} if config.soft_target else {"copy": In(1)}


class LayerParameters(wiring.Component):
    """Keeps the numbers of a layer, each array in a memory of its own, and updates them.

    Stages read words of the weights and of the target's weights. An update (:class:`.UpdateStage`) goes over all
    words, with the gradient that the gradient stage has kept; meanwhile no stage reads. With ``copy`` new weights
    are those of the target, too; with ``config.soft_target`` those of the target move towards them
    (:class:`.SoftUpdateStage`).

    Latency, number format: see :class:`.UpdateStage`, :class:`.SoftUpdateStage` and :class:`.WordMemory`.

    Parameters
    ----------
    config : UpdateStageConfig
    readers : int
        Stages that read the weights.

    Members
    -------
    weights : In(WordRead).array(readers)
    target : In(WordRead)
    gradients : Out(WordRead)
    start : In(1)
        An update.
    done : Out(1)
    copy : In(1), or tau : In(width) with ``config.soft_target``
        Constant while an update is under way, as are the rates.
    rates : In(rates_layout(config))
    nonfinite : Out(1)
        A number that is written by the update in this cycle is infinite or NaN.
    array : In(3)
        Which array the host means, a place in ``config.arrays``; gradients are only read.
    access : In(NumberAccess)
        Of the host; while there is no update, and no stage reads.
    """

    def __init__(self, config: UpdateStageConfig, readers: int):
        self._config = config
        read = WordRead(config.layer)
        self._update = UpdateStage(config)
        self._follow = SoftUpdateStage(config) if config.soft_target else None
        super().__init__(
            target_member(config)
            | {
                "weights": In(read).array(readers),
                "target": In(read),
                "gradients": Out(read),
                "start": In(1),
                "done": Out(1),
                "rates": In(rates_layout(config)),
                "nonfinite": Out(1),
                "array": In(ARRAY_WIDTH),
                "access": In(NumberAccess(config.layer)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def cycles(self):
        """Cycles from ``start`` to ``done``."""
        return self._update.cycles + (self._follow.latency if self._config.soft_target else 0)

    def elaborate(self, platform):
        m = Module()
        layer, update = self._config.layer, self._update
        m.submodules.update = update
        weights, target = WordMemory(layer, len(self.weights)), WordMemory(layer)
        kept = [WordMemory(layer) for _ in self._config.numbers.state]
        memories = dict(zip(self._config.arrays, [weights, target, None, *kept], strict=True))
        updating = Signal()
        m.d.sync += updating.eq((updating | self.start) & ~self.done)
        m.d.comb += [update.start.eq(self.start), update.rates.eq(self.rates)]
        first, *others = self.weights
        _take_turns(m, weights.reads[0], updating, update.weights, first)
        for port, other in zip(weights.reads[1:], others, strict=True):
            wiring.connect(m, wiring.flipped(other), port)
        _write(m, update.new_weights, weights.write)
        if self._config.soft_target:
            m.submodules.follow = follow = self._follow
            _write(m, update.new_weights, follow.weights)
            _take_turns(m, target.reads[0], updating, follow.target, self.target)
            wiring.connect(m, follow.new_target, target.write)
            m.d.comb += [
                follow.tau.eq(self.tau),
                self.done.eq(delay(m, update.done, follow.latency, "done", reset_less=False)),
                self.nonfinite.eq(update.nonfinite | follow.nonfinite),
            ]
        else:
            wiring.connect(m, wiring.flipped(self.target), target.reads[0])
            _write(m, update.new_weights, target.write)
            with m.If(~self.copy):
                m.d.comb += target.write.enable.eq(0)
            m.d.comb += [self.done.eq(update.done), self.nonfinite.eq(update.nonfinite)]
        for memory, read, write in zip(kept, update.kept, update.new_kept, strict=True):
            wiring.connect(m, read, memory.reads[0])
            wiring.connect(m, write, memory.write)
        self._access(m, memories, updating)
        return m

    def _access(self, m, memories, updating):
        """Single numbers of all arrays to the host, and from it."""
        access, update = self.access, self._update
        array, lane = Signal(ARRAY_WIDTH), Signal(access.lane.shape())
        m.d.sync += [array.eq(self.array), lane.eq(access.lane)]
        m.d.comb += [
            self.gradients.enable.eq(Mux(updating, update.gradients.enable, access.enable)),
            self.gradients.address.eq(Mux(updating, update.gradients.address, access.address)),
        ]
        m.d.comb += [into.eq(number) for into, number in zip(update.gradients.word, self.gradients.word, strict=True)]
        for place, (name, memory) in enumerate(memories.items()):
            with m.If(array == place):
                if memory is None:
                    for index, number in enumerate(self.gradients.word):
                        with m.If(lane == index):
                            m.d.comb += access.number.eq(number)
                    continue
                m.d.comb += access.number.eq(memory.access.number)
            m.submodules[name] = memory
            m.d.comb += [
                memory.access.enable.eq(access.enable & (self.array == place)),
                memory.access.write.eq(access.write),
                memory.access.address.eq(access.address),
                memory.access.lane.eq(access.lane),
                memory.access.value.eq(access.value),
            ]


def _take_turns(m, port, second, two, one):
    """A port that reads for the second of two while its turn is."""
    m.d.comb += [
        port.enable.eq(Mux(second, two.enable, one.enable)),
        port.address.eq(Mux(second, two.address, one.address)),
    ]
    for reader in (one, two):
        m.d.comb += [into.eq(number) for into, number in zip(reader.word, port.word, strict=True)]


def _write(m, source, into):
    """A word that is written to one more place."""
    m.d.comb += [into.enable.eq(source.enable), into.address.eq(source.address)]
    m.d.comb += [number.eq(new) for number, new in zip(into.word, source.word, strict=True)]
