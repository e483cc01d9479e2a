"""Weights of a network, of its target, and what changes them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..optimizer.shared_lane import SharedLane
from ..optimizer.soft_update_lane import SoftUpdateLane
from ..replicated import replicated
from .layer_parameters import LayerParameters, target_member
from .parameter_transfer import ParameterTransfer
from .ports import word_read
from .update_stage import rates_layout, update_lane
from .update_stage_config import ARRAY_WIDTH, UpdateStageConfig

__all__ = ["NetworkParameters", "add_parameters"]


class NetworkParameters(wiring.Component):
    """Holds the parameters of all layers of a network (:class:`.LayerParameters`), updates them, and carries them to
    and from a host (:class:`.ParameterTransfer`).

    Latency, number format: see there. Layers are updated side by side, in the time of the one with the most words; or,
    with ``shared`` in ``updates``, one after another on the same lanes.

    Parameters
    ----------
    updates : tuple of UpdateStageConfig
        One for each layer.
    readers : tuple of int
        Stages that read the weights of each layer.

    Members
    -------
    weights_0, ... : In(word_read).array(readers)
        One for each layer.
    target_0, ... : In(word_read), where there is a target
    gradients_0, ... : Out(word_read), of an optimiser that takes them
    start_update : In(1)
    updated : Out(1)
        All layers are.
    rates : In(rates_layout)
        For the optimiser; constant while an update is under way.
    copy or tau : In
        What becomes of the target; see :class:`.LayerParameters`.
    nonfinite : Out(1)
        A parameter that is written by the update in this cycle is infinite or NaN.
    start_transfer : In(1)
    load : In(1)
        Write what comes in; otherwise what is read goes out. Constant until ``transferred``.
    array : In(3)
        Which one, a place in the ``arrays`` of ``updates``; constant until ``transferred``.
    transferred : Out(1)
    parameters_in, parameters_out : streams of width
    """

    def __init__(self, updates: tuple[UpdateStageConfig, ...], readers: tuple[int, ...]):
        self._updates = updates
        first = updates[0]
        parameters = stream.Signature(first.layer.arithmetic.format.width)
        members: dict[str, wiring.Member] = {}
        for index, (update, count) in enumerate(zip(updates, readers, strict=True)):
            read = word_read(update.layer)
            members[f"weights_{index}"] = In(read).array(count)
            if update.target != "none":
                members[f"target_{index}"] = In(read)
            if update.algorithm.gradients:
                members[f"gradients_{index}"] = Out(read)
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
                "parameters_in": In(parameters),
                "parameters_out": Out(parameters),
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
        lanes, follow_lanes = self._make_lanes(m)
        layers = []
        for index, update in enumerate(self._updates):
            weights = getattr(self, f"weights_{index}")
            shared = lanes[: update.lanes], follow_lanes[: update.lanes]
            layers.append(LayerParameters(update, len(weights), *shared))
            m.submodules[f"layer_{index}"] = layer = layers[-1]
            for port, inner in zip(weights, layer.weights, strict=True):
                wiring.connect(m, wiring.flipped(port), inner)
            if update.target != "none":
                wiring.connect(m, wiring.flipped(getattr(self, f"target_{index}")), layer.target)
            if update.algorithm.gradients:
                wiring.connect(m, layer.gradients, wiring.flipped(getattr(self, f"gradients_{index}")))
            if not update.shared:
                m.d.comb += [layer.start.eq(self.start_update), layer.rates.eq(self.rates)]
                m.d.comb += [getattr(layer, name).eq(getattr(self, name)) for name in target_member(update)]
        m.d.comb += self.nonfinite.eq(Cat(layer.nonfinite for layer in layers).any())
        if self._updates[0].shared:
            self._update_in_turn(m, layers, lanes, follow_lanes)
        else:
            done = Signal(len(layers))
            m.d.comb += self.updated.eq(done.all())
            m.d.sync += done.eq(Mux(self.updated, 0, done | Cat(layer.done for layer in layers)))
        self._transfer(m, layers)
        return m

    def _make_lanes(self, m):
        """Lanes that the layers share: the optimiser's and the target's, as many as the layer with most has."""
        first, layers = self._updates[0], len(self._updates)
        if not first.shared:
            return [], []
        numbers = range(max(update.lanes for update in self._updates))
        rates = first.algorithm.rates
        lanes = [SharedLane(update_lane(first), rates, layers) for _ in numbers]
        follow_lanes = []
        if first.target == "soft":
            arithmetic = first.layer.arithmetic
            follow_lanes = [SharedLane(replicated(SoftUpdateLane(arithmetic)), ("tau",), layers) for _ in numbers]
        for name, made in (("lane", lanes), ("follow_lane", follow_lanes)):
            for number, lane in enumerate(made):
                m.submodules[f"{name}_{number}"] = lane
        for lane in lanes:
            m.d.comb += [getattr(lane, name).eq(self.rates[name]) for name in rates]
        m.d.comb += [lane.tau.eq(self.tau) for lane in follow_lanes]
        return lanes, follow_lanes

    def _update_in_turn(self, m, layers, lanes, follow_lanes):
        """A layer begins when the one before has ended; all take the same lanes."""
        active = Signal(range(len(layers)))
        starts = [self.start_update, *(layer.done for layer in layers)]
        for place, (layer, start) in enumerate(zip(layers, starts, strict=False)):
            m.d.comb += layer.start.eq(start)
            with m.If(start):
                m.d.sync += active.eq(place)
            for port, lane in zip(layer.lanes, lanes, strict=False):
                wiring.connect(m, port, lane.layers[place])
            # Without a soft target there are none.
            for port, lane in zip(getattr(layer, "follow_lanes", ()), follow_lanes, strict=False):
                wiring.connect(m, port, lane.layers[place])
        m.d.comb += self.updated.eq(starts[-1])
        m.d.comb += [lane.active.eq(active) for lane in (*lanes, *follow_lanes)]

    def _transfer(self, m, layers):
        """Parameters of arrays to the host, and from it."""
        m.submodules.transfer = transfer = ParameterTransfer(tuple(update.layer for update in self._updates))
        wiring.connect(m, wiring.flipped(self.parameters_in), transfer.i)
        wiring.connect(m, transfer.o, wiring.flipped(self.parameters_out))
        m.d.comb += [
            transfer.start.eq(self.start_transfer),
            transfer.load.eq(self.load),
            self.transferred.eq(transfer.done),
        ]
        for index, layer in enumerate(layers):
            wiring.connect(m, getattr(transfer, f"read_{index}"), layer.host_read)
            wiring.connect(m, getattr(transfer, f"write_{index}"), layer.host_write)
            m.d.comb += layer.array.eq(self.array)


def add_parameters(m, name, updates, *, readers, target=None, gradients=None):
    """Puts the parameters of a network into a module, and connects the pipelines that read them.

    Parameters
    ----------
    m : Module
    name : str
    updates : tuple of UpdateStageConfig
        One for each layer.
    readers : list of ForwardGraph and BackwardGraph
        Graphs that read the weights; some do not go back through the first layer.
    target : ForwardGraph, optional
        Graph that reads the target's weights, where there is one.
    gradients : BackwardGraph, optional
        Graph that keeps the gradients; without, the optimiser takes none.

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
        if target is not None:
            wiring.connect(m, getattr(target, f"weights_{index}"), getattr(parameters, f"target_{index}"))
        if gradients is not None:
            wiring.connect(m, getattr(parameters, f"gradients_{index}"), getattr(gradients, f"gradients_{index}"))
    return parameters
