"""Scripts for Quartus: a component of Platform Designer, and a build of the design alone. No Amaranth here."""

from collections.abc import Iterator, Mapping

from ...bus.interfaces import BusInterface
from ..description import PackageDescription
from .tcl import ROOT, UNRUN, Argument, arguments, folder_argument, table, verilog, word

__all__ = ["files"]

# Which end of a connection an interface is.
_ENDS = {"slave": "end", "master": "start"}


def files(description: PackageDescription) -> Mapping[str, str]:
    """The component, and the build of a design with a clock."""
    scripts = {f"quartus/{description.name}_hw.tcl": component(description)}
    if description.clocks:
        scripts["quartus/ooc.tcl"] = out_of_context(description)
    return scripts


def component(description: PackageDescription) -> str:
    """The component: its files, and an interface for every port."""
    name = description.name
    properties = (
        ("NAME", name),
        ("DISPLAY_NAME", name),
        ("VERSION", description.short_version),
        ("DESCRIPTION", description.description),
        ("GROUP", "Rewardware"),
        ("AUTHOR", "Rewardware"),
        ("EDITABLE", "false"),
    )
    lines = [
        f"# {name} as a component of Platform Designer: add this folder to the search path of its IP catalogue.",
        UNRUN + "package require -exact qsys 16.1",
        "",
        *(f"set_module_property {name} {word(value)}" for name, value in properties),
        "",
        verilog(description) + "foreach fileset {QUARTUS_SYNTH SIM_VERILOG} {",
        '    add_fileset $fileset $fileset "" ""',
        f"    set_fileset_property $fileset TOP_LEVEL {name}",
        "    foreach file $files {",
        "        # Paths are relative to this file.",
        "        add_fileset_file [file tail $file] VERILOG PATH ../$file",
        "    }",
        "}",
    ]
    for clock in description.clocks:
        lines += [*_interface(clock.port, "clock", "end"), f"add_interface_port {clock.port} {clock.port} clk Input 1"]
    for reset in description.resets:
        role = "reset_n" if reset.active_low else "reset"
        properties_of = (("associatedClock", reset.clock), ("synchronousEdges", "BOTH"))
        lines += _interface(reset.port, "reset", "end", *properties_of)
        lines.append(f"add_interface_port {reset.port} {reset.port} {role} Input 1")
    for interface in description.interfaces:
        lines += _bus(description, interface)
    for interrupt in description.interrupts:
        lines += _interface(
            interrupt.port,
            "interrupt",
            "end",
            ("associatedAddressablePoint", description.control.name),
            ("associatedClock", interrupt.clock),
            ("associatedReset", interrupt.reset),
        )
        lines.append(f"add_interface_port {interrupt.port} {interrupt.port} irq Output 1")
    lines += _conduit(description)
    return "\n".join(lines) + "\n"


def _interface(name: str, kind: str, end: str, *properties: tuple[str, object]) -> Iterator[str]:
    yield f"\nadd_interface {name} {kind} {end}"
    yield from (f"set_interface_property {name} {key} {value}" for key, value in properties)


def _ports(description: PackageDescription, interface: str, roles: Mapping[str, str]) -> Iterator[str]:
    """Each port with its role, as rows of the component."""
    rows = []
    for role, name in roles.items():
        port = description.port(name)
        rows.append((name, role, {"in": "Input", "out": "Output"}[port.direction], port.width))
    yield f"foreach {{port role direction width}} {table(rows)} {{"
    yield f"    add_interface_port {interface} $port $role $direction $width"
    yield "}"


def _bus(description: PackageDescription, bus: BusInterface) -> Iterator[str]:
    """A bus: roles are the protocol's names in small letters."""
    associated = (("associatedClock", bus.clock), ("associatedReset", bus.reset))
    yield from _interface(bus.name, bus.protocol, _ENDS[bus.mode], *associated)
    yield from _ports(description, bus.name, {role.lower(): port for role, port in bus.ports.items()})


def _conduit(description: PackageDescription) -> Iterator[str]:
    """Ports that are no bus; Platform Designer wants all of them in an interface."""
    rest = {port.name: port.name for port in description.loose_ports}
    if rest:
        clock = [("associatedClock", part.port) for part in description.clocks[:1]]
        yield from _interface("ports", "conduit", "end", *clock)
        yield from _ports(description, "ports", rest)


def out_of_context(description: PackageDescription) -> str:
    """Builds the design alone, with virtual pins, and writes what it takes and how fast it is."""
    name = description.name
    known = (
        Argument(name="part", meaning="the FPGA, such as 5CSEBA6U23I7"),
        folder_argument("output", "folder of the project", f"{name}_ooc"),
    )
    clocks = {clock.port for clock in description.clocks}
    pins = [[port.bits] for port in description.ports if port.name not in clocks]
    return f"""\
# Builds {name} alone at the clock of its constraints and reports what it takes and how fast it is.
{UNRUN}{arguments("quartus_sh -t quartus/ooc.tcl", known, given="quartus(args)")}{ROOT}load_package flow
file mkdir $argument(output)
cd $argument(output)
project_new -overwrite -part $argument(part) {name}
set_global_assignment -name TOP_LEVEL_ENTITY {name}
{verilog(description)}foreach file $files {{
    set_global_assignment -name VERILOG_FILE [file join $root $file]
}}
set_global_assignment -name SDC_FILE [file join $root {name}_ooc.sdc]
set_global_assignment -name PROJECT_OUTPUT_DIRECTORY reports
# There is no bitstream of a part of a design.
set_global_assignment -name FLOW_DISABLE_ASSEMBLER ON
# Ports by name: a pattern for all of them would be matched against every signal of the design.
foreach pin {table(pins)} {{
    set_instance_assignment -name VIRTUAL_PIN ON -to $pin
}}
# `rewardware report {description.design} --import FILE` reads reports/{name}.fit.rpt and reports/{name}.sta.rpt.
execute_flow -compile
project_close
"""
