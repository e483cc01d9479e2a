"""Requests of every stage to every bank, and responses back, with stalls."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng


def ports(dut, kind, name, count, **arguments):
    return [kind(dut, f"{name}__{number}", **arguments) for number in range(count)]


async def until_there(dut, sinks, count):
    for _ in range(20_000):
        if sum(map(len, sinks)) == count:
            return
        await RisingEdge(dut.clk)
    raise AssertionError(f"{sum(map(len, sinks))} of {count} values came")


async def check_idle(dut, names, counts):
    """It is idle when, and only when, all that went in has come out."""
    inside = 0
    while True:
        await FallingEdge(dut.clk)
        compare(int(inside == 0), int(dut.idle.value), f"idle with so many inside: {inside}", 0)
        entered, left = (
            sum(
                int(getattr(dut, f"{name}__{number}__valid").value)
                and int(getattr(dut, f"{name}__{number}__ready").value)
                for number in range(count)
            )
            for name, count in zip(names, counts, strict=True)
        )
        inside += entered - left


async def check_direction(dut, names, counts, stalls, chosen, make, read):
    """Send values between all ports; each comes out where it belongs, once, in the order of its source."""
    sources = ports(dut, StreamSource, names[0], counts[0])
    sinks = ports(dut, StreamSink, names[1], counts[1])
    await clock_and_reset(dut)
    cocotb.start_soon(check_idle(dut, names, counts))
    random = rng(names[0])
    for round_number, (stall_in, stall_out) in enumerate(stalls):
        for source in sources:
            source.stall = stall_in
        for sink in sinks:
            sink.stall = stall_out
        expected = {}
        total = 0
        for number, source in enumerate(sources):
            for target in chosen(random, round_number, number):
                value = int(random.integers(1 << 30))
                source.put(make(number, int(target), value))
                expected.setdefault((number, int(target)), []).append(value)
                total += 1
        await until_there(dut, sinks, total)
        for target, sink in enumerate(sinks):
            got = {}
            for _ in range(len(sink)):
                source, value = read(await sink.receive())
                got.setdefault(source, []).append(value)
            for source in range(counts[0]):
                compare(expected.get((source, target), []), got.get(source, []), f"{names[1]} from {source}", target)


STALLS = [(0.0, 0.0), (0.3, 0.3), (0.0, 0.8), (0.8, 0.0), (0.3, 0.3), (0.0, 0.8)]


def targets(count):
    """Random ones, all to one, each to the next, in turn; random ones again, as each of them has to wait."""

    def chosen(random, round_number, number):
        patterns = [
            random.integers(0, count, 60),
            [count - 1] * 25,
            [(number + 1) % count] * 40,
            [(number + index) % count for index in range(60)],
            random.integers(0, count, 60),
            random.integers(0, count, 40),
        ]
        return patterns[round_number]

    return chosen


@cocotb.test()
async def stages_that_share_a_port_are_ready_whatever_the_others_offer(dut):
    """From four stages on; fewer take turns, so that one of them alone is."""
    config = parameters()["config"]
    stages = range(config.stages)
    for stage in stages:
        getattr(dut, f"stage_requests__{stage}__valid").value = 0
    await clock_and_reset(dut)
    for stage in stages:
        getattr(dut, f"stage_requests__{stage}__valid").value = 1
    await FallingEdge(dut.clk)
    ready = [int(getattr(dut, f"stage_requests__{stage}__ready").value) for stage in stages]
    if config.concentration > 2:
        compare([1] * config.stages, ready, "ready of all stages", 0)
    elif config.concentration == 2:
        compare(min(config.ports, config.stages), sum(ready), "stages that are ready", 0)


@cocotb.test()
async def requests_reach_their_banks(dut):
    config = parameters()["config"]
    for sink in range(config.banks):
        getattr(dut, f"bank_responses__{sink}__valid").value = 0
    await check_direction(
        dut,
        ("stage_requests", "bank_requests"),
        (config.stages, config.banks),
        STALLS,
        targets(config.banks),
        lambda stage, bank, value: {"bank": bank, "body": {"value": value, "stage": stage}},
        lambda got: (compare(got["stage"], got["body"]["stage"], "stage", 0) or got["stage"], got["body"]["value"]),
    )


@cocotb.test()
async def responses_reach_their_stages(dut):
    config = parameters()["config"]
    for source in range(config.stages):
        getattr(dut, f"stage_requests__{source}__valid").value = 0
    await check_direction(
        dut,
        ("bank_responses", "stage_responses"),
        (config.banks, config.stages),
        STALLS,
        targets(config.stages),
        lambda bank, stage, value: {"stage": stage, "body": {"value": value, "bank": bank}},
        lambda got: (got["bank"], got["value"]),
    )


@cocotb.test()
async def a_value_alone_takes_the_latency(dut):
    config = parameters()["config"]
    for source in range(config.stages):
        getattr(dut, f"stage_requests__{source}__valid").value = 0
        getattr(dut, f"stage_responses__{source}__ready").value = 1
    for bank in range(config.banks):
        getattr(dut, f"bank_responses__{bank}__valid").value = 0
        getattr(dut, f"bank_requests__{bank}__ready").value = 1
    await clock_and_reset(dut)
    ways = [
        ("stage_requests", config.stages - 1, "bank_requests", config.banks - 1, config.request_latency),
        ("bank_responses", config.banks - 1, "stage_responses", config.stages - 1, config.response_latency),
    ]
    for entrance, source, exit_, target, latency in ways:
        getattr(dut, f"{entrance}__{source}__payload").value = target
        getattr(dut, f"{entrance}__{source}__valid").value = 1
        await RisingEdge(dut.clk)
        getattr(dut, f"{entrance}__{source}__valid").value = 0
        for cycle in range(1, latency + 1):
            await RisingEdge(dut.clk)
            assert int(getattr(dut, f"{exit_}__{target}__valid").value) == (cycle == latency), f"{exit_}, {cycle}"


@cocotb.test()
async def a_way_that_is_blocked_holds_a_value_in_each_register(dut):
    """So does each of its skid buffers, three there and two back, where four stages or more share a port."""
    config = parameters()["config"]
    there, back = (3, 2) if config.concentration > 2 else (0, 0)
    ways = [
        ("stage_requests", config.stages, "bank_requests", config.banks, config.request_latency + there),
        ("bank_responses", config.banks, "stage_responses", config.stages, config.response_latency + back),
    ]
    for source, sources, sink, sinks, _ in ways:
        for number in range(sources):
            getattr(dut, f"{source}__{number}__valid").value = 0
        for number in range(sinks):
            getattr(dut, f"{sink}__{number}__ready").value = 0
    for source, _, _, _, most in ways:
        await clock_and_reset(dut)
        port = {name: getattr(dut, f"{source}__0__{name}") for name in ("payload", "valid", "ready")}
        port["payload"].value, port["valid"].value = 0, 1
        taken = 0
        for _ in range(2 * most + 10):
            await FallingEdge(dut.clk)
            taken += int(port["ready"].value)
        port["valid"].value = 0
        compare(most, taken, f"{source} that are taken", 0)
