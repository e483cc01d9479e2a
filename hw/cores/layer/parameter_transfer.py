"""Parameters of layers to and from a host."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .config import LayerConfig
from .ports import parameter_read, parameter_write

__all__ = ["ParameterTransfer"]


class ParameterTransfer(wiring.Component):
    """Goes over the parameters of all layers: layer after layer, row after row, the biases last, output after output.

    Latency: a parameter a cycle, and 6 cycles. Back-pressure: on both streams.

    Parameters
    ----------
    layers : tuple of LayerConfig

    Members
    -------
    start : In(1)
    load : In(1)
        Write what comes in; otherwise what is read goes out. Constant until ``done``.
    done : Out(1)
        All parameters are written, or have gone out.
    i, o : streams of width
    read_0, ... : Out(parameter_read)
        One for each layer; data come two cycles after their address.
    write_0, ... : Out(parameter_write)
        One for each layer.
    """

    def __init__(self, layers: tuple[LayerConfig, ...]):
        self._layers = layers
        width = layers[0].arithmetic.format.width
        members: dict[str, wiring.Member] = {}
        for index, layer in enumerate(layers):
            members |= {f"read_{index}": Out(parameter_read(layer)), f"write_{index}": Out(parameter_write(layer))}
        super().__init__(
            members
            | {
                "start": In(1),
                "load": In(1),
                "done": Out(1),
                "i": In(stream.Signature(width)),
                "o": Out(stream.Signature(width)),
            }
        )

    @property
    def layers(self):
        """Layers whose parameters are transferred."""
        return self._layers

    def elaborate(self, platform):
        m = Module()
        m.submodules.leaving = leaving = StreamPipeline(self.o.payload.shape(), StreamPipelineConfig(latency=3))
        active, ending, ended, moves = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(active & self.load),
            leaving.begin.eq(active & ~self.load & leaving.ready),
            moves.eq((self.i.valid & self.i.ready) | leaving.begin),
            self.done.eq(ending & leaving.idle),
        ]
        wiring.connect(m, leaving.o, wiring.flipped(self.o))
        layer, address, lane = self._walk(m, moves, ended)
        for index, config in enumerate(self._layers):
            read, write = getattr(self, f"read_{index}"), getattr(self, f"write_{index}")
            place = Cat(lane[: config.lane_width], address)
            m.d.comb += [
                read.enable.eq(leaving.begin & (layer == index)),
                read.address.eq(place),
                write.enable.eq(self.i.valid & self.i.ready & (layer == index)),
                write.address.eq(place),
                write.data.eq(self.i.payload),
            ]
        with m.Switch(delay(m, layer, 2, "layer")):
            for index in range(len(self._layers)):
                with m.Case(index):
                    m.d.sync += leaving.result.eq(getattr(self, f"read_{index}").data)
        with m.If(self.start):
            m.d.sync += active.eq(1)
        with m.If(ended):
            m.d.sync += [active.eq(0), ending.eq(1)]
        with m.If(self.done):
            m.d.sync += ending.eq(0)
        return m

    def _walk(self, m, moves, ended):
        """The layer, word and lane of a parameter; to the next one with each move, and whether it was the last one."""
        layers = self._layers
        layer = Signal(range(max(len(layers), 2)))
        address = Signal(range(max(config.words for config in layers)))
        lane = Signal(range(max(2, *(config.units for config in layers))))
        group = Signal(range(max(2, *(config.groups for config in layers))))
        last_lane, last_group, last_word, last_layer = (
            Signal(name=f"last_{name}") for name in ("lane", "group", "word", "layer")
        )
        with m.Switch(layer):
            for index, config in enumerate(layers):
                with m.Case(index):
                    m.d.comb += [
                        last_group.eq(group == config.groups - 1),
                        last_lane.eq(lane == config.units - 1),
                        last_word.eq(address == config.words - 1),
                        last_layer.eq(index == len(layers) - 1),
                    ]
                    with m.If(last_group):
                        m.d.comb += last_lane.eq(lane == (config.outputs - 1) % config.units)
        with m.If(moves):
            m.d.sync += lane.eq(lane + 1)
            with m.If(last_lane):
                m.d.sync += [lane.eq(0), address.eq(address + 1), group.eq(group + 1)]
                with m.If(last_group):
                    m.d.sync += group.eq(0)
                with m.If(last_word):
                    m.d.sync += [address.eq(0), layer.eq(layer + 1)]
                    with m.If(last_layer):
                        m.d.sync += layer.eq(0)
        m.d.comb += ended.eq(moves & last_lane & last_word & last_layer)
        return layer, address, lane
