"""Recordings of cores in a simulation, cycle by cycle, for WaveDrom."""

from amaranth.sim import Simulator

from rewardware.hw.cores.stream.buffer import StreamBuffer
from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.hw.soc.bus.axi_lite import AxiLiteSlave

CLOCK = {"name": "clk"}


def _record(component, drive, signals, cycles):
    """The values of signals in each cycle, right before the edge that ends it; ``drive`` is a test bench."""
    rows = []

    async def watch(ctx):
        async for _, _, *values in ctx.tick().sample(*signals.values()):
            rows.append(values)

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.add_process(watch)
    simulator.run_until((cycles + 1) * 1e-6)
    return dict(zip(signals, zip(*rows[:cycles], strict=True), strict=True))


def _bit(name, values):
    """A line of a signal of one bit."""
    return {"name": name, "wave": _changes(values, str)}


def _word(name, values, valid, text="{:#x}".format):
    """A line of a payload, which means something only while ``valid`` is 1."""
    meant = [text(value) if is_valid else None for value, is_valid in zip(values, valid, strict=True)]
    wave = _changes(meant, lambda value: "x" if value is None else "=")
    data = [value for value, change in zip(meant, wave, strict=True) if change == "="]
    return {"name": name, "wave": wave, "data": data}


def _changes(values, mark):
    return "".join("." if index and value == values[index - 1] else mark(value) for index, value in enumerate(values))


def _drawing(lines, cycles):
    return {"signal": [CLOCK | {"wave": "p" + "." * (cycles - 1)}, *lines], "config": {"hscale": 1.5}}


def stream_handshake():
    """Four values through a buffer of two, whose reader is not ready in two cycles."""
    buffer = StreamBuffer(8, StreamBufferConfig(depth=2, latency=1))

    async def drive(ctx):
        ready = [1, 1, 0, 0, 1, 1, 1, 1, 1]
        values = [0xA0, 0xA1, 0xA2, 0xA3]
        for is_ready in ready:
            ctx.set(buffer.o.ready, is_ready)
            ctx.set(buffer.i.valid, bool(values))
            ctx.set(buffer.i.payload, values[0] if values else 0)
            _, _, taken = await ctx.tick().sample(buffer.i.valid & buffer.i.ready)
            values = values[taken:]

    signals = {
        f"{side}.{part}": getattr(getattr(buffer, side), part)
        for side in "io"
        for part in ("valid", "ready", "payload")
    }
    cycles = 9
    seen = _record(buffer, drive, signals, cycles)
    lines = [
        line
        for side in "io"
        for line in (
            _word(f"{side}.payload", seen[f"{side}.payload"], seen[f"{side}.valid"]),
            _bit(f"{side}.valid", seen[f"{side}.valid"]),
            _bit(f"{side}.ready", seen[f"{side}.ready"]),
            {},
        )
    ]
    return _drawing(lines[:-1], cycles)


def axi_lite_write():
    """A register written over AXI4-Lite: the data come a cycle after the address, the response waits for a cycle."""
    slave = AxiLiteSlave(12)
    bus = slave.control

    async def drive(ctx):
        ctx.set(slave.write.okay, 1)
        await ctx.tick()
        ctx.set(bus.write_address.payload, 0x100)
        ctx.set(bus.write_address.valid, 1)
        await ctx.tick()
        ctx.set(bus.write_address.valid, 0)
        ctx.set(bus.write_data.payload, {"data": 0xCAFE, "strobe": 0xF})
        ctx.set(bus.write_data.valid, 1)
        await ctx.tick()
        ctx.set(bus.write_data.valid, 0)
        await ctx.tick().until(bus.write_response.valid)
        ctx.set(bus.write_response.ready, 1)
        await ctx.tick()
        ctx.set(bus.write_response.ready, 0)

    channels = {"aw": bus.write_address, "w": bus.write_data, "b": bus.write_response}
    signals = {f"{name}valid": port.valid for name, port in channels.items()}
    signals |= {f"{name}ready": port.ready for name, port in channels.items()}
    signals |= {
        "awaddr": bus.write_address.payload,
        "wdata": bus.write_data.payload.data,
        "bresp": bus.write_response.payload,
        "enable": slave.write.enable,
    }
    cycles = 9
    seen = _record(slave, drive, signals, cycles)
    payloads = {"aw": "awaddr", "w": "wdata", "b": "bresp"}
    lines = [
        line
        for name, payload in payloads.items()
        for line in (
            _word(
                payload,
                seen[payload],
                seen[f"{name}valid"],
                (lambda value: value.name) if name == "b" else "{:#x}".format,
            ),
            _bit(f"{name}valid", seen[f"{name}valid"]),
            _bit(f"{name}ready", seen[f"{name}ready"]),
            {},
        )
    ]
    return _drawing([*lines, _bit("register access", seen["enable"])], cycles)
