"""The parameters of a core: their memory, their update, and the biases' way to the elementwise unit."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.float.config import BINARY16, FloatConversionConfig, find_format
from ...cores.float.conversion import FloatConverter
from ...cores.optimizer.rms_prop_config import RATES
from ...cores.optimizer.update_engine import UpdateEngine, update_command
from ...cores.pipeline import delay
from ...cores.sparse.address_generator import parameter_word as word_of_layer
from .hardware import LearningGroupHardware
from .parameter_memory import ParameterMemory

__all__ = ["CoreParameters", "bias_command", "rates_layout"]

# A layer's biases: see UpdateEngine; the first of their places among the scalars.
bias_command = data.StructLayout(update_command.members | {"scalar_base": 20})


def rates_layout(hardware):
    """RMSprop's rates; see :class:`...cores.optimizer.rms_prop_lane.RMSpropLane`."""
    return data.StructLayout(dict.fromkeys(RATES, find_format(hardware.device.optimizer_format).width))


class CoreParameters(wiring.Component):
    """A ParameterMemory with the UpdateEngine of a core.

    Number format: the optimiser's; who reads weights or scalars gets them in binary16, rounded to nearest even.

    Latency: weights come ``1 + hardware.conversion_depth`` cycles after the address. A command takes what it takes the
    UpdateEngine, then copies the biases, one a cycle.

    Parameters
    ----------
    hardware : LearningGroupHardware

    Members
    -------
    read_parameters : In
        ``enable``, ``address``, ``data``: ``weight_banks`` weights.
    words : stream, in
        Of the walk over sparse data: what is to be updated.
    commands : stream, in
        ``bias_command``: what came before is finished, then a layer's biases are updated and copied to the scalars.
        Words that come before it is done may meet the copy: ``memory_conflict``.
    done : Out(1)
        A command is complete, and all words that came before it.
    busy : Out(1)
    errors : Out
        ``address_out_of_range``, ``memory_conflict``, ``nonfinite``; the last: of what is written in this cycle.
    gradient_read_enable, gradient_read_addresses, gradients
        See :class:`...cores.optimizer.update_engine.UpdateEngine`.
    scalar_write, scalar_address, scalar : out
    host, numbers, squares
        See :class:`.ParameterMemory`.
    rates : In(rates_layout)
        Constant while anything is under way.

    Source
    ------
    LearningGroup, section III-A and III-C.
    """

    def __init__(self, hardware: LearningGroupHardware):
        self.config = hardware
        self._memory = ParameterMemory(hardware, hardware.parameter_rows, 3)
        self._engine = UpdateEngine(hardware.update)
        of_memory, of_engine = self._memory.signature.members, self._engine.signature.members
        words = data.ArrayLayout(BINARY16.width, hardware.weight_banks)
        read = {"enable": Out(1), "address": Out(range(hardware.parameter_rows)), "data": In(words)}
        super().__init__(
            {
                "read_parameters": In(wiring.Signature(read)),
                "words": In(stream.Signature(word_of_layer(hardware.sparse))),
                "commands": In(stream.Signature(bias_command)),
                "done": Out(1),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1, "memory_conflict": 1, "nonfinite": 1})),
                **{name: of_engine[name] for name in ("gradient_read_enable", "gradient_read_addresses", "gradients")},
                "scalar_write": Out(1),
                "scalar_address": Out(range(hardware.scalar_rows)),
                "scalar": Out(BINARY16.width),
                **{name: of_memory[name] for name in ("host", "numbers", "squares")},
                "rates": In(rates_layout(hardware)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = parameters = self._memory
        m.submodules.engine = engine = self._engine
        wiring.connect(m, wiring.flipped(self.host), parameters.host)
        wiring.connect(m, wiring.flipped(self.words), engine.words)
        of_sparse, of_engine, of_scalars = parameters.reads
        m.d.comb += [
            self.numbers.eq(parameters.numbers),
            self.squares.eq(parameters.squares),
            of_sparse.enable.eq(self.read_parameters.enable),
            of_sparse.address.eq(self.read_parameters.address),
            of_engine.enable.eq(engine.read_enable),
            of_engine.address.eq(engine.read_address),
            engine.weights.eq(parameters.numbers),
            engine.squares.eq(parameters.squares),
            parameters.write_lanes.eq(engine.write_lanes),
            parameters.write_address.eq(engine.write_address),
            parameters.new_numbers.eq(engine.new_weights),
            parameters.new_squares.eq(engine.new_squares),
            self.gradient_read_enable.eq(engine.gradient_read_enable),
            *(getattr(engine, name).eq(self.rates[name]) for name in RATES),
            self.errors.memory_conflict.eq(parameters.memory_conflict),
            self.errors.nonfinite.eq(engine.errors.nonfinite),
        ]
        for bank, gradient in enumerate(self.gradients):
            m.d.comb += [
                self.gradient_read_addresses[bank].eq(engine.gradient_read_addresses[bank]),
                engine.gradients[bank].eq(gradient),
            ]
        for lane in range(self.config.weight_banks):
            rounded = self._rounded(m, parameters.numbers[lane], f"weight_{lane}")
            m.d.comb += self.read_parameters.data[lane].eq(rounded)
        outside = self._copy_biases(m, engine, of_scalars, parameters.numbers)
        m.d.comb += self.errors.address_out_of_range.eq(engine.errors.address_out_of_range | outside)
        return m

    def _rounded(self, m, number, name):
        """A number in binary16, ``conversion_depth`` cycles later."""
        source, depth = find_format(self.config.device.optimizer_format), self.config.conversion_depth
        if not depth:
            return number
        converter = FloatConverter(FloatConversionConfig(source=source, target=BINARY16, depth=depth))
        m.submodules[f"converter_of_{name}"] = converter
        m.d.comb += converter.a.eq(number)
        return converter.result

    def _copy_biases(self, m, engine, read, words):
        """Commands: the engine's part, then the copy. Returns whether a bias is behind the scalars."""
        command = Signal(bias_command)
        place = Signal(len(command.columns))
        refused, reading = Signal(), Signal()
        # Memory, lane, conversion.
        latency = 2 + self.config.conversion_depth
        under_way = [reading]
        for cycle in range(latency):
            late = Signal(name=f"copying_{cycle + 1}")
            m.d.sync += late.eq(under_way[-1])
            under_way.append(late)
        lane_bits = (self.config.weight_banks - 1).bit_length()
        lane, number = Signal(lane_bits), Signal(words[0].shape())
        target = Signal(21)
        m.d.sync += [lane.eq(place), number.eq(words[lane])]
        m.d.comb += [
            engine.commands.payload[name].eq(self.commands.payload[name]) for name, _ in engine.commands.payload.shape()
        ]
        m.d.comb += [
            read.enable.eq(reading),
            read.address.eq(command.parameter_base + (place >> lane_bits)),
            target.eq(delay(m, command.scalar_base + place, latency, "target")),
            self.scalar.eq(self._rounded(m, number, "bias")),
            self.scalar_address.eq(target),
            self.scalar_write.eq(under_way[-1] & (target < self.config.scalar_rows)),
            self.busy.eq(engine.busy | ~self.commands.ready),
        ]
        with m.FSM(name="biases"):
            with m.State("IDLE"):
                m.d.comb += [
                    self.commands.ready.eq(engine.commands.ready),
                    engine.commands.valid.eq(self.commands.valid),
                ]
                m.d.sync += [command.eq(self.commands.payload), place.eq(0)]
                with m.If(self.commands.valid & engine.commands.ready):
                    m.d.sync += refused.eq(engine.errors.address_out_of_range)
                    m.next = "UPDATE"
            with m.State("UPDATE"):
                m.d.comb += engine.completions.ready.eq(1)
                with m.If(engine.completions.valid):
                    m.next = "COPY"
                    with m.If(refused | (command.columns == 0)):
                        m.next = "COMPLETE"
            with m.State("COPY"):
                m.d.comb += reading.eq(1)
                m.d.sync += place.eq(place + 1)
                with m.If(place + 1 == command.columns):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                with m.If(~Cat(under_way).any()):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
        return under_way[-1] & ~self.scalar_write
