"""The unit of fractionally strided convolutions: from a feature map to a feature map."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..convolution.word_writer import WordWriter, parameter_row, word_command
from ..forwarding import forward_port
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..memory.ports import ReadPort
from ..memory.unaligned import UnalignedReadPort, UnalignedWritePort
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .engine import FractionalConvolutionEngine
from .layouts import command_layout, operands_layout
from .pixel_loader import PixelLoader, load_command
from .unit_config import FractionalConvolutionUnitConfig

__all__ = ["FractionalConvolutionUnit", "fractional_convolution_command"]

# Passes that the writer has not begun: as many as wait in the engine.
_QUEUE = StreamBufferConfig(depth=3, latency=1)


def fractional_convolution_command(config: FractionalConvolutionUnitConfig) -> data.StructLayout:
    """A pass, and before it perhaps the load of its picture.

    ``loads``: the picture is loaded first; else it is in the input memory. ``load``: as of
    :func:`.pixel_loader.load_command`. ``convolution``: the engine's command. ``words``: as of
    :func:`.word_writer.word_command`.
    """
    return data.StructLayout(
        {
            "loads": 1,
            "load": load_command(config),
            "convolution": command_layout(config.engine),
            "words": word_command(config.writer),
        }
    )


class FractionalConvolutionUnit(ConfiguredComponent):
    """Loads a picture from a feature map, convolves it, and writes words of the sums to a feature map.

    ::

        feature map --> PixelLoader --> input memory --> FractionalConvolutionEngine --> WordWriter --> feature map
                                       weight memory ----^              parameters ----^

    A command is a channel tile (:class:`.Pass`), whose outputs leave pixel by pixel. All tiles of a layer have the
    picture in common, which the first one loads.

    Number format: integers. Sums are exact; :class:`.Requantizer` says how words are made of them.

    Latency and throughput: :func:`.unit_cycles.layer_cycles` has the exact cycles. Passes follow each other as in the
    engine, one being computed while the words of the one before are written. A load is not hidden: it begins when the
    words of all passes before are written, and its pass when it has ended. So layers may be chained through the
    feature map, one command after the other.

    Back-pressure: a command waits for its load and for room in the engine. Reads and words wait until they are granted.

    Parameters
    ----------
    config : FractionalConvolutionUnitConfig

    Members
    -------
    commands : :py:`In(stream.Signature(fractional_convolution_command(config)))`
    completions : :py:`Out(stream.Signature(1, always_ready=True))`
        One for each command whose words are written, in the order of the commands.
    busy : Out(1)
        A command is under way.
    saturated : Out(lanes)
        Words that are written in this cycle and were saturated.
    errors : Out
        ``address_out_of_range``: past the end of the input memory, the weight memory or the scratchpad.
    memory : Out(UnalignedReadPort(config.writer.features))
    memory_granted : In(1)
        As of :class:`.WindowReader`.
    read_weights : Out(ReadPort(operands_layout(config.engine, lanes), weight_rows))
        Rows as :class:`.FractionalConvolutionEngine` has them.
    parameters : Out(ReadPort(parameter_row(config.writer), parameter_rows))
    features : Out(UnalignedWritePort(config.writer.features))
    features_granted : In(1)
        As of :class:`.WordWriter`.

    Source
    ------
    Thesis, section 3.2 (FSCAccel), whose cores read from and write to DRAM.
    """

    def __init__(self, config: FractionalConvolutionUnitConfig):
        engine, writer = config.engine, config.writer
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(fractional_convolution_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "saturated": Out(writer.lanes),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "memory": Out(UnalignedReadPort(writer.features)),
                "memory_granted": In(1, init=1),
                "read_weights": Out(ReadPort(operands_layout(engine, engine.lanes), engine.weight_rows)),
                "parameters": Out(ReadPort(parameter_row(writer), writer.parameter_rows)),
                "features": Out(UnalignedWritePort(writer.features)),
                "features_granted": In(1, init=1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.loader = loader = PixelLoader(config)
        m.submodules.engine = engine = FractionalConvolutionEngine(config.engine)
        m.submodules.writer = writer = WordWriter(config.writer)
        inputs = engine.read_inputs.signature
        # The loader waits until nothing reads.
        m.submodules.inputs = memory = Memory(inputs.shape, MemoryConfig(depth=inputs.depth, hazard="never"))
        wiring.connect(m, engine.read_inputs, memory.reads[0])
        wiring.connect(m, loader.inputs, memory.write)
        for part, names in (
            (loader, ("memory", "memory_granted")),
            (engine, ("read_weights",)),
            (writer, ("completions", "saturated", "parameters", "features", "features_granted")),
        ):
            for name in names:
                forward_port(m, part, self, name)
        self._take_commands(m, loader, engine, writer)
        sums = engine.outputs.payload.values
        m.d.comb += [
            writer.totals.valid.eq(engine.outputs.valid),
            engine.outputs.ready.eq(writer.totals.ready),
            *(total.eq(sums[lane].as_signed()) for lane, total in enumerate(writer.totals.payload)),
            # The engine's next words then find a writer that has begun.
            engine.completions.ready.eq(writer.completions.valid),
            self.errors.address_out_of_range.eq(engine.errors.address_out_of_range | loader.out_of_range),
        ]
        return m

    def _take_commands(self, m, loader, engine, writer):
        """A command's parts go on together, after its load."""
        command, takes, loaded = self.commands.payload, Signal(), Signal()
        m.submodules.word_commands = words = StreamBuffer(command.words.shape(), _QUEUE)
        wiring.connect(m, words.o, writer.commands)
        m.d.comb += [
            # The picture may still be being written, to the place where the one before is still read.
            loader.commands.valid.eq(self.commands.valid & command.loads & ~loaded & ~engine.busy),
            loader.commands.payload.eq(command.load),
            self.commands.ready.eq((~command.loads | loaded) & engine.commands.ready & words.i.ready),
            takes.eq(self.commands.valid & self.commands.ready),
            engine.commands.valid.eq(takes),
            engine.commands.payload.eq(command.convolution),
            words.i.valid.eq(takes),
            words.i.payload.eq(command.words),
            self.busy.eq(engine.busy | loader.busy | loaded),
        ]
        m.d.sync += loaded.eq((loaded | loader.completions.valid) & ~takes)
