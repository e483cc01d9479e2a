"""Layers of switches in which any input reaches any output by one path."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .interconnect_config import ButterflyConfig, SwitchConfig
from .switch import Switch

__all__ = ["Butterfly"]


class Butterfly(ConfiguredComponent):
    """Passes each value to the output that its lowest bits name, without these bits.

    A layer of switches of radix r joins rows that differ in log2 r bits of their number, the lowest in the first layer,
    and sets these bits to those of the value's destination.

    Latency: a cycle a layer. Throughput: a value a cycle at each port; values whose paths meet wait for each other,
    fairly in each switch. Order is kept between an input and an output. Back-pressure: ``ready`` passes through all
    layers without a register. A payload of a thousand bits is registered once a layer; breaking the path of
    ``ready`` in every layer would take a second register and a multiplexer for each bit.

    Parameters
    ----------
    config : ButterflyConfig

    Members
    -------
    i : array of streams, in
        Values of ``width`` bits.
    o : array of streams, out
        Values without their lowest log2 ports bits.

    Attributes
    ----------
    rows : list of dict
        For each layer the stream at which each row leaves it.

    Source
    ------
    Meng's dissertation, section 3.3.2, Fig. 3.25 and Algorithm 1.
    """

    def __init__(self, config: ButterflyConfig):
        self._layers: list[dict[int, Switch]] = []
        self.rows = []
        width, shift = config.width, 0
        for radix in config.radices:
            switch = SwitchConfig(inputs=radix, outputs=radix, width=width, one_hot=config.one_hot)
            firsts = [row for row in range(config.ports) if row >> shift & (radix - 1) == 0]
            layer = {first: replicated(Switch(switch)) for first in firsts}
            self._layers.append(layer)
            self.rows.append(
                {
                    first | number << shift: switch.o[number]
                    for first, switch in layer.items()
                    for number in range(radix)
                }
            )
            width, shift = width - switch.digit_width, shift + switch.digit_width
        super().__init__(
            config,
            {
                "i": In(stream.Signature(config.width)).array(config.ports),
                "o": Out(stream.Signature(width)).array(config.ports),
            },
        )

    @property
    def latency(self):
        """Cycles from an input to an output, if nothing is in the way."""
        return len(self._config.radices)

    def elaborate(self, platform):
        m = Module()
        shift = 0
        before = dict(enumerate(wiring.flipped(port) for port in self.i))
        for number, (layer, radix) in enumerate(zip(self._layers, self._config.radices, strict=True)):
            for first, switch in layer.items():
                m.submodules[f"switch_{number}_{first}"] = switch
                for index, port in enumerate(switch.i):
                    wiring.connect(m, before[first | index << shift], port)
            before = self.rows[number]
            shift += radix.bit_length() - 1
        for row, port in enumerate(self.o):
            wiring.connect(m, before[row], wiring.flipped(port))
        return m
