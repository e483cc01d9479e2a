"""Transfer instructions to two engines that take them at any time and work for any time."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.array.commands import RangeNoiseKind
from rewardware.hw.cores.array.host_rows import row_options
from rewardware.hw.cores.array.range_noise_engine import range_noise_command
from rewardware.hw.soc.fixar.instructions import CODES, EVERY_CORE, INSTRUCTION_SET, Memory
from rewardware.hw.soc.shell.transfer_config import TransferKind
from rewardware.hw.soc.shell.transfer_engine import transfer_command
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

INSTRUCTIONS = 250
ENGINES = ("transfers", "others")


class Engine:
    """Takes a command now and then, and is busy for a while; ``taken`` gets what it took."""

    def __init__(self, dut, name, layout, taken):
        self.dut, self.name, self.codec, self.taken = dut, name, codec_of(layout), taken
        self.other = next(other for other in ENGINES if other != name)
        self.random = rng(name)
        cocotb.start_soon(self.run())

    def port(self, name):
        return getattr(self.dut, name)

    async def run(self):
        left = 0
        while True:
            ready = not left and self.random.random() < 0.6
            self.port(f"{self.name}__ready").value = int(ready)
            self.port(f"{self.name}_busy").value = int(left > 0)
            await RisingEdge(self.dut.clk)
            left = max(left - 1, 0)
            if ready and int(self.port(f"{self.name}__valid").value):
                assert not int(self.port(f"{self.other}_busy").value), f"{self.name} got one while {self.other} works"
                self.taken.append((self.name, self.codec.unpack(int(self.port(f"{self.name}__payload").value))))
                left = int(self.random.integers(1, 6))


def instruction(random, config):
    """A random one: its format and fields."""
    format = INSTRUCTION_SET.formats_of("transfer")[random.integers(4)]
    fields = {field.name: int(random.integers(1 << field.width)) for field in format.record.fields}
    if "memory" in fields:
        fields["memory"] = int(random.choice([*Memory, Memory.ACTIVATION]))
    if "core" in fields:
        # One that there is, one that differs from it in a bit, or all.
        there, bit = int(random.integers(config.cores)), int(random.integers(EVERY_CORE.bit_length()))
        fields["core"] = int(random.choice([there, there ^ 1 << bit, EVERY_CORE], p=[0.2, 0.6, 0.2]))
    if "lanes" in fields:
        fields["lanes"] = int(random.integers(config.lanes + 1))
    return format, fields


def expected(config, format, fields):
    """The engine that gets an instruction, and what of its command is defined."""
    if format.name in ("load", "store"):
        command = {name: fields[name] for name in ("memory", "core", "base", "count")}
        command["kind"] = TransferKind.LOAD if format.name == "load" else TransferKind.STORE
        if format.name == "load":
            names = [name for name, _ in row_options(config.array_engine)]
            options = codec_of(row_options(config.array_engine))
            command["options"] = options.pack({name: fields[name] for name in names})
            if fields["half"] and fields["memory"] == Memory.ACTIVATION:
                command |= {"memory": CODES, "base": fields["base"] * 2 % (1 << 18)}
        return "transfers", command
    if format.name == "noise":
        every = (1 << config.cores) - 1
        cores = every if fields["core"] == EVERY_CORE else 1 << fields["core"] & every
        return "others", {
            "kind": RangeNoiseKind.NOISE,
            "cores": cores,
            "row": fields["base"] % (1 << 16),
            "lanes": fields["lanes"],
        }
    return "others", {"kind": RangeNoiseKind.RANGE, **fields}


@cocotb.test()
async def each_instruction_goes_to_its_engine_in_order(dut):
    config, transfer = parameters()["config"], parameters()["transfer"]
    random, taken = rng("instructions"), []
    source = StreamSource(dut, "commands")
    Engine(dut, "transfers", transfer_command(transfer), taken)
    Engine(dut, "others", range_noise_command(config.array_engine), taken)
    await clock_and_reset(dut)
    given = [instruction(random, config) for _ in range(INSTRUCTIONS)]
    for format, fields in given:
        source.put({"opcode": format.opcode, "arguments": format.record.pack(fields)})
    for _ in range(40 * INSTRUCTIONS):
        await RisingEdge(dut.clk)
        if len(taken) == INSTRUCTIONS:
            break
    assert len(taken) == INSTRUCTIONS
    for number, ((format, fields), (name, command)) in enumerate(zip(given, taken, strict=True)):
        engine, defined = expected(config, format, fields)
        compare(engine, name, f"engine of {format.name} {fields}", number)
        compare(defined, {field: command[field] for field in defined}, f"command of {format.name} {fields}", number)
