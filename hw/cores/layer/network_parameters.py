"""Weights of a network, of its target, and what changes them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .layer_parameters import LayerParameters, target_member
from .number_transfer import NumberTransfer
from .update_stage import rates_layout
from .update_stage_config import ARRAY_WIDTH, UpdateStageConfig
from .word_memory import WordRead

__all__ = ["NetworkParameters", "add_parameters"]


class NetworkParameters(wiring.Component):
    """Keeps the numbers of all layers of a network (:class:`.LayerParameters`), updates them side by side, and carries
    them to and from a host (:class:`.NumberTransfer`).

    Latency, number format: see there; an update takes as long as that of the layer with the most words.

    Parameters
    ----------
    updates : tuple of UpdateStageConfig
        Of each layer.
    readers : tuple of int
        Stages that read the weights, of each layer.

    Members
    -------
    weights_0, ... : In(WordRead).array(readers)
        Of each layer.
    target_0, ... : In(WordRead)
    gradients_0, ... : Out(WordRead)
    start_update : In(1)
    updated : Out(1)
        All layers are.
    rates : In(rates_layout)
        Of the optimiser; constant while an update is under way.
    copy or tau : In
        What becomes of the target; see :class:`.LayerParameters`.
    nonfinite : Out(1)
        A number that is written by the update in this cycle is infinite or NaN.
    start_transfer : In(1)
    load : In(1)
        Write what comes in; otherwise what is read goes out. Constant until ``transferred``.
    array : In(3)
        Which one, a place in the ``arrays`` of ``updates``; constant until ``transferred``.
    transferred : Out(1)
    numbers_in, numbers_out : streams of width
    """

    def __init__(self, updates: tuple[UpdateStageConfig, ...], readers: tuple[int, ...]):
        self._updates = updates
        first = updates[0]
        numbers = stream.Signature(first.layer.arithmetic.format.width)
        members: dict[str, wiring.Member] = {}
        for index, (update, count) in enumerate(zip(updates, readers, strict=True)):
            read = WordRead(update.layer)
            members |= {
                f"weights_{index}": In(read).array(count),
                f"target_{index}": In(read),
                f"gradients_{index}": Out(read),
            }
        super().__init__(
            members
            | target_member(first)
            | {
                "start_update": In(1),
                "updated": Out(1),
                "rates": In(rates_layout(first)),
                "nonfinite": Out(1),
                "start_transfer": In(1),
                "load": In(1),
                "array": In(ARRAY_WIDTH),
                "transferred": Out(1),
                "numbers_in": In(numbers),
                "numbers_out": Out(numbers),
            }
        )

    @property
    def updates(self):
        """The configuration of each layer."""
        return self._updates

    @property
    def readers(self):
        """Stages that read the weights, of each layer."""
        return tuple(len(getattr(self, f"weights_{index}")) for index in range(len(self._updates)))

    def elaborate(self, platform):
        m = Module()
        layers = []
        for index, update in enumerate(self._updates):
            weights = getattr(self, f"weights_{index}")
            layers.append(LayerParameters(update, readers=len(weights)))
            m.submodules[f"layer_{index}"] = layer = layers[-1]
            for port, inner in zip(weights, layer.weights, strict=True):
                wiring.connect(m, wiring.flipped(port), inner)
            wiring.connect(m, wiring.flipped(getattr(self, f"target_{index}")), layer.target)
            wiring.connect(m, layer.gradients, wiring.flipped(getattr(self, f"gradients_{index}")))
            m.d.comb += [layer.start.eq(self.start_update), layer.rates.eq(self.rates)]
            m.d.comb += [getattr(layer, name).eq(getattr(self, name)) for name in target_member(update)]
        m.d.comb += self.nonfinite.eq(Cat(layer.nonfinite for layer in layers).any())
        done = Signal(len(layers))
        m.d.comb += self.updated.eq(done.all())
        m.d.sync += done.eq(Mux(self.updated, 0, done | Cat(layer.done for layer in layers)))
        self._transfer(m, layers)
        return m

    def _transfer(self, m, layers):
        """Numbers of arrays to the host, and from it."""
        m.submodules.transfer = transfer = NumberTransfer(tuple(update.layer for update in self._updates))
        wiring.connect(m, wiring.flipped(self.numbers_in), transfer.i)
        wiring.connect(m, transfer.o, wiring.flipped(self.numbers_out))
        m.d.comb += [
            transfer.start.eq(self.start_transfer),
            transfer.load.eq(self.load),
            self.transferred.eq(transfer.done),
        ]
        read = Signal.like(transfer.layer)
        m.d.sync += read.eq(transfer.layer)
        for index, layer in enumerate(layers):
            m.d.comb += [
                layer.array.eq(self.array),
                layer.access.enable.eq(transfer.enable & (transfer.layer == index)),
                layer.access.write.eq(transfer.write),
                layer.access.address.eq(transfer.address),
                layer.access.lane.eq(transfer.lane),
                layer.access.value.eq(transfer.value),
            ]
            with m.If(read == index):
                m.d.comb += transfer.number.eq(layer.access.number)


def add_parameters(m, name, updates, *, readers, target, gradients):
    """Puts a network's parameters into a module, and connects what reads them.

    Parameters
    ----------
    m : Module
    name : str
    updates : tuple of UpdateStageConfig
        Of each layer.
    readers : list of ForwardPipeline and BackwardPipeline
        Which go with the weights; some do not go back through the first layer.
    target : ForwardPipeline
        Which goes with the target's weights.
    gradients : BackwardPipeline
        Which keeps the gradients.

    Returns
    -------
    NetworkParameters
    """
    names = [f"weights_{index}" for index in range(len(updates))]
    ports = {weights: [getattr(part, weights) for part in readers if hasattr(part, weights)] for weights in names}
    m.submodules[name] = parameters = NetworkParameters(updates, tuple(map(len, ports.values())))
    for index, (weights, reading) in enumerate(ports.items()):
        for reader, port in zip(reading, getattr(parameters, weights), strict=True):
            wiring.connect(m, reader, port)
        wiring.connect(m, getattr(target, f"weights_{index}"), getattr(parameters, f"target_{index}"))
        wiring.connect(m, getattr(parameters, f"gradients_{index}"), getattr(gradients, f"gradients_{index}"))
    return parameters
