"""A host's rows of the cores' activation and error memories."""

from dataclasses import replace

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.host_map import HostPort
from ..memory.host_map_config import HostMapConfig, HostRegion
from .commands import Destination
from .config import WORD_WIDTH
from .core_memories import READ_LATENCY, RowReadPort
from .engine_config import ArrayEngineConfig
from .layouts import insertion_layout

__all__ = ["HostRows", "host_regions", "row_options"]


def row_options(config: ArrayEngineConfig):
    """Layout of the options with which a host writes rows."""
    return data.StructLayout(
        {
            "slot": 4,
            "monitor": 1,  # record their range in the slot
            "quantize": 1,  # store codes of the slot
            "lanes": range(config.lanes + 1),  # lanes that are present
            "merge": 1,  # absent lanes keep what they hold, else they become zero
        }
    )


def host_regions(config: ArrayEngineConfig, *, activations: int, errors: int, codes: int, settle: int):
    """The memories in a host's map: activations, errors, and the activations as codes, two samples per row.

    Parameters
    ----------
    config : ArrayEngineConfig
    activations, errors, codes : int
        Their numbers. A host's row of ``codes`` is a sample, and written only.
    settle : int
        Cycles from a row that is taken until it is in memory.
    """
    words = HostRegion(
        name="activations",
        number=activations,
        width=WORD_WIDTH * config.lanes,
        depth=config.activation_rows,
        cores=config.cores,
        latency=READ_LATENCY,
        settle=settle,
    )
    return (
        words,
        replace(words, name="errors", number=errors, depth=config.error_rows),
        replace(words, name="codes", number=codes, parts=2, readable=False),
    )


class HostRows(ConfiguredComponent):
    """Connects a host's map to the cores' memories: writes become insertions, reads go straight to the memory.

    A row written to every core is one insertion. Rows of noise are inserted while the host writes none.

    Latency: none, combinational. Throughput: a row a cycle. Back-pressure: that of insertions and memories appears as
    missing grants.

    Parameters
    ----------
    config : ArrayEngineConfig
    host : HostMapConfig
        The host's map; the regions of :func:`host_regions` are among its own.

    Members
    -------
    activations, errors, codes : In(HostPort(region, host.modulus)).array(cores, 1)
    options : In(row_options(config))
        What the host says of the row that it writes.
    noise : In(stream.Signature(insertion_layout(config)))
    insertions : Out(stream.Signature(insertion_layout(config)))
    activation_rows, error_rows : Out(RowReadPort(config)).array(cores)
    """

    def __init__(self, config: ArrayEngineConfig, *, host: HostMapConfig):
        insertion = stream.Signature(insertion_layout(config))
        super().__init__(
            config,
            {
                **{
                    name: In(HostPort(host.region(name), host.modulus)).array(config.cores, 1)
                    for name in ("activations", "errors", "codes")
                },
                "options": In(row_options(config)),
                "noise": In(insertion),
                "insertions": Out(insertion),
                "activation_rows": Out(RowReadPort(config)).array(config.cores),
                "error_rows": Out(RowReadPort(config)).array(config.cores),
            },
        )

    def elaborate(self, platform):
        m = Module()
        for ports, rows in ((self.activations, self.activation_rows), (self.errors, self.error_rows)):
            for (port,), row in zip(ports, rows, strict=True):
                m.d.comb += [
                    row.enable.eq(port.read.enable),
                    row.row.eq(port.read.address),
                    row.index.eq(port.index),
                    port.read_granted.eq(row.granted),
                    port.read.data.eq(row.data),
                ]
        writing = Signal()
        written = Signal(insertion_layout(self._config))
        m.d.comb += [
            *(written[name].eq(self.options[name]) for name, _ in self.options.shape()),
            self.insertions.valid.eq(writing | self.noise.valid),
            self.insertions.payload.eq(Mux(writing, written, self.noise.payload)),
            self.noise.ready.eq(self.insertions.ready & ~writing),
        ]
        regions = ((self.activations, Destination.ACTIVATION), (self.errors, Destination.ERROR),
                   (self.codes, Destination.ACTIVATION))  # fmt: skip
        for ports, destination in regions:
            first = ports[0][0]
            cores = Cat(port.write.enable.any() for (port,) in ports)
            m.d.comb += [port.write_granted.eq(self.insertions.ready) for (port,) in ports]
            with m.If(cores.any()):
                # All cores are asked for the same row.
                m.d.comb += [
                    writing.eq(1),
                    written.cores.eq(cores),
                    written.destination.eq(destination),
                    written.row.eq(first.write.address),
                    written.index.eq(first.index),
                    written.words.eq(first.write.data),
                ]
        m.d.comb += written.parity.eq(Cat(port.write.enable[1] for (port,) in self.codes).any())
        return m
