"""Quartus and Platform Designer as stubs, and whether what their scripts declare is the module of the package."""

import json

from .axi import check_bus
from .interpreter import Command, Interpreter
from .verilog import ports_in

__all__ = ["QUARTUS", "check_build", "check_component"]

# Platform Designer User Guide, Component Interface Tcl Reference.
DESIGNER = {
    "set_module_property": Command(range(2, 3)),
    "add_fileset": Command(range(2, 5)),
    "set_fileset_property": Command(range(3, 4)),
    "add_fileset_file": Command(range(4, 6)),
    "add_interface": Command(range(3, 4)),
    "set_interface_property": Command(range(3, 4)),
    "add_interface_port": Command(range(5, 6)),
}
# Quartus Settings File Reference Manual, Quartus Scripting Reference Manual.
QUARTUS = {
    "load_package": Command(range(1, 2)),
    "project_new": Command(range(1, 2), "overwrite", "part"),
    "set_global_assignment": Command(range(1, 2), options="name"),
    "set_instance_assignment": Command(range(1, 2), options="name to"),
    "execute_flow": Command(range(1), "compile"),
    "project_close": Command(range(1)),
}
DIRECTIONS = {"Input": "in", "Output": "out"}


def component(package, name):
    """Declarations of the component's script: interfaces with kind, end, properties and ports."""
    designer = Interpreter(DESIGNER)
    designer.provide("qsys", "16.1")
    designer.run(package / f"quartus/{name}_hw.tcl")
    interfaces = {}
    for call in designer.calls:
        if call.name == "add_interface":
            label, kind, end = call.words
            assert label not in interfaces
            interfaces[label] = {"kind": kind, "end": end, "ports": {}}
        elif call.name == "set_interface_property":
            interfaces[call.words[0]][call.words[1]] = call.words[2]
        elif call.name == "add_interface_port":
            label, port, role, direction, width = call.words
            assert role not in interfaces[label]["ports"]
            interfaces[label]["ports"][role] = (port, DIRECTIONS[direction], int(width))
    return designer, interfaces


def check_component(package, name):
    """The component is the module of the package: its files, and every port in an interface of its kind."""
    designer, interfaces = component(package, name)
    module = ports_in(sorted((package / "rtl").iterdir()), name)
    declared = [port for interface in interfaces.values() for port in interface["ports"].values()]
    assert sorted(declared) == sorted((port, *about) for port, about in module.items())
    filesets = [call.words[:2] for call in designer.called("add_fileset")]
    assert filesets == [("QUARTUS_SYNTH", "QUARTUS_SYNTH"), ("SIM_VERILOG", "SIM_VERILOG")]
    assert {call.words[1:] for call in designer.called("set_fileset_property")} == {("TOP_LEVEL", name)}
    files = sorted((package / "rtl").iterdir())
    found = [
        (call.words[0], (package / "quartus" / call.words[3]).resolve()) for call in designer.called("add_fileset_file")
    ]
    assert sorted(found) == sorted(2 * [(file.name, file) for file in files])
    assert {call.words[1:3] for call in designer.called("add_fileset_file")} == {("VERILOG", "PATH")}
    about = dict(call.words for call in designer.called("set_module_property"))
    described = json.loads((package / f"{name}.json").read_text())
    assert (about["NAME"], about["DESCRIPTION"]) == (name, described["description"])
    assert described["version"].startswith(f"{about['VERSION']}.")
    clocks = {label for label, interface in interfaces.items() if interface["kind"] == "clock"}
    resets = {label for label, interface in interfaces.items() if interface["kind"] == "reset"}
    for interface in interfaces.values():
        kind, end, ports = interface["kind"], interface["end"], interface["ports"]
        assert all(role == role.lower() for role in ports) or kind == "conduit"
        roles = {role.upper(): port for role, (port, *_) in ports.items()}
        if kind != "clock" and clocks:
            assert interface["associatedClock"] in clocks
        if kind == "reset":
            assert interface["synchronousEdges"] == "BOTH"
        if kind in ("clock", "reset"):
            ((role, (port, _, _)),) = ports.items()
            assert (role, end) == ("clk" if kind == "clock" else "reset_n" if port.endswith("n") else "reset", "end")
        elif kind == "interrupt":
            assert interface["associatedReset"] in resets and (list(ports), end) == (["irq"], "end")
            assert interfaces[interface["associatedAddressablePoint"]]["kind"] == "axi4lite"
        elif kind != "conduit":
            assert interface["associatedReset"] in resets
            check_bus(kind, {"end": "slave", "start": "master"}[end], roles, module)
    return interfaces


def check_build(package, name, part, *arguments):
    """The build has all files of the package, its constraints, and virtual pins for every bit but clocks."""
    package_there = package.resolve()
    files = sorted((package_there / "rtl").iterdir())
    about = json.loads((package_there / f"{name}.json").read_text())
    quartus = Interpreter(QUARTUS)
    quartus.run(package / "quartus/ooc.tcl", part, *arguments, variable="quartus(args)")
    settings = [(call.options["name"], call.words[0]) for call in quartus.called("set_global_assignment")]
    assert sorted(value for setting, value in settings if setting == "VERILOG_FILE") == sorted(map(str, files))
    assert dict(entry for entry in settings if entry[0] != "VERILOG_FILE") == {
        "TOP_LEVEL_ENTITY": name,
        "SDC_FILE": str(package_there / f"{name}_ooc.sdc"),
        "PROJECT_OUTPUT_DIRECTORY": "reports",
        "FLOW_DISABLE_ASSEMBLER": "ON",
    }
    assert (package_there / f"{name}_ooc.sdc").is_file()
    assignments = quartus.called("set_instance_assignment")
    assert {(call.options["name"], *call.words) for call in assignments} == {("VIRTUAL_PIN", "ON")}
    pins = [call.options["to"] for call in assignments]
    clocks = {clock["port"] for clock in about["clocks"]}
    assert sorted(pins) == sorted(
        port if width == 1 else f"{port}[*]" for port, (_, width) in ports_in(files, name).items() if port not in clocks
    )
    assert [call.name for call in quartus.calls if "assignment" not in call.name] == [
        *("load_package", "project_new", "execute_flow", "project_close")
    ]
    (project,), (flow,) = quartus.called("project_new"), quartus.called("execute_flow")
    assert (project.words, project.options["part"]) == ((name,), part.removeprefix("part="))
    assert flow.options == {"compile": ""}
