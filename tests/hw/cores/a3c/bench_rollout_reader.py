"""Rollouts read from their last step to their first, and their errors written, against lists in plain Python.

Parameters: ``config``. The ports of the reader begin with ``reader``, those of the writer with ``writer``.
"""

import cocotb
import numpy as np
from cocotb.triggers import Event, FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng
from tests.hw.cores.transfer_cycles import TransferCycles

from .words import pack_rows, value_of


class ReaderBench:
    """Agents whose rollouts are stored and read, all at once."""

    def __init__(self, dut):
        self.dut, self.config, self.random = dut, parameters()["config"], rng("rollouts")
        self.sources = {name: StreamSource(dut, f"reader__{name}") for name in ("transitions", "policies", "trainings")}
        self.sinks = {name: StreamSink(dut, f"reader__{name}") for name in ("steps", "places")}
        # Rollouts in the order of their trainings: steps, places, and an event for when they have been read.
        self.rollouts = []
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await FallingEdge(self.dut.clk)
            for name in ("transitions", "policies"):
                assert int(getattr(self.dut, f"reader__{name}__ready").value), f"{name} must always be taken"

    def set_stalls(self, stall_in, stall_out, stall_places):
        """Set the stalls of all streams."""
        for source in self.sources.values():
            source.stall = stall_in
        self.sinks["steps"].stall, self.sinks["places"].stall = stall_out, stall_places

    def numbers(self, *shape):
        """Any bits."""
        return self.random.integers(0, 1 << self.config.arithmetic.format.width, shape).tolist()

    async def store(self, agent, steps, follows):
        """A rollout's transitions and policies; the training, and what has to be read."""
        config = self.config
        actions = self.random.integers(0, config.actions, steps).tolist()
        rewards, values = self.numbers(steps), self.numbers(steps + 1)
        probabilities = self.numbers(steps + 1, config.actions)
        accepted = []
        for slot in range(steps + follows):
            place = {"agent": agent, "slot": slot}
            if slot < steps:
                transition = {"place": place, "action": actions[slot], "reward": rewards[slot]}
                accepted.append(self.sources["transitions"].put(transition))
            policy = {"place": place, "probabilities": probabilities[slot], "value": values[slot]}
            accepted.append(self.sources["policies"].put(policy))
        for event in accepted:
            await event.wait()
        wanted = [
            {
                "reward": {"begins": step == steps - 1, "following": values[steps] * follows, "reward": rewards[step]},
                "action": actions[step],
                "value": values[step],
                "probabilities": probabilities[step],
            }
            for step in reversed(range(steps))
        ]
        places = [{"agent": agent, "step": step, "steps": steps} for step in reversed(range(steps))]
        return {"agent": agent, "steps": steps, "follows": follows}, (wanted, places)

    async def play(self, agent, rollouts):
        """One rollout of an agent after the other."""
        for steps, follows in rollouts:
            training, expected = await self.store(agent, steps, follows)
            self.rollouts.append((*expected, read := Event()))
            self.sources["trainings"].put(training)
            await read.wait()

    async def check(self, count):
        """So many rollouts, in the order of their trainings."""
        for number in range(count):
            # A rollout is in the list before its steps come.
            for index in range(self.config.steps):
                step, place = [await self.sinks[name].receive() for name in ("steps", "places")]
                wanted, places, read = self.rollouts[number]
                if index:
                    # What follows counts where the rollout begins.
                    step["reward"]["following"] = wanted[index]["reward"]["following"]
                compare(wanted[index], step, f"steps of rollout {number}", index)
                compare(places[index], place, f"places of rollout {number}", index)
                if index == len(wanted) - 1:
                    break
            read.set()
        self.rollouts.clear()
        assert not any(map(len, self.sinks.values()))


@cocotb.test()
async def rollouts_are_read_from_their_last_step_on(dut):
    bench = ReaderBench(dut)
    await clock_and_reset(dut)
    steps, agents = bench.config.steps, bench.config.agents
    corners = [(steps, 1), (1, 0), (steps, 0), (1, 1)]
    for stalls in ((0.3, 0.3, 0.3), (0.9, 0.0, 0.5), (0.0, 0.9, 0.0), (0.0, 0.0, 0.9), (0.0, 0.0, 0.0)):
        bench.set_stalls(*stalls)
        for agent in range(agents):
            counts = (1 + bench.random.integers(0, steps, 4)).tolist()
            drawn = list(zip(counts, bench.random.integers(0, 2, 4).tolist(), strict=True))
            cocotb.start_soon(bench.play(agent, corners + drawn))
        await bench.check(agents * 8)


@cocotb.test()
async def reader_takes_as_many_cycles_as_it_says(dut):
    bench = ReaderBench(dut)
    bench.set_stalls(0, 0, 0)
    await clock_and_reset(dut)
    seen = TransferCycles(dut, "reader__trainings", "reader__steps", "reader__places")
    stored = []
    for follows in (0, 1):
        for steps in range(1, bench.config.steps + 1):
            # Agents in turn, who have nothing to do with each other.
            training, _ = await bench.store(len(stored) % bench.config.agents, steps, follows)
            stored.append((steps, follows))
            bench.sources["trainings"].put(training)
            # Another follows at once: what is read does not matter.
            bench.sources["trainings"].put(training)
            await bench.sinks["places"].receive_all(2 * steps)
    taken, steps_taken = seen.taken["reader__trainings"], seen.taken["reader__steps"]
    compare(steps_taken, seen.taken["reader__places"], "cycles of places", 0)
    first = 0
    for number, (steps, follows) in enumerate(rollout for rollout in stored for _ in range(2)):
        begins = taken[number] + 2 + 2 * follows
        wanted = [begins + 2 * step for step in range(steps)]
        compare(wanted, steps_taken[first : first + steps], "cycles of steps of rollout", number)
        first += steps
        if number % 2 == 0:
            compare(wanted[-1] + 1, taken[number + 1], "cycle of the next training", number)


@cocotb.test()
async def reader_holds_back_when_nobody_takes(dut):
    bench = ReaderBench(dut)
    bench.set_stalls(0, 1, 0)
    await clock_and_reset(dut)
    training, (wanted, places) = await bench.store(0, bench.config.steps, 0)
    for _ in range(2):
        bench.sources["trainings"].put(training)
    for _ in range(20):
        await RisingEdge(dut.clk)
    # Transitions and policies are taken all the same, here of a slot that is not read.
    place = {"agent": 0, "slot": bench.config.steps}
    await bench.sources["transitions"].send({"place": place, "action": 0, "reward": 0})
    await bench.sources["policies"].send(
        {"place": place, "probabilities": bench.numbers(bench.config.actions), "value": 0}
    )
    compare(1, bench.sources["trainings"].count, "trainings taken", 0)
    compare(1, bench.sinks["places"].count, "places taken", 0)
    bench.set_stalls(0, 0, 0)
    for _ in range(2):
        for index in range(len(wanted)):
            compare(wanted[index], await bench.sinks["steps"].receive(), "steps", index)
            compare(places[index], await bench.sinks["places"].receive(), "places", index)


class WriterBench:
    """Errors of rollouts, and the rows that have to be written."""

    def __init__(self, dut):
        self.dut, self.config, self.random = dut, parameters()["config"], rng("errors")
        self.errors, self.places = StreamSource(dut, "writer__errors"), StreamSource(dut, "writer__places")
        self.rollouts = StreamSink(dut, "writer__rollouts")
        self.rows = []
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await FallingEdge(self.dut.clk)
            if int(self.dut.writer__rows__enable.value):
                names = ("agent", "address", "data")
                self.rows.append(tuple(int(getattr(self.dut, f"writer__rows__{name}").value) for name in names))

    def put(self, count):
        """Queue the errors of random rollouts; rows and rollouts that have to come."""
        config, layer, rows, rollouts = self.config, self.config.layers[-1], [], []
        for _ in range(count):
            agent, steps = int(self.random.integers(config.agents)), int(1 + self.random.integers(config.steps))
            for step in reversed(range(steps)):
                errors = self.random.integers(0, 1 << config.arithmetic.format.width, config.outputs)
                self.errors.put(errors.tolist())
                self.places.put({"agent": agent, "step": step, "steps": steps})
                first = step * config.error_rows + layer.output_row
                words = [value_of(config, word) for word in pack_rows(config, errors)]
                rows += [(agent, first + group, word) for group, word in enumerate(words)]
            rollouts.append({"agent": agent, "steps": steps})
        return rows, rollouts

    async def check(self, rows, rollouts):
        """All rows in their order, each rollout with its last one."""
        compare_all(rollouts, await self.rollouts.receive_all(len(rollouts)), "rollouts")
        compare_all(rows, self.rows, "rows")
        self.rows.clear()


@cocotb.test()
async def errors_are_written_to_the_rows_of_their_step(dut):
    bench = WriterBench(dut)
    await clock_and_reset(dut)
    for stalls in ((0.3, 0.3, 0.3), (0.9, 0.0, 0.0), (0.0, 0.9, 0.0), (0.0, 0.0, 0.9), (0.0, 0.0, 0.0)):
        bench.errors.stall, bench.places.stall, bench.rollouts.stall = stalls
        await bench.check(*bench.put(25))


@cocotb.test()
async def writer_takes_as_many_cycles_as_it_says(dut):
    bench = WriterBench(dut)
    bench.errors.stall = bench.places.stall = bench.rollouts.stall = 0
    await clock_and_reset(dut)
    seen = TransferCycles(dut, "writer__errors", "writer__places", "writer__rollouts")
    rows, rollouts = bench.put(20)
    await bench.check(rows, rollouts)
    errors, groups = seen.taken["writer__errors"], bench.config.layers[-1].groups
    compare([groups] * (len(errors) - 1), np.diff(errors), "cycles between errors", 0)
    compare(seen.offered["writer__errors"][0] + groups - 1, errors[0], "cycle of the last row of the first errors", 0)
    compare(errors, seen.taken["writer__places"], "cycles of places", 0)
    ends = np.cumsum([rollout["steps"] for rollout in rollouts]) - 1
    compare([errors[end] for end in ends], seen.taken["writer__rollouts"], "cycles of rollouts", 0)


@cocotb.test()
async def writer_holds_back_when_nobody_takes(dut):
    bench = WriterBench(dut)
    bench.errors.stall, bench.places.stall, bench.rollouts.stall = 0, 0, 1
    await clock_and_reset(dut)
    rows, rollouts = bench.put(3)
    for _ in range(20 * bench.config.steps):
        await RisingEdge(dut.clk)
    # The last row waits with its rollout, and what comes after it.
    groups, steps = bench.config.layers[-1].groups, rollouts[0]["steps"]
    compare((steps - 1, steps - 1), (bench.errors.count, bench.places.count), "errors and places taken", 0)
    compare_all(rows[: steps * groups - 1], bench.rows, "rows")
    bench.rollouts.stall = 0
    await bench.check(rows, rollouts)
