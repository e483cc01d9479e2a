"""Fetches a program's instructions and issues them to the engines."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.engine import EngineSignature
from ..bus.register_bank import window_signature
from .command_counter import CommandCounter
from .instructions import HEADER_WIDTH, OPCODE_HALT, OPCODE_WAIT, OPCODE_WIDTH, OUTSTANDING_WIDTH
from .layouts import command_layout
from .program_memory import ProgramMemory

__all__ = ["Sequencer"]


class Sequencer(ConfiguredComponent):
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
    program : :py:`In(window_signature(words))`
        Words of the program memory; an instruction is stored when its last word is written.
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
        One cycle: the program ran past the end of its memory.
    """

    def __init__(self, config):
        instruction_set = config.instruction_set
        engines = {
            name: Out(EngineSignature(command_layout(instruction_set, name))) for name in instruction_set.engines
        }
        super().__init__(
            config,
            {
                "start": In(1),
                "start_address": In(16),
                "stop": In(1),
                "program": In(window_signature(config.words)),
                "engines": Out(wiring.Signature(engines)),
                "running": Out(1),
                "done": Out(1),
                "retired": Out(1),
                "program_counter": Out(16),
                "bad_instruction": Out(1),
                "address_out_of_range": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from ``start`` to the first command's valid, and from one instruction to the next."""
        return 3

    def elaborate(self, platform):
        m = Module()
        config = self.config
        names = config.instruction_set.engines
        m.submodules.program_memory = memory = ProgramMemory(config)
        wiring.connect(m, wiring.flipped(self.program), memory.words)
        # One bit more than the places: a program can run past them.
        program_counter = Signal(max(config.depth.bit_length(), len(self.start_address) + 1))
        m.d.comb += [memory.read.address.eq(program_counter + 1), self.program_counter.eq(program_counter)]

        # The block memory has an output register: it reads the first instruction when the program starts, and the next
        # one while an instruction is decoded. Each is registered again, with what it needs. While an instruction waits
        # nothing is issued, so what holds once stays.
        decodes, offers = Signal(), Signal()
        instruction = Signal(config.instruction_set.width)
        coming = Signal(HEADER_WIDTH + OUTSTANDING_WIDTH)
        m.d.comb += coming.eq(Mux(decodes, memory.read.data, instruction))
        decoded = self._decode(m, decodes, coming)
        with m.If(decodes):
            m.d.sync += instruction.eq(memory.read.data)
        issued = Signal(len(names))
        engines = self._follow_engines(m, coming, issued)
        was_offered = self._offer(m, offers, decoded, instruction, engines, issued)
        ends = decoded.is_wait & engines.waited | decoded.is_halt & engines.all_idle
        m.d.comb += self.retired.eq(issued.any() | offers & ~self.stop & ends)

        with m.FSM() as fsm:
            with m.State("IDLE"), m.If(self.start):
                m.d.comb += [memory.read.enable.eq(1), memory.read.address.eq(self.start_address)]
                m.d.sync += [program_counter.eq(self.start_address), self.done.eq(0)]
                m.next = "FETCH"
            with m.State("FETCH"):
                m.next = "DECODE"
                with m.If(self.stop):
                    m.next = "DRAIN"
                with m.Elif(program_counter >= config.depth):
                    m.d.comb += self.address_out_of_range.eq(1)
                    m.next = "DRAIN"
            with m.State("DECODE"):
                m.d.comb += memory.read.enable.eq(1)
                m.next = "ISSUE"
            with m.State("ISSUE"):
                m.d.comb += self.bad_instruction.eq(~decoded.known & ~self.stop)
                with m.If(self.retired & decoded.is_halt):
                    m.d.sync += self.done.eq(1)
                    m.next = "IDLE"
                with m.Elif(self.retired):
                    m.d.sync += program_counter.eq(program_counter + 1)
                    m.next = "FETCH"
                with m.Elif(self.bad_instruction | (self.stop & ~was_offered)):
                    m.next = "DRAIN"
            with m.State("DRAIN"), m.If(engines.idle.all()):
                m.next = "IDLE"
        m.d.comb += [
            decodes.eq(fsm.ongoing("DECODE")),
            offers.eq(fsm.ongoing("ISSUE")),
            self.running.eq(~fsm.ongoing("IDLE")),
        ]
        return m

    def _decode(self, m, decodes, coming):
        """Decodes the kind of an instruction, from the cycle after ``decodes`` on."""
        instruction_set = self.config.instruction_set
        decoded = Signal(
            data.StructLayout({"is_wait": 1, "is_halt": 1, "known": 1, "engines": len(instruction_set.engines)})
        )
        opcode = coming[:OPCODE_WIDTH]
        opcodes = [[entry.opcode for entry in instruction_set.formats_of(name)] for name in instruction_set.engines]
        with m.If(decodes):
            m.d.sync += [
                decoded.is_wait.eq(opcode == OPCODE_WAIT),
                decoded.is_halt.eq(opcode == OPCODE_HALT),
                decoded.known.eq(_one_of(opcode, [OPCODE_WAIT, OPCODE_HALT, *sum(opcodes, [])])),
                decoded.engines.eq(Cat(_one_of(opcode, numbers) for numbers in opcodes)),
            ]
        return decoded

    def _follow_engines(self, m, coming, issued):
        """Follows the engines: idle ones, ones with room, and whether those of the wait mask have completed enough."""
        names = self.config.instruction_set.engines
        engines = Signal(
            data.StructLayout({"idle": len(names), "room": len(names), "waited": 1, "all_idle": 1}), name="engines"
        )
        mask, allowed, within = coming[OPCODE_WIDTH:HEADER_WIDTH], Signal(OUTSTANDING_WIDTH), Signal(len(names))
        is_wait, missed, awaited = coming[:OPCODE_WIDTH] == OPCODE_WAIT, Signal(), Signal()
        m.d.comb += [
            allowed.eq(coming[HEADER_WIDTH:]),
            missed.eq((mask[: len(names)] & ~within).any()),
            awaited.eq((mask[: len(names)] & ~engines.idle).any()),
        ]
        m.d.sync += [
            engines.waited.eq(~Mux(is_wait, missed, awaited)),
            engines.all_idle.eq(engines.idle.all()),
        ]
        for index, name in enumerate(names):
            completions = getattr(self.engines, name).completions
            m.submodules[f"counter_{name}"] = counter = CommandCounter()
            m.d.comb += [
                completions.ready.eq(1),
                counter.completed.eq(completions.valid),
                counter.issued.eq(issued[index]),
                counter.allowed.eq(allowed),
                engines.idle[index].eq(counter.idle),
                within[index].eq(counter.within),
            ]
            m.d.sync += engines.room[index].eq(~counter.full)
        return engines

    def _offer(self, m, offers, decoded, instruction, engines, issued):
        """The command to its engine; whether it was offered before and has to stay."""
        offered = Signal(len(issued))
        for index, name in enumerate(self.config.instruction_set.engines):
            commands = getattr(self.engines, name).commands
            may_issue = offered[index] | (engines.waited & engines.room[index] & ~self.stop)
            m.d.comb += [
                commands.payload.eq(Cat(instruction[:OPCODE_WIDTH], instruction[HEADER_WIDTH:])),
                commands.valid.eq(offers & decoded.engines[index] & may_issue),
                issued[index].eq(commands.valid & commands.ready),
            ]
            m.d.sync += offered[index].eq(commands.valid & ~commands.ready)
        return offered.any()


def _one_of(opcode, opcodes):
    return Cat(opcode == number for number in opcodes).any()
