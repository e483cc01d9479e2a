"""Values from every input to every output: nothing is lost, and whoever waits is passed over by each other once."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

VALUES = 150
LIMIT_CYCLES = 20_000


class Watch:
    """In each cycle: which input each output takes a value of, and how many others it took before one that waits."""

    def __init__(self, dut, config):
        self.dut, self.config = dut, config
        self.came = [[[] for _ in range(config.outputs)] for _ in range(config.inputs)]
        self.passed_over = [0] * config.inputs
        self.most = 0

    def port(self, name, part):
        return int(getattr(self.dut, f"{name}__{part}").value)

    async def cycle(self):
        await FallingEdge(self.dut.clk)
        config, wants, taken = self.config, {}, {}
        for number in range(config.inputs):
            if self.port(f"i__{number}", "valid"):
                payload = self.port(f"i__{number}", "payload")
                output, value = payload % (1 << config.digit_width), payload >> config.digit_width
                wants.setdefault(output, []).append(number)
                if self.port(f"i__{number}", "ready"):
                    assert output not in taken, f"two inputs at output {output}"
                    taken[output] = number
                    self.came[number][output].append(value)
        for output in range(config.outputs):
            free = not self.port(f"o__{output}", "valid") or self.port(f"o__{output}", "ready")
            waiting = wants.get(output, [])
            assert (output in taken) == (free and bool(waiting)), f"output {output} takes a value when it can"
            for number in waiting:
                if taken.get(output) == number:
                    self.passed_over[number] = 0
                elif output in taken:
                    self.passed_over[number] += 1
                    self.most = max(self.most, self.passed_over[number])
                    assert self.passed_over[number] < config.inputs, f"input {number} is passed over"


@cocotb.test()
async def inputs_take_turns(dut):
    config, random = parameters()["config"], rng("switch")
    sources = [StreamSource(dut, f"i__{number}") for number in range(config.inputs)]
    sinks = [StreamSink(dut, f"o__{number}") for number in range(config.outputs)]
    await clock_and_reset(dut)
    watch, width = Watch(dut, config), config.width - config.digit_width
    for stall_in, stall_out in ((0.0, 0.0), (0.3, 0.3), (0.0, 0.7), (0.7, 0.0)):
        await RisingEdge(dut.clk)
        sent = [[[] for _ in range(config.outputs)] for _ in range(config.inputs)]
        watch.came = [[[] for _ in range(config.outputs)] for _ in range(config.inputs)]
        for number, source in enumerate(sources):
            source.stall = stall_in
            for place in range(VALUES):
                # All to one output, so that they meet, and to any.
                output = 0 if place < VALUES // 3 else int(random.integers(config.outputs))
                # Any bits, by which an input is known.
                value = int(random.integers((1 << width) // config.inputs)) * config.inputs + number
                source.put(value << config.digit_width | output)
                sent[number][output].append(value)
        for sink in sinks:
            sink.stall = stall_out
        for _ in range(LIMIT_CYCLES):
            await watch.cycle()
            if sum(map(len, sinks)) == VALUES * config.inputs:
                break
        for number, of_input in enumerate(sent):
            compare(of_input, watch.came[number], "values taken of input", number)
        for output, sink in enumerate(sinks):
            got = await sink.receive_all(len(sink))
            for number, of_input in enumerate(sent):
                values = [value for value in got if value % config.inputs == number]
                compare(of_input[output], values, f"values from input {number} at output", output)
    assert watch.most == config.inputs - 1, "inputs must have met"
