"""Random programs on engines that take commands and complete them when they like."""

from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import clock_and_reset, parameters, rng

LIMIT_CYCLES = 20_000
MOST_OUTSTANDING = 15


class Engines:
    """Model of all engines, and the check of every rule of issue."""

    def __init__(self, dut, instruction_set, program, eager):
        self.dut = dut
        self.names = instruction_set.engines
        self.random = rng("engines")
        self.eager = eager
        self.complete = True
        self.expected = deque()
        for index, word in enumerate(program):
            if word == 0:
                break
            name, waits, fields = instruction_set.decode(word)
            if name not in ("wait", "halt"):
                self.expected.append((index, instruction_set.format(name).engine, dict.fromkeys(waits, 0), word))
            elif name == "wait":
                self.expected.append((index, None, dict.fromkeys(waits, fields["outstanding"]), word))
        self.outstanding = dict.fromkeys(self.names, 0)
        self.issue_cycles = []
        self.cycle = 0
        self.offered = {}
        for name in self.names:
            getattr(dut, f"engines__{name}__commands__ready").value = 0
            getattr(dut, f"engines__{name}__completions__valid").value = 0

    async def step(self):
        await RisingEdge(self.dut.clk)
        self.cycle += 1
        completed = [name for name in self.names if self.port(name, "completions__valid") == 1]
        for name in self.names:
            valid, ready = self.port(name, "commands__valid"), self.port(name, "commands__ready")
            payload = int(self.port(name, "commands__payload"))
            if name in self.offered:
                assert valid == 1 and payload == self.offered[name], f"{name}: command changed while it waited"
            self.offered.pop(name, None)
            if valid == 1 and ready == 1:
                self.take(name, payload)
            elif valid == 1:
                self.offered[name] = payload
        for name in completed:
            self.outstanding[name] -= 1
        for name in self.names:
            room = self.outstanding[name]
            getattr(self.dut, f"engines__{name}__commands__ready").value = int(self.random.random() < self.eager)
            if not self.complete:
                continue
            complete = room > 0 and self.random.random() < self.eager / 3
            getattr(self.dut, f"engines__{name}__completions__valid").value = int(complete)

    def port(self, name, suffix):
        return getattr(self.dut, f"engines__{name}__{suffix}").value

    def take(self, name, payload):
        waits = []
        while self.expected and self.expected[0][1] is None:
            waits += self.expected.popleft()[2].items()
        assert self.expected, f"{name}: command {payload:#x} after the last of the program"
        index, engine, own_waits, word = self.expected.popleft()
        assert engine == name, f"instruction {index}: issued to {name}, is for {engine}"
        shown = int(self.dut.program_counter.value)
        assert shown == index, f"instruction {index}: program_counter shows {shown}"
        expected = (word & 15) | word >> 12 << 4
        width = len(getattr(self.dut, f"engines__{name}__commands__payload"))
        assert payload == expected & ((1 << width) - 1), f"instruction {index}: {payload:#x}, expected {expected:#x}"
        for waited, allowed in (*waits, *own_waits.items()):
            # A completion of this very cycle comes too late for the sequencer, and so for the model.
            left = self.outstanding[waited]
            assert left <= allowed, f"instruction {index}: issued while {waited} had {left} outstanding, not {allowed}"
        self.outstanding[name] += 1
        assert self.outstanding[name] <= MOST_OUTSTANDING
        self.issue_cycles.append(self.cycle)


async def load(dut, program, width):
    words = width // 32
    for index, word in enumerate(program):
        for part in range(words):
            dut.program__valid.value = 1
            dut.program__address.value = index * words + part
            dut.program__data.value = word >> 32 * part & 0xFFFF_FFFF
            await RisingEdge(dut.clk)
    dut.program__valid.value = 0
    await RisingEdge(dut.clk)


async def start(dut, instruction_set, program, eager):
    for name in ("start", "start_address", "stop", "program__valid"):
        getattr(dut, name).value = 0
    engines = Engines(dut, instruction_set, program, eager)
    await clock_and_reset(dut)
    await load(dut, program, instruction_set.width)
    await restart(dut)
    return engines


async def restart(dut, address=0):
    dut.start.value = 1
    dut.start_address.value = address
    await RisingEdge(dut.clk)
    dut.start.value = 0


async def until_stopped(dut, engines, stop_after=LIMIT_CYCLES):
    seen = {"retired": 0, "bad_instruction": 0, "address_out_of_range": 0}
    for cycle in range(LIMIT_CYCLES):
        if cycle == stop_after:
            dut.stop.value = 1
        await engines.step()
        for name in seen:
            seen[name] += int(getattr(dut, name).value)
        if dut.running.value == 0:
            return seen
    raise AssertionError(f"still running after {LIMIT_CYCLES} cycles, {len(engines.expected)} instructions left")


@cocotb.test()
async def random_program_obeys_its_waits(dut):
    given = parameters()
    instruction_set, program = given["instruction_set"], given["program"]
    engines = await start(dut, instruction_set, program, given["eager"])
    seen = await until_stopped(dut, engines)
    assert dut.done.value == 1
    assert seen == {"retired": len(program), "bad_instruction": 0, "address_out_of_range": 0}
    assert not [entry for entry in engines.expected if entry[1] is not None]
    assert not any(engines.outstanding.values())


@cocotb.test()
async def eager_engines_get_a_command_at_the_stated_rate(dut):
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=value % 8) for value in range(10)]
    program.append(instruction_set.encode("halt"))
    engines = await start(dut, instruction_set, program, 1.0)
    engines.eager = 1.0
    # A command is valid `latency` cycles after the start or the command before; the engine is ready by then.
    await until_stopped(dut, engines)
    assert engines.issue_cycles == [parameters()["latency"] * (1 + index) for index in range(10)]


@cocotb.test()
async def a_wait_lets_the_commands_run_that_it_leaves(dut):
    """Three commands are outstanding; the fourth follows when the first is complete, not later."""
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=value) for value in range(3)]
    program += [instruction_set.encode("wait", wait="left", outstanding=2), instruction_set.encode("left", value=3)]
    program.append(instruction_set.encode("halt"))
    engines = await start(dut, instruction_set, program, 1.0)
    engines.complete = False
    for _ in range(30):
        await engines.step()
    assert engines.outstanding["left"] == 3
    dut.engines__left__completions__valid.value = 1
    await engines.step()
    dut.engines__left__completions__valid.value = 0
    for _ in range(10):
        await engines.step()
    assert engines.outstanding["left"] == 3 and len(engines.issue_cycles) == 4
    engines.complete = True
    await until_stopped(dut, engines)


@cocotb.test()
async def no_more_are_outstanding_than_can_be_counted(dut):
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=value % 8) for value in range(MOST_OUTSTANDING + 4)]
    program.append(instruction_set.encode("halt"))
    engines = await start(dut, instruction_set, program, 1.0)
    engines.complete = False
    for _ in range(100):
        await engines.step()
    assert engines.outstanding["left"] == MOST_OUTSTANDING
    engines.complete = True
    await until_stopped(dut, engines)
    assert len(engines.issue_cycles) == MOST_OUTSTANDING + 4


@cocotb.test()
async def an_engine_without_room_holds_back_what_waits_for_it_alone(dut):
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=value % 8) for value in range(MOST_OUTSTANDING)]
    program += [instruction_set.encode("right", a=1), instruction_set.encode("right", wait="left", a=2)]
    program.append(instruction_set.encode("halt"))
    engines = await start(dut, instruction_set, program, 1.0)
    engines.complete = False
    for _ in range(100):
        await engines.step()
    assert [engines.outstanding[name] for name in engines.names[:2]] == [MOST_OUTSTANDING, 1]
    engines.complete = True
    await until_stopped(dut, engines)
    assert len(engines.issue_cycles) == len(program) - 1


@cocotb.test()
async def a_completion_of_nothing_is_ignored(dut):
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=1), instruction_set.encode("halt", wait="all")]
    engines = await start(dut, instruction_set, program, 0.0)
    for name in engines.names:
        getattr(dut, f"engines__{name}__completions__valid").value = 1
    await RisingEdge(dut.clk)
    for name in engines.names:
        getattr(dut, f"engines__{name}__completions__valid").value = 0
    engines.eager = 1.0
    engines.complete = False
    for _ in range(30):
        await engines.step()
    assert engines.outstanding["left"] == 1 and dut.running.value == 1
    engines.complete = True
    await until_stopped(dut, engines)
    assert dut.done.value == 1


@cocotb.test()
async def a_command_may_complete_in_the_cycle_of_its_issue(dut):
    """Nothing is outstanding after it, so that the program ends."""
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=1), instruction_set.encode("halt", wait="all")]
    engines = await start(dut, instruction_set, program, 0.0)
    engines.complete = False
    while "left" not in engines.offered:
        await engines.step()
    dut.engines__left__commands__ready.value = 1
    dut.engines__left__completions__valid.value = 1
    await engines.step()
    dut.engines__left__completions__valid.value = 0
    assert len(engines.issue_cycles) == 1 and engines.outstanding["left"] == 0
    await until_stopped(dut, engines)
    assert dut.done.value == 1


@cocotb.test()
async def unknown_opcode_stops_and_waits_for_the_engines(dut):
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=1), instruction_set.encode("right", a=-1, b=3), 0]
    engines = await start(dut, instruction_set, program, 0.3)
    seen = await until_stopped(dut, engines)
    assert seen == {"retired": 2, "bad_instruction": 1, "address_out_of_range": 0}
    assert dut.done.value == 0
    assert not any(engines.outstanding.values())


@cocotb.test()
async def program_without_halt_runs_off_the_end(dut):
    given = parameters()
    instruction_set = given["instruction_set"]
    engines = await start(dut, instruction_set, [instruction_set.encode("wait")] * given["depth"], 0.5)
    seen = await until_stopped(dut, engines)
    assert seen == {"retired": given["depth"], "bad_instruction": 0, "address_out_of_range": 1}
    await restart(dut, address=given["depth"])
    assert (await until_stopped(dut, engines))["address_out_of_range"] == 1


@cocotb.test()
async def a_start_while_it_runs_is_ignored(dut):
    """It neither begins again nor goes elsewhere, in whatever state it is; the program ran before, so `done` is 1."""
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=value) for value in range(4)]
    program += [instruction_set.encode("wait", wait="all"), instruction_set.encode("halt")]
    engines = await start(dut, instruction_set, program, 1.0)
    assert (await until_stopped(dut, engines))["retired"] == len(program)
    again = Engines(dut, instruction_set, program, 0.3)
    # The model's part of the program begins where it starts.
    again.expected.popleft()
    await restart(dut, address=1)
    dut.start.value = 1
    dut.start_address.value = 3
    for _ in range(4):
        await again.step()
        assert dut.running.value == 1 and dut.done.value == 0
    while again.expected[0][1] is not None:
        await again.step()
    dut.start.value = 0
    await until_stopped(dut, again)
    assert dut.done.value == 1 and len(again.issue_cycles) == 3


@cocotb.test()
async def stop_ends_issue_in_any_state(dut):
    """In each cycle after the start; an unknown instruction that it comes before is not reported."""
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=5), instruction_set.encode("wait", wait="all"), 0]
    engines = await start(dut, instruction_set, program, 3.0)
    await until_stopped(dut, engines)
    for cycles in range(16):
        # They complete in the next cycle.
        engines = Engines(dut, instruction_set, program, 3.0)
        await restart(dut)
        seen = await until_stopped(dut, engines, stop_after=cycles)
        dut.stop.value = 0
        # Every `latency` cycles one retires or is refused, until the stop.
        decided = min(cycles // parameters()["latency"], len(program))
        assert seen == {"retired": min(decided, 2), "bad_instruction": int(decided == 3), "address_out_of_range": 0}
        assert dut.done.value == 0 and not any(engines.outstanding.values())


@cocotb.test()
async def stop_keeps_what_is_offered_and_issues_nothing_else(dut):
    instruction_set = parameters()["instruction_set"]
    program = [instruction_set.encode("left", value=value) for value in range(4)]
    program.append(instruction_set.encode("halt"))
    engines = await start(dut, instruction_set, program, 0.0)
    for _ in range(5):
        await engines.step()
    dut.stop.value = 1
    for _ in range(5):
        await engines.step()
    assert dut.engines__left__commands__valid.value == 1
    engines.eager = 1.0
    await until_stopped(dut, engines)
    assert len(engines.issue_cycles) == 1
    assert dut.done.value == 0
