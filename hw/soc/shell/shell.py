"""The face that every accelerator shows its host."""

from amaranth.hdl import Cat, Const, Module, ResetInserter, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from ..bus.axi_lite import AxiLiteSignature
from ..bus.axi_stream import packet_layout
from ..bus.register_bank import RegisterBank, register_signature
from ..sequencer.config import SequencerConfig
from ..sequencer.layouts import command_layout
from ..sequencer.sequencer import Sequencer
from .config import ERROR_FLAGS, IDENTIFICATION, SHELL_VERSION, State
from .engine import EngineSignature, error_layout

__all__ = ["Shell", "connect_host", "system_signature"]

STOPPING_FLAGS = sum(1 << index for index, flag in enumerate(ERROR_FLAGS) if flag.stops)


def system_signature(config):
    """Ports of every system: ``control``, ``stream_in``, ``stream_out``, ``interrupt``.

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
            "interrupt": Out(1),
        }
    )


def connect_host(m, system, shell):
    """Connects the ports of a system to those of the shell inside it.

    Parameters
    ----------
    m : Module
    system : component
        The system itself, from within its ``elaborate``.
    shell : Shell
    """
    wiring.connect(m, wiring.flipped(system.control), shell.control)
    wiring.connect(m, wiring.flipped(system.stream_in), shell.stream_in)
    wiring.connect(m, shell.stream_out, wiring.flipped(system.stream_out))
    m.d.comb += system.interrupt.eq(shell.interrupt)


class Shell(wiring.Component):
    """Registers, program memory, sequencer, counters, sticky error flags and stream buffers of an accelerator.

    ``docs/shell.md`` has the register map and the contract with the engines.

    Latency: a stream takes two cycles through its buffer. Throughput: one beat a cycle each way. Back-pressure: the
    buffers decouple both sides.

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
    interrupt : :py:`Out(1)`
        1 while the state is done or error.
    rows_in : :py:`Out(packet_signature(stream_width))`
        ``stream_in`` behind its buffer.
    rows_out : :py:`In(packet_signature(stream_width))`
        Goes to ``stream_out`` through its buffer.
    engines : :py:`Out(Signature)`
        One :class:`EngineSignature` for each engine of the instruction set.
    errors : :py:`In(error_layout)`
        Flags raised by parts that are no engine.
    reset : :py:`Out(1)`
        Soft reset, one cycle.
    registers : :py:`Out(register_signature(config.registers))`
        The accelerator's; absent if it has none.
    """

    def __init__(self, config):
        self.config = config
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
        super().__init__(members)

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

        self._busy = Signal(len(config.engines))
        self._identification(m, registers)
        sequencer = self._sequencer(m, bank)
        self._errors(m, registers, sequencer)
        self._counters(m, registers, sequencer)
        self._buffers(m)
        return m

    def _identification(self, m, registers):
        config = self.config
        m.d.comb += [
            registers.identification.eq(IDENTIFICATION),
            registers.version.eq(SHELL_VERSION),
            registers.system.eq(int.from_bytes(config.system_id.encode("ascii"), "little")),
            registers.configuration_hash.eq(config.configuration_hash),
        ]

    def _sequencer(self, m, bank):
        config = self.config
        registers = bank.registers
        sequencer = Sequencer(SequencerConfig(instruction_set=config.instruction_set, depth=config.instruction_depth))
        m.submodules.sequencer = ResetInserter(self.reset)(sequencer)
        program = bank.windows.program
        m.d.comb += [
            sequencer.start.eq(registers.control.strobe & registers.control.value[0]),
            sequencer.start_address.eq(registers.start_address),
            sequencer.program.valid.eq(program.valid),
            sequencer.program.address.eq(program.address),
            sequencer.program.data.eq(program.data),
            registers.program_counter.eq(sequencer.program_counter),
        ]
        m.d.sync += [
            sequencer.stop.eq((registers.errors.value & STOPPING_FLAGS).any()),
            self.reset.eq(registers.control.strobe & registers.control.value[1]),
        ]
        for name in config.engines:
            wiring.connect(m, getattr(sequencer.engines, name), wiring.flipped(getattr(self.engines, name)))
        return sequencer

    def _errors(self, m, registers, sequencer):
        ports = [getattr(self.engines, name) for name in self.config.engines]
        raised = Value.cast(self.errors)
        for port in ports:
            raised = raised | Value.cast(port.errors)
        own = Signal(error_layout)
        m.d.comb += [
            own.bad_instruction.eq(sequencer.bad_instruction),
            own.address_out_of_range.eq(sequencer.address_out_of_range),
            registers.errors.set.eq(raised | Value.cast(own)),
        ]
        state = Signal(State)
        with m.If(sequencer.running):
            m.d.comb += state.eq(State.RUNNING)
        with m.Elif(sequencer.stop):
            m.d.comb += state.eq(State.ERROR)
        with m.Elif(sequencer.done):
            m.d.comb += state.eq(State.DONE)
        m.d.sync += self._busy.eq(Cat(port.busy for port in ports))
        m.d.comb += [
            registers.status.eq(Cat(state, Const(0, 6), self._busy)),
            self.interrupt.eq((state == State.DONE) | (state == State.ERROR)),
        ]

    def _counters(self, m, registers, sequencer):
        # Everything a cycle late, which changes no count and keeps the counters behind a register.
        running = Signal()
        start = Signal()
        retired = Signal()
        m.d.sync += [running.eq(sequencer.running), start.eq(sequencer.start), retired.eq(sequencer.retired)]
        counted = [(registers.cycles, Const(1)), (registers.retired, retired)]
        for index, name in enumerate(self.config.engines):
            counted.append((getattr(registers, f"busy_{name}"), self._busy[index]))
        for counter, event in counted:
            with m.If(running):
                m.d.sync += counter.eq(counter + event)
            with m.Elif(start):
                m.d.sync += counter.eq(0)

    def _buffers(self, m):
        config = StreamBufferConfig(depth=self.config.stream_depth)
        layout = packet_layout(self.config.stream_width)
        incoming, outgoing = StreamBuffer(layout, config), StreamBuffer(layout, config)
        m.submodules.incoming = ResetInserter(self.reset)(incoming)
        m.submodules.outgoing = ResetInserter(self.reset)(outgoing)
        wiring.connect(m, wiring.flipped(self.stream_in), incoming.i)
        wiring.connect(m, incoming.o, wiring.flipped(self.rows_in))
        wiring.connect(m, wiring.flipped(self.rows_out), outgoing.i)
        wiring.connect(m, outgoing.o, wiring.flipped(self.stream_out))
