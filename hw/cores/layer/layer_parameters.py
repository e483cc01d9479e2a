"""Weights of a layer, of its target, what the optimiser keeps, and the optimiser."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import ARRAY_WIDTH, UpdateStageConfig
from .update_stage import UpdateStage, rates_layout
from .word_memory import NumberAccess, WordMemory, WordRead

__all__ = ["LayerParameters"]


class LayerParameters(wiring.Component):
    """Keeps the numbers of a layer, each array in a memory of its own, and updates them.

    Stages read words of the weights and of the target's weights. An update (:class:`.UpdateStage`) goes over all
    words, with the gradient that the gradient stage has kept; meanwhile the forward stage does not read. With ``copy``
    new weights are those of the target, too.

    Latency, number format: see :class:`.UpdateStage` and :class:`.WordMemory`.

    Parameters
    ----------
    config : UpdateStageConfig
    backward : bool
        Whether a backward stage reads, too.

    Members
    -------
    forward, target : In(WordRead)
        Of the forward stages of online and target network.
    backward : In(WordRead)
        Of the backward stage, if there is one.
    gradients : Out(WordRead)
    start : In(1)
        An update.
    done : Out(1)
    copy : In(1)
        Constant while an update is under way, as are the rates.
    rates : In(rates_layout(config))
    nonfinite : Out(1)
        A number that is written by the update in this cycle is infinite or NaN.
    array : In(3)
        Which array the host means, a place in ``config.arrays``; gradients are only read.
    access : In(NumberAccess)
        Of the host; while there is no update, and no stage reads.
    """

    def __init__(self, config: UpdateStageConfig, backward: bool):
        self._config = config
        read = WordRead(config.layer)
        self._update = UpdateStage(config)
        members = {"forward": In(read), "target": In(read)} | ({"backward": In(read)} if backward else {})
        super().__init__(
            members
            | {
                "gradients": Out(read),
                "start": In(1),
                "done": Out(1),
                "copy": In(1),
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
        return self._update.cycles

    def elaborate(self, platform):
        m = Module()
        layer, update = self._config.layer, self._update
        m.submodules.update = update
        readers = [update.weights, self.backward] if hasattr(self, "backward") else [update.weights]
        weights, target = WordMemory(layer, len(readers)), WordMemory(layer)
        kept = [WordMemory(layer) for _ in self._config.numbers.state]
        memories = dict(zip(self._config.arrays, [weights, target, None, *kept], strict=True))
        updating = Signal()
        m.d.sync += updating.eq((updating | self.start) & ~self.done)
        m.d.comb += [
            update.start.eq(self.start),
            self.done.eq(update.done),
            update.rates.eq(self.rates),
            self.nonfinite.eq(update.nonfinite),
        ]
        _take_turns(m, weights.reads[0], updating, update.weights, self.forward)
        if len(readers) > 1:
            wiring.connect(m, wiring.flipped(self.backward), weights.reads[1])
        wiring.connect(m, wiring.flipped(self.target), target.reads[0])
        for write in (weights.write, target.write):
            m.d.comb += [
                write.enable.eq(update.new_weights.enable),
                write.address.eq(update.new_weights.address),
            ]
            m.d.comb += [into.eq(number) for into, number in zip(write.word, update.new_weights.word, strict=True)]
        with m.If(~self.copy):
            m.d.comb += target.write.enable.eq(0)
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
