"""A switch: streams to streams, each value to the output that it names, fairly."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..bits import choose, choose_one_hot
from ..component import ConfiguredComponent
from ..replicated import replicated
from ..stream.arbiter import RoundRobinArbiter
from .interconnect_config import SwitchConfig

__all__ = ["Switch"]


class Switch(ConfiguredComponent):
    """Passes each value to the output that its lowest bits name, without these bits.

    Inputs that want the same output take turns (:class:`.RoundRobinArbiter`). Values of one input to one output keep
    their order.

    Latency: 1 cycle, the output's register. Throughput: a value a cycle at each output. Back-pressure: an output takes
    a value when its register is empty or being emptied, so there is a path from ``ready`` of the outputs to ``ready``
    of the inputs; in a 2 x 2 switch it is one LUT. ``ready`` of an input depends on ``valid`` of all.

    Parameters
    ----------
    config : SwitchConfig

    Members
    -------
    i : array of streams, in
        Values of ``width`` bits.
    o : array of streams, out
        Values without the lowest ``digit_width`` bits.
    """

    def __init__(self, config: SwitchConfig):
        super().__init__(
            config,
            {
                "i": In(stream.Signature(config.width)).array(config.inputs),
                "o": Out(stream.Signature(config.width - config.digit_width)).array(config.outputs),
            },
        )

    @property
    def latency(self):
        """Cycles from an input to an output."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        values, digits = zip(
            *((port.payload[config.digit_width :], port.payload[: config.digit_width]) for port in self.i), strict=True
        )
        taken = [Signal(config.outputs, name=f"taken_{number}") for number in range(config.inputs)]
        for output, port in enumerate(self.o):
            wanted = Signal(config.inputs, name=f"wanted_{output}")
            free = Signal(name=f"free_{output}")
            m.d.comb += [
                wanted.eq(Cat(source.valid & (digit == output) for source, digit in zip(self.i, digits, strict=True))),
                free.eq(~port.valid | port.ready),
            ]
            index, grants = self._arbitrate(m, wanted, free, output)
            # An index of one bit is such a bit itself.
            by_bits = config.one_hot and config.inputs > 2
            value = choose_one_hot(grants, values) if by_bits else choose(index, values)
            with m.If(free):
                m.d.sync += [port.valid.eq(wanted.any()), port.payload.eq(value)]
            for number in range(config.inputs):
                m.d.comb += taken[number][output].eq(free & grants[number])
        for port, outputs in zip(self.i, taken, strict=True):
            m.d.comb += port.ready.eq(outputs.any())
        return m

    def _arbitrate(self, m, wanted, free, output):
        """The input whose turn it is at an output, as a number and as a bit."""
        inputs = self._config.inputs
        if inputs == 1:
            return Signal(1, name=f"index_{output}"), wanted
        # A unit of its own, as tables are not joined across its boundary: index and multiplexers mapped together take
        # two tables a bit at some outputs, where one is enough.
        one_hot = self._config.one_hot
        m.submodules[f"arbiter_{output}"] = arbiter = replicated(
            RoundRobinArbiter(inputs, one_hot=one_hot), key=(inputs, one_hot)
        )
        m.d.comb += [arbiter.requests.eq(wanted), arbiter.take.eq(free & wanted.any())]
        if one_hot:
            return arbiter.index, arbiter.grants
        return arbiter.index, Cat(wanted[number] & (arbiter.index == number) for number in range(inputs))
