"""The face that every accelerator shows its host."""

from amaranth.hdl import Cat, Const, Module, ResetInserter, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.engine import EngineSignature, error_layout
from ...cores.error_flags import ERROR_FLAGS
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.packet import packet_layout
from ...cores.stream.packet_buffer import PacketIntake, PacketOutlet
from ..bus.axi_lite import AxiLiteSignature
from ..bus.register_bank import RegisterBank, register_signature
from ..sequencer.config import SequencerConfig
from ..sequencer.layouts import command_layout
from ..sequencer.sequencer import Sequencer
from .registers import INTERRUPTS, State

__all__ = ["Shell", "system_signature"]

STOPPING_FLAGS = sum(1 << index for index, flag in enumerate(ERROR_FLAGS) if flag.stops)


def system_signature(config):
    """Ports of every system: ``control``, ``stream_in``, ``stream_out``, ``partial_row``, ``interrupt``.

    Parameters
    ----------
    config : ShellConfig
    """
    packets = stream.Signature(packet_layout(config.stream_width))
    return wiring.Signature(
        {
            "control": In(AxiLiteSignature(config.address_map.address_width)),
            "stream_in": In(packets),
            "stream_out": Out(packets),
            "partial_row": In(1),
            "interrupt": Out(1),
        }
    )


class Shell(ConfiguredComponent):
    """Registers, program memory, sequencer, counters, sticky error flags and stream buffers of an accelerator.

    ``docs/shell.md`` has the register map and the contract with the engines.

    Latency: a stream takes two cycles through its buffer. Throughput: one beat a cycle each way. Back-pressure: the
    buffers decouple both sides. Soft reset keeps the rules of the host's streams: see :class:`.PacketIntake` and
    :class:`.PacketOutlet`.

    Parameters
    ----------
    config : ShellConfig

    Members
    -------
    control : :py:`In(AxiLiteSignature(...))`
        From the host.
    stream_in : :py:`In(packet_signature(stream_width))`
        From the host.
    stream_out : :py:`Out(packet_signature(stream_width))`
        To the host.
    partial_row : :py:`In(1)`
        The row that is taken from the host lacks bytes: raises ``stream_underflow``.
    interrupt : :py:`Out(1)`
        1 while an enabled bit of ``interrupt_status`` is.
    rows_in : :py:`Out(packet_signature(stream_width))`
        ``stream_in`` behind its buffer.
    rows_out : :py:`In(packet_signature(stream_width))`
        Goes to ``stream_out`` through its buffer.
    engines : :py:`Out(Signature)`
        One :class:`.EngineSignature` for each engine of the instruction set.
    errors : :py:`In(error_layout)`
        Flags raised by parts that are no engine.
    reset : :py:`Out(1)`
        Soft reset, one cycle.
    registers : :py:`Out(register_signature(config.registers))`
        The accelerator's; absent if it has none.
    """

    def __init__(self, config):
        packets = stream.Signature(packet_layout(config.stream_width))
        engines = {name: Out(EngineSignature(command_layout(config.instruction_set, name))) for name in config.engines}
        members = dict(system_signature(config).members)
        members |= {
            "rows_in": Out(packets),
            "rows_out": In(packets),
            "engines": Out(wiring.Signature(engines)),
            "errors": In(error_layout),
            "reset": Out(1),
        }
        if config.registers:
            members["registers"] = Out(register_signature(config.registers))
        super().__init__(config, members)

    @property
    def latency(self):
        """Cycles of a beat through the buffer of its stream."""
        return 2

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.bank = bank = RegisterBank(config.address_map)
        wiring.connect(m, wiring.flipped(self.control), bank.control)
        registers = bank.registers
        if config.registers:
            for path, member, inner in register_signature(config.registers).flatten(registers):
                outer = self.registers
                for name in path:
                    outer = getattr(outer, name)
                m.d.comb += outer.eq(inner) if member.flow is Out else inner.eq(outer)

        sequencer = self._sequencer(m, bank)
        self._errors(m, registers, sequencer)
        outlet = self._buffers(m)
        state = self._state(m, registers, sequencer)
        self._interrupt(m, registers, state, (outlet.level == 0) & ~outlet.ending)
        self._counters(m, registers, sequencer)
        return m

    def _sequencer(self, m, bank):
        config = self.config
        registers = bank.registers
        sequencer = Sequencer(SequencerConfig(instruction_set=config.instruction_set, depth=config.instruction_depth))
        m.submodules.sequencer = ResetInserter(self.reset)(sequencer)
        wiring.connect(m, bank.windows.program, sequencer.program)
        control = registers.control
        start, soft_reset = control.value[0], control.value[1]
        m.d.comb += [
            # A start that would be lost is refused.
            control.refuse.eq(start & (soft_reset | sequencer.running | sequencer.stop)),
            sequencer.start.eq(control.strobe & start),
            sequencer.start_address.eq(registers.start_address),
            registers.program_counter.eq(sequencer.program_counter),
        ]
        m.d.sync += [
            sequencer.stop.eq((registers.errors.value & STOPPING_FLAGS).any()),
            self.reset.eq(control.strobe & soft_reset),
        ]
        for name in config.engines:
            wiring.connect(m, getattr(sequencer.engines, name), wiring.flipped(getattr(self.engines, name)))
        return sequencer

    def _errors(self, m, registers, sequencer):
        raised = Value.cast(self.errors)
        for name in self.config.engines:
            raised = raised | Value.cast(getattr(self.engines, name).errors)
        own = Signal(error_layout)
        m.d.comb += [
            own.bad_instruction.eq(sequencer.bad_instruction),
            own.address_out_of_range.eq(sequencer.address_out_of_range),
            own.stream_underflow.eq(self.partial_row),
            registers.errors.set.eq(raised | Value.cast(own)),
        ]

    def _buffers(self, m):
        """The streams' buffers; returns the one towards the host."""
        config, width = StreamBufferConfig(depth=self.config.stream_depth), self.config.stream_width
        m.submodules.intake = intake = PacketIntake(width, config)
        m.submodules.outlet = outlet = PacketOutlet(width, config)
        m.d.comb += [intake.clear.eq(self.reset), outlet.clear.eq(self.reset)]
        wiring.connect(m, wiring.flipped(self.stream_in), intake.i)
        wiring.connect(m, intake.o, wiring.flipped(self.rows_in))
        wiring.connect(m, wiring.flipped(self.rows_out), outlet.i)
        wiring.connect(m, outlet.o, wiring.flipped(self.stream_out))
        return outlet

    def _state(self, m, registers, sequencer):
        state = Signal(State)
        with m.If(sequencer.running):
            m.d.comb += state.eq(State.RUNNING)
        with m.Elif(sequencer.stop):
            m.d.comb += state.eq(State.ERROR)
        with m.Elif(sequencer.done):
            m.d.comb += state.eq(State.DONE)
        busy = Signal(len(self.config.engines))
        m.d.sync += busy.eq(Cat(getattr(self.engines, name).busy for name in self.config.engines))
        m.d.comb += registers.status.eq(Cat(state, Const(0, 6), busy))
        return state

    def _interrupt(self, m, registers, state, rows_left):
        """An error is told at once; a program's end when the host has everything that it gave."""
        now = Cat((state == State.DONE) & rows_left, state == State.ERROR)
        before = Signal(len(INTERRUPTS))
        m.d.sync += before.eq(now)
        m.d.comb += [
            registers.interrupt_status.set.eq(now & ~before),
            self.interrupt.eq((registers.interrupt_status.value & registers.interrupt_enable).any()),
        ]

    def _counters(self, m, registers, sequencer):
        # Everything a cycle late, which changes no count and keeps the counters behind a register.
        running = Signal()
        start = Signal()
        retired = Signal()
        m.d.sync += [running.eq(sequencer.running), start.eq(sequencer.start), retired.eq(sequencer.retired)]
        counted = [(registers.cycles, Const(1)), (registers.retired, retired)]
        for index, name in enumerate(self.config.engines):
            counted.append((getattr(registers, f"busy_{name}"), registers.status[8 + index]))
        for counter, event in counted:
            with m.If(running):
                m.d.sync += counter.eq(counter + event)
            with m.Elif(start):
                m.d.sync += counter.eq(0)
