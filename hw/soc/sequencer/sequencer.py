"""Fetches a program's instructions and issues them to the engines."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..shell.engine import EngineSignature
from .instructions import HEADER_WIDTH, OPCODE_HALT, OPCODE_WAIT, OUTSTANDING_WIDTH
from .layouts import command_layout, header_layout

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Runs a program: in-order issue, engines overlap, waits as the program states them.

    An instruction issues when all engines of its wait mask have completed every earlier command, its engine has fewer
    than 15 outstanding ones, and the engine takes it. ``wait`` may leave as many outstanding as it says, and so waits
    for an earlier command while later ones run: an engine completes its commands in order. ``halt`` waits for all
    engines and ends the program. An unknown opcode, the end of the program memory and ``stop`` end issue; the program
    ends when the outstanding commands are complete. A command already offered to an engine when ``stop`` rises stays
    offered, as the rules of streams demand.

    Latency: the first command is offered three cycles after ``start``. Throughput: one instruction every three cycles.
    Back-pressure: an engine that does not take a command holds back everything behind it.

    Parameters
    ----------
    config : SequencerConfig

    Members
    -------
    start : :py:`In(1)`
        Begin at ``start_address``; ignored while running.
    start_address : :py:`In(16)`
    stop : :py:`In(1)`
        Issue nothing any more.
    program : :py:`In(Signature)`
        Program memory: ``valid``, ``address`` (of a 32-bit word), ``data``. An instruction is stored when its last word
        is written.
    engines : :py:`Out(Signature)`
        One :class:`EngineSignature` an engine. ``busy`` and ``errors`` are not looked at here.
    running : :py:`Out(1)`
    done : :py:`Out(1)`
        The last program reached its ``halt``; 0 again at the next start.
    retired : :py:`Out(1)`
        One cycle for each instruction issued.
    program_counter : :py:`Out(16)`
        Instruction being fetched or issued.
    bad_instruction : :py:`Out(1)`
        One cycle: an unknown opcode.
    address_out_of_range : :py:`Out(1)`
        One cycle: the program ran behind the end of its memory.
    """

    def __init__(self, config):
        self.config = config
        instruction_set = config.instruction_set
        words = config.depth * instruction_set.width // 32
        engines = {
            name: Out(EngineSignature(command_layout(instruction_set, name))) for name in instruction_set.engines
        }
        program = {"valid": Out(1), "address": Out((words - 1).bit_length()), "data": Out(32)}
        super().__init__(
            {
                "start": In(1),
                "start_address": In(16),
                "stop": In(1),
                "program": In(wiring.Signature(program)),
                "engines": Out(wiring.Signature(engines)),
                "running": Out(1),
                "done": Out(1),
                "retired": Out(1),
                "program_counter": Out(16),
                "bad_instruction": Out(1),
                "address_out_of_range": Out(1),
            }
        )

    @property
    def latency(self):
        """Cycles from ``start`` to the first command's valid, and from one instruction to the next."""
        return 3

    def elaborate(self, platform):
        m = Module()
        config = self.config
        names = config.instruction_set.engines
        fetched = self._program_memory(m)
        counter_width = (config.depth - 1).bit_length() + 1
        program_counter = Signal(max(counter_width, len(self.start_address) + 1))
        m.d.comb += [
            fetched.addr.eq(program_counter[: counter_width - 1]),
            self.program_counter.eq(program_counter[: len(self.program_counter)]),
        ]

        # Behind a block memory's output there is no time left for the decision to issue: the instruction is registered,
        # and so is what it needs. While an instruction waits nothing is issued, so what holds once stays.
        instruction = Signal(config.instruction_set.width)
        header = Signal(header_layout)
        coming = Signal(header_layout)
        idle = Signal(len(names))
        full = Signal(len(names))
        allowed = Signal(OUTSTANDING_WIDTH)
        within = Signal(len(names))
        all_idle = Signal()
        waited = Signal()
        room = Signal(len(names))
        offered = Signal(len(names))
        issuing = {
            name: self._outstanding(m, name, allowed, idle[index], full[index], within[index])
            for index, name in enumerate(names)
        }
        coming_allowed = Signal(OUTSTANDING_WIDTH)
        m.d.comb += [
            header.eq(instruction[:HEADER_WIDTH]),
            coming.eq(header),
            coming_allowed.eq(instruction[HEADER_WIDTH:]),
            allowed.eq(Mux(coming.opcode == OPCODE_WAIT, coming_allowed, 0)),
        ]
        m.d.sync += [
            all_idle.eq(idle.all()),
            room.eq(~full),
            waited.eq((coming.wait[: len(names)] & ~within) == 0),
        ]
        formats = {name: config.instruction_set.formats_of(name) for name in names}
        addressed = {name: Signal(name=f"for_{name}") for name in names}
        is_wait, is_halt, known = Signal(), Signal(), Signal()

        with m.FSM() as fsm:
            with m.State("IDLE"), m.If(self.start):
                m.d.sync += [program_counter.eq(self.start_address), self.done.eq(0)]
                m.next = "FETCH"
            with m.State("FETCH"):
                m.d.comb += fetched.en.eq(1)
                m.next = "DECODE"
                with m.If(self.stop):
                    m.next = "DRAIN"
                with m.Elif(program_counter >= config.depth):
                    m.d.comb += self.address_out_of_range.eq(1)
                    m.next = "DRAIN"
            with m.State("DECODE"):
                m.d.comb += [coming.eq(fetched.data[:HEADER_WIDTH]), coming_allowed.eq(fetched.data[HEADER_WIDTH:])]
                opcodes = {name: [entry.opcode for entry in formats[name]] for name in names}
                m.d.sync += [
                    instruction.eq(fetched.data),
                    is_wait.eq(coming.opcode == OPCODE_WAIT),
                    is_halt.eq(coming.opcode == OPCODE_HALT),
                    *(addressed[name].eq(_one_of(coming.opcode, opcodes[name])) for name in names),
                    known.eq(_one_of(coming.opcode, [OPCODE_WAIT, OPCODE_HALT, *sum(opcodes.values(), [])])),
                ]
                m.next = "ISSUE"
            with m.State("ISSUE"):
                m.d.comb += self.bad_instruction.eq(~known & ~self.stop)
                with m.If(is_halt & self.retired):
                    m.d.sync += self.done.eq(1)
                with m.If(self.retired):
                    m.d.sync += program_counter.eq(program_counter + 1)
                    m.next = "FETCH"
                    with m.If(is_halt):
                        m.d.sync += program_counter.eq(program_counter)
                        m.next = "IDLE"
                with m.Elif(self.bad_instruction | (self.stop & ~offered.any())):
                    m.next = "DRAIN"
            with m.State("DRAIN"), m.If(idle.all()):
                m.next = "IDLE"
            m.d.comb += self.running.eq(~fsm.ongoing("IDLE"))
        ends = [fsm.ongoing("ISSUE") & ~self.stop & (is_wait & waited | is_halt & all_idle)]
        for index, name in enumerate(names):
            commands = getattr(self.engines, name).commands
            asks = fsm.ongoing("ISSUE") & addressed[name]
            m.d.comb += [
                commands.valid.eq(asks & (offered[index] | (waited & room[index] & ~self.stop))),
                issuing[name].eq(commands.valid & commands.ready),
            ]
            m.d.sync += offered[index].eq(commands.valid & ~commands.ready)
            ends.append(issuing[name])
        m.d.comb += self.retired.eq(Cat(ends).any())
        for name in names:
            commands = getattr(self.engines, name).commands
            m.d.comb += commands.payload.eq(Cat(header.opcode, instruction[HEADER_WIDTH:]))
        return m

    def _program_memory(self, m):
        width = self.config.instruction_set.width
        m.submodules.program_memory = program_memory = memory.Memory(
            shape=unsigned(width), depth=self.config.depth, init=[]
        )
        write = program_memory.write_port()
        words = width // 32
        low_bits = (words - 1).bit_length()
        low = Signal(width - 32) if words > 1 else Const(0, 0)
        for index in range(words - 1):
            with m.If(self.program.valid & (self.program.address[:low_bits] == index)):
                m.d.sync += low.word_select(index, 32).eq(self.program.data)
        m.d.comb += [
            write.addr.eq(self.program.address[low_bits:]),
            write.data.eq(Cat(low, self.program.data)),
            write.en.eq(self.program.valid & (self.program.address[:low_bits] == words - 1)),
        ]
        return program_memory.read_port()

    def _outstanding(self, m, name, allowed, idle, full, within):
        """Counts the commands of an engine that are not complete; returns the signal that says one is issued."""
        issued = Signal(name=f"issued_{name}")
        outstanding = Signal(OUTSTANDING_WIDTH, name=f"outstanding_{name}")
        completions = getattr(self.engines, name).completions
        completed = Signal(name=f"completed_{name}")
        m.d.comb += [
            completions.ready.eq(1),
            # A command may complete in the very cycle of its issue; a completion of nothing is ignored.
            completed.eq(completions.valid & (issued | (outstanding != 0))),
            idle.eq(outstanding == 0),
            full.eq(outstanding.all()),
            within.eq(outstanding <= allowed),
        ]
        m.d.sync += outstanding.eq(outstanding + issued - completed)
        return issued


def _one_of(opcode, opcodes):
    return Cat(opcode == number for number in opcodes).any()
