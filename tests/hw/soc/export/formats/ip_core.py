"""Whether a core that a script packaged is the module of the package: its ports, as elaborated, files and registers."""

import json

from .axi import check_bus

__all__ = ["check_core"]

ACCESS = {"constant": "read-only", "write-1-to-clear": "read-write", "strobe": "write-only"}


def check_core(core, package):
    """Check a core against the Verilog that was packaged and the JSON file of the package's folder."""
    about = json.loads((package / f"{core.properties['name']}.json").read_text())
    assert core.properties["top"] == core.properties["name"] == about["top"]
    assert core.properties["description"] == about["description"]
    assert core.properties["auto_family_support_level"] == "level_2"
    buses, signals = {}, {}
    for name, interface in core.all("bus_interface").items():
        *kind, version = interface.properties["bus_type_vlnv"].split(":")
        assert interface.properties["abstraction_type_vlnv"] == f"{':'.join(kind)}_rtl:{version}"
        ports = {role: part.properties["physical_name"] for role, part in interface.all("port_map").items()}
        assert kind[:2] == ["xilinx.com", "interface" if kind[2] in ("aximm", "axis") else "signal"]
        (buses if kind[1] == "interface" else signals)[name] = (kind[2], interface, ports)
    mapped = [port for _, _, ports in (*buses.values(), *signals.values()) for port in ports.values()]
    assert len(mapped) == len(set(mapped))
    # A core of the catalogue has ports of its own; all ports of a system are known to Vivado.
    assert set(mapped) == set(core.ports) if buses else set(mapped) <= set(core.ports)
    for kind, interface, ports in buses.values():
        protocol = "axi4stream" if kind == "axis" else "axi4" if {"AWLEN", "ARLEN"} & set(ports) else "axi4lite"
        check_bus(protocol, interface.properties["interface_mode"], ports, core.ports)
        if protocol == "axi4lite":
            _check_registers(core, interface, core.ports[ports["AWADDR"]][1], about)
        elif protocol == "axi4":
            (space,) = (core.all("address_space")[interface.properties["master_address_space_ref"]],)
            width = {core.ports[port][1] for role, port in ports.items() if role in ("AWADDR", "ARADDR")}
            assert width == {int(space.properties["width"])}
            assert int(space.properties["range"]) == 1 << width.pop()
    _check_signals(core, signals, set(buses))
    protocols = {"memory_map": ("aximm", "slave"), "address_space": ("aximm", "master")}
    for part, end in protocols.items():
        ends = [name for name, (kind, bus, _) in buses.items() if (kind, bus.properties["interface_mode"]) == end]
        assert sorted(core.all(part)) == sorted(ends)


def _check_signals(core, signals, buses):
    """Clocks, each with its buses and its reset, and interrupts."""
    clocked, resets = [], []
    for kind, interface, ports in signals.values():
        ((role, port),) = ports.items()
        mode, expected = {"clock": ("slave", "CLK"), "reset": ("slave", "RST"), "interrupt": ("master", "INTERRUPT")}[
            kind
        ]
        assert (interface.properties["interface_mode"], role) == (mode, expected)
        assert core.ports[port] == ("out" if kind == "interrupt" else "in", 1)
        values = interface.values("bus_parameter")
        if kind == "clock":
            clocked += values["ASSOCIATED_BUSIF"].split(":") if "ASSOCIATED_BUSIF" in values else []
            resets += [values["ASSOCIATED_RESET"]] if "ASSOCIATED_RESET" in values else []
        elif kind == "reset":
            assert values["POLARITY"] == ("ACTIVE_LOW" if port.endswith("n") else "ACTIVE_HIGH")
        else:
            assert values == {"SENSITIVITY": "LEVEL_HIGH"}
    assert sorted(clocked) == sorted(buses)
    assert sorted(resets) == sorted(name for name, (kind, _, _) in signals.items() if kind == "reset")


def _check_registers(core, interface, width, about):
    """One block of all addresses, and each register where the package's JSON file has it."""
    (block,) = core.all("memory_map")[interface.properties["slave_memory_map_ref"]].all("address_block").values()
    size = int(block.properties["range"])
    assert (block.name, block.properties["base_address"], block.properties["width"]) == ("reg0", "0", "32")
    assert size == max(4096, 1 << width)
    pointers = {pointer for bus in about["interfaces"] for pointer in bus["pointers"]}
    found = {name: int(part.properties["address_offset"], 0) for name, part in block.all("register").items()}
    # The high words of pointers are no registers of their own.
    high = {found[name] + 4 for name in pointers}
    expected = {part["name"]: part for part in about["registers"] if part["address"] not in high}
    assert found == {name: part["address"] for name, part in expected.items()}
    for name, part in block.all("register").items():
        register = expected[name]
        bits = 64 if name in pointers or register["width"] > 32 else 32
        assert part.properties["size"] == str(bits) and found[name] + bits // 8 <= size
        assert part.properties["access"] == ACCESS.get(register["access"], register["access"])
        assert part.properties["description"] == register["description"]
