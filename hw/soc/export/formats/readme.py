"""The package's README: what it holds, ports, registers, instructions, and how it is used. No Amaranth here."""

from collections.abc import Iterable, Sequence

from ....cores.records import Record
from ...sequencer.instructions import CONTROL, HEADER_WIDTH, OPCODE_WIDTH
from ..description import PackageDescription, Port
from .register_table import register_table

__all__ = ["readme"]


def readme(description: PackageDescription, contents: Sequence[tuple[Sequence[str], str, str]]) -> str:
    """The text of ``README.md``.

    Parameters
    ----------
    description : PackageDescription
    contents : sequence of tuple
        For each kind of files their paths, what they hold, and what of them only a vendor's tool could check.
    """
    sections = [
        f"# {description.name}\n\n{description.description}\n\n{_origin(description)}",
        f"## Files\n\n{_files(description, contents)}",
        f"## Ports\n\n{_ports(description)}",
    ]
    if description.address_map is not None:
        about = _REGISTERS.format(control=description.control.name)
        sections.append(f"## Registers\n\n{about}\n\n{register_table(description.address_map)}")
    if description.instruction_set is not None:
        sections.append(f"## Instructions\n\n{_instructions(description)}")
    if description.enumerations:
        sections.append(f"## Values of fields\n\n{_values(description)}")
    if description.rows:
        sections.append(f"## Rows of the streams\n\n{_rows(description)}")
    sections += [
        f"## Instantiate\n\n{_instance(description)}",
        f"## Simulate\n\n{_simulate(description)}",
    ]
    if description.clocks:
        sections.append(f"## Constrain\n\n{_constrain(description)}")
    sections.append(f"## What was not checked\n\n{_unchecked(contents)}")
    return "\n\n".join(section.strip() for section in sections) + "\n"


_REGISTERS = (
    "Addresses are bytes from the beginning of `{control}`. Writes to constant and read-only registers and addresses "
    "between those below are answered with SLVERR. A register wider than 32 bits is read low word first, which keeps "
    "the high word."
)


def _origin(description: PackageDescription) -> str:
    text = f"Made by Rewardware {description.version} from its design `{description.design}`"
    if description.configuration_hash is not None:
        text += f"; its register `configuration_hash` reads as {description.configuration_hash:#010x}"
    return f"{text}. `{description.name}.json` has the whole configuration."


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _files(description: PackageDescription, contents: Sequence[tuple[Sequence[str], str, str]]) -> str:
    rows = [
        ("`rtl/`", "The design in Verilog of 2005: the top `rtl/" + f"{description.name}.v` and what it instantiates."),
        *((", ".join(f"`{path}`" for path in paths), holds) for paths, holds, _ in contents),
    ]
    return _table(("file", "holds"), rows)


def _ports(description: PackageDescription) -> str:
    """Buses with their ports, then the others."""
    parts, of_buses = [], set()
    for bus in description.interfaces:
        of_buses |= set(bus.ports.values())
        size = f"{bus.data_width} bits of data" + (f", {bus.address_width} of address" if bus.address_width else "")
        size += f", a row every {bus.row_bytes} bytes of the memory" if bus.row_bytes else ""
        parts.append(
            f"**`{bus.name}`**, {bus.protocol.upper()} {bus.mode}, {size}, clock `{bus.clock}`, reset `{bus.reset}`. "
            f"{bus.description}\n\n{_port_table(map(description.port, bus.ports.values()))}"
        )
    meaning = {clock.port: "clock" for clock in description.clocks}
    meaning |= {
        reset.port: f"synchronous reset while {int(not reset.active_low)}, of `{reset.clock}`"
        for reset in description.resets
    }
    meaning |= {interrupt.port: "interrupt, a level, active while 1" for interrupt in description.interrupts}
    others = [port for port in description.ports if port.name not in of_buses]
    rows = [(f"`{port.name}`", port.direction, port.width, meaning.get(port.name, "")) for port in others]
    return "\n\n".join([*parts, _table(("port", "direction", "bits", "is"), rows)])


def _port_table(ports: Iterable[Port]) -> str:
    return _table(("port", "direction", "bits"), ((f"`{port.name}`", port.direction, port.width) for port in ports))


def _places(record: Record, first: int) -> str:
    """Fields with their bits."""
    texts = []
    for field, offset in zip(record.fields, record.offsets, strict=True):
        low = first + offset
        bits = f"{low + field.width - 1}..{low}" if field.width > 1 else str(low)
        kind = f" ({field.values.__name__})" if field.values is not None else " (signed)" if field.signed else ""
        texts.append(f"`{field.name}` {bits}{kind}")
    return ", ".join(texts)


def _instructions(description: PackageDescription) -> str:
    known = description.instruction_set
    assert known is not None
    engines = ", ".join(f"`{engine}` {place}" for place, engine in enumerate(known.engines))
    rows = [
        (f"`{entry.name}`", entry.opcode, _places(entry.record, HEADER_WIDTH), entry.description)
        for entry in (*known.formats, *CONTROL.values())
    ]
    return (
        f"An instruction has {known.width} bits: opcode {OPCODE_WIDTH - 1}..0, wait mask "
        f"{HEADER_WIDTH - 1}..{OPCODE_WIDTH}, fields. A bit of the mask holds it "
        f"back until an engine has completed all its commands: {engines}.\n\n"
        f"{_table(('instruction', 'opcode', 'fields', 'does'), rows)}"
    )


def _values(description: PackageDescription) -> str:
    rows = [
        (enumeration.__name__, ", ".join(f"{value.value} {value.name.lower()}" for value in enumeration))
        for enumeration in description.enumerations
    ]
    return _table(("kind", "values"), rows)


def _rows(description: PackageDescription) -> str:
    rows = [
        (
            f"`{row.name}`",
            "from the host" if row.direction == "in" else "to the host",
            row.width,
            _places(row.record, 0) + "".join(f"; `{name}` is {int(value)}" for name, value in row.constants.items()),
            row.description,
        )
        for row in description.rows
    ]
    return _table(("word", "direction", "bits", "fields", "is"), rows)


def _instance(description: PackageDescription) -> str:
    lines = [f"    .{port.name}({port.name})" for port in description.ports]
    return "```verilog\n" + f"{description.name} {description.name} (\n" + ",\n".join(lines) + "\n);\n```"


def _simulate(description: PackageDescription) -> str:
    name = description.name
    bench = f"{name}_smoke"
    return f"""`sim/{bench}.sv` shows that the design comes out of reset; it needs no library.

    iverilog -g2012 -s {bench} -o {bench}.vvp rtl/*.v sim/{bench}.sv && vvp -n {bench}.vvp
    verilator --binary --timing --top-module {bench} {name}.vlt -F {name}.f sim/{bench}.sv && obj_dir/V{bench}
    fusesoc --cores-root . run --target sim {name}

The last one has the targets `sim`, `sim_verilator`, `lint` and `synth`."""


def _constrain(description: PackageDescription) -> str:
    clocks = ", ".join(f"`{clock.port}` {clock.frequency_mhz:g} MHz ({clock.source})" for clock in description.clocks)
    exceptions = (
        "no path needs an exception"
        if len(description.clocks) == 1
        else "its clocks need no relation: a larger design declares them asynchronous, as these files do"
    )
    return (
        f"`{description.name}_ooc.xdc` and `{description.name}_ooc.sdc` are for the design alone, out of context: "
        f"{clocks}. They claim no clock; in a larger design its own constraints hold. The reset is synchronous, and "
        f"{exceptions}."
    )


def _unchecked(contents: Sequence[tuple[Sequence[str], str, str]]) -> str:
    """Only what this package has."""
    rows = [f"- {', '.join(f'`{path}`' for path in paths)}: {text}" for paths, _, text in contents if text]
    general = "No vendor's tool has read anything of this folder, and no board has run it."
    return "\n".join([general, *(["", *rows] if rows else [])])
