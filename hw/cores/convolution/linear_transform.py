"""The linear transform module of Winograd's algorithm: vectors times a matrix of small integers, by shifts and adds."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .transform_config import LinearTransformConfig

__all__ = ["LinearTransform", "LinearTransformLane"]


class LinearTransformLane(ConfiguredComponent):
    """A lane of a linear transform: the sum of each result, and results in the order in which they leave.

    Parameters
    ----------
    config : LinearTransformConfig

    Members
    -------
    element : In(signed(width))
    step : In(range(inputs))
        Which vector of a block the element is of.
    takes, gives : In(1)
        The vector is added in this cycle; a result leaves in this cycle.
    result : Out(signed(result_width))
        The next to leave, from the cycle after a block's last vector on.
    """

    def __init__(self, config: LinearTransformConfig):
        super().__init__(
            config,
            {
                "element": In(signed(config.width)),
                "step": In(range(max(config.inputs, 2))),
                "takes": In(1),
                "gives": In(1),
                "result": Out(signed(config.result_width)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        outputs = config.outputs
        places = [Signal(signed(config.result_width), name=f"result_{number}") for number in range(outputs)]
        # The next result is in the first place.
        ends = self.takes & (self.step == config.inputs - 1)
        for number, (place, total) in enumerate(zip(places, self._sums(m), strict=True)):
            with m.If(ends):
                m.d.sync += place.eq(total)
            if number + 1 < outputs:
                with m.Elif(self.gives):
                    m.d.sync += place.eq(places[number + 1])
        m.d.comb += self.result.eq(places[0])
        return m

    def _sums(self, m):
        """The sum of each result, the present vector included."""
        config = self._config
        found = []
        multiples = {
            number: self._multiple(m, number)
            for number in sorted({abs(number) for line in config.matrix for number in line if number})
        }
        for number, line in enumerate(config.matrix):
            term, kept, total = (
                Signal(signed(config.result_width), name=f"{name}_{number}") for name in ("term", "kept", "sum")
            )
            with m.Switch(self.step):
                for column, factor in enumerate(line):
                    with m.Case(column):
                        multiple = multiples[abs(factor)] if factor else 0
                        m.d.comb += term.eq(-multiple if factor < 0 else multiple)
            m.d.comb += total.eq(Mux(self.step == 0, 0, kept) + term)
            with m.If(self.takes):
                m.d.sync += kept.eq(total)
            found.append(total)
        return found

    def _multiple(self, m, number):
        """The element times a positive number: a shift for each of its bits."""
        multiple = Signal(signed(self._config.width + number.bit_length()), name=f"times_{number}")
        shifts = [self.element << bit for bit in range(number.bit_length()) if number >> bit & 1]
        m.d.comb += multiple.eq(sum(shifts[1:], shifts[0]))
        return multiple


class LinearTransform(ConfiguredComponent):
    """Makes of each block of vectors another block, ``matrix @ vectors``, lane by lane.

    Every result has a sum, to which each vector is added as its number of the matrix says: times 0, 1, -1, 5 and so on,
    by shifts and adds. The results of a block leave while the next one comes.

    Sums are exact: ``config.result_width`` bits hold every one.

    Latency: a cycle from a block's last vector to its first result. Throughput: a vector a cycle, or a result a cycle
    where there are more of them. Back-pressure: that of ``o``, on a block's last vector.

    Parameters
    ----------
    config : LinearTransformConfig

    Members
    -------
    i : :py:`In(stream.Signature(data.ArrayLayout(signed(width), lanes)))`
        ``config.inputs`` vectors a block.
    o : :py:`Out(stream.Signature(data.ArrayLayout(signed(result_width), lanes)))`
        ``config.outputs`` vectors a block.

    Source
    ------
    DYNAMAP, section 3.1.3: the linear transform modules.
    """

    def __init__(self, config: LinearTransformConfig):
        vector = data.ArrayLayout(signed(config.width), config.lanes)
        result = data.ArrayLayout(signed(config.result_width), config.lanes)
        super().__init__(config, {"i": In(stream.Signature(vector)), "o": Out(stream.Signature(result))})

    def elaborate(self, platform):
        m = Module()
        config = self._config
        inputs, outputs = config.inputs, config.outputs
        step, last, free = Signal(range(max(inputs, 2))), Signal(), Signal()
        waiting = Signal(range(outputs + 1))
        takes, gives = Signal(), Signal()
        m.d.comb += [
            last.eq(step == inputs - 1),
            free.eq((waiting == 0) | (waiting == 1) & self.o.ready),
            self.i.ready.eq(~last | free),
            self.o.valid.eq(waiting != 0),
            takes.eq(self.i.valid & self.i.ready),
            gives.eq(self.o.valid & self.o.ready),
        ]
        with m.If(takes):
            m.d.sync += step.eq(Mux(last, 0, step + 1))
        with m.If(takes & last):
            m.d.sync += waiting.eq(outputs)
        with m.Elif(gives):
            m.d.sync += waiting.eq(waiting - 1)
        for number in range(config.lanes):
            m.submodules[f"lane_{number}"] = lane = replicated(LinearTransformLane(config))
            m.d.comb += [
                lane.element.eq(self.i.payload[number]),
                lane.step.eq(step),
                lane.takes.eq(takes),
                lane.gives.eq(gives),
                self.o.payload[number].eq(lane.result),
            ]
        return m
