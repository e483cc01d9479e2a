"""Single parameters of a memory of words."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import LayerConfig
from .ports import parameter_read, parameter_write, word_read, word_write

__all__ = ["LaneAccess"]


class LaneAccess(ConfiguredComponent):
    """Reads and writes single parameters through ports of words.

    Latency: that of the words. Throughput: a parameter a cycle. No back-pressure.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    host_read : In(parameter_read)
    host_write : In(parameter_write)
    words : Out(word_read)
    new_words : Out(word_write)
    """

    def __init__(self, config: LayerConfig):
        super().__init__(
            config,
            {
                "host_read": In(parameter_read(config)),
                "host_write": In(parameter_write(config)),
                "words": Out(word_read(config)),
                "new_words": Out(word_write(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        lane_read = Signal(config.lane_width)
        with m.If(self.host_read.enable):
            m.d.sync += lane_read.eq(self.host_read.address)
        m.d.comb += [
            self.words.enable.eq(self.host_read.enable),
            self.words.address.eq(self.host_read.address >> config.lane_width),
            self.host_read.data.eq(self.words.data[lane_read] if config.units > 1 else self.words.data[0]),
            self.new_words.address.eq(self.host_write.address >> config.lane_width),
        ]
        chosen = (self.host_write.address[: config.lane_width] == lane for lane in range(config.units))
        m.d.comb += self.new_words.enable.eq(Cat(self.host_write.enable & lane for lane in chosen))
        m.d.comb += [parameter.eq(self.host_write.data) for parameter in self.new_words.data]
        return m
