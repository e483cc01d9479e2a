"""A kernel of Vitis that its host drives by its registers: description and packaging. No Amaranth here."""

from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from ...bus.interfaces import BusInterface
from ..description import PackageDescription
from .ip_packaging import address_range, core_name, packaging
from .tcl import ROOT, UNRUN, arguments, folder_argument, table, vivado

__all__ = ["files"]

# Names and sizes that Vitis and its run time, XRT, accept of a kernel.
_CONTROL, _INTERRUPT = "s_axi_control", "interrupt"
_CONTROL_BITS, _MASTER_BITS = 16, 64

# Bytes that the XML gives an address and a stream.
_POINTER_BYTES, _STREAM_BYTES = 8, 4


def files(description: PackageDescription) -> Mapping[str, str]:
    """The kernel of a design that reads or writes memory, as an AXI4 master; nothing for another design.

    Raises
    ------
    ValueError
        Vitis would refuse the kernel.
    """
    if not any(interface.protocol == "axi4" and interface.mode == "master" for interface in description.interfaces):
        return {}
    _require_kernel(description)
    return {"vitis/kernel.xml": kernel_xml(description), "vitis/package_xo.tcl": package_xo(description)}


def _require_kernel(description: PackageDescription) -> None:
    """Vitis links by fixed names, and leaves no port without an interface."""
    name = description.name
    if not any(part.name == _CONTROL and part.protocol == "axi4lite" for part in description.interfaces):
        raise ValueError(f"A kernel must have its registers on an AXI4-Lite interface {_CONTROL}, which {name} has not")
    width = description.interface(_CONTROL).address_width
    if width > _CONTROL_BITS:
        raise ValueError(f"Registers of a kernel must have addresses of at most {_CONTROL_BITS} bits, not {width}")
    left = [port.name for port in description.loose_ports]
    if left:
        raise ValueError(f"Every port of a kernel must belong to an interface, {', '.join(left)} of {name} does not")
    for part in description.interrupts:
        if part.port != _INTERRUPT:
            raise ValueError(f"The interrupt of a kernel must be called {_INTERRUPT}, not {part.port}")
    for master in _masters(description):
        if master.address_width != _MASTER_BITS:
            raise ValueError(
                f"Addresses of the master {master.name} of a kernel must have {_MASTER_BITS} bits, "
                f"not {master.address_width}"
            )
        _require_pointers(description, master)


def _require_pointers(description: PackageDescription, master: BusInterface) -> None:
    """The host gives a master at least one address, of two words."""
    if description.address_map is None or not master.pointers:
        raise ValueError(f"The master {master.name} of a kernel must have a register for its address")
    starts = {placed.address for placed in description.address_map.registers}
    for pointer in master.pointers:
        placed = description.address_map[pointer]
        if placed.item.size < _POINTER_BYTES and placed.end not in starts:
            raise ValueError(f"Register {pointer} of a kernel must have its high word after it, at {placed.end:#06x}")


def _masters(description: PackageDescription) -> list[BusInterface]:
    return [part for part in description.interfaces if part.protocol == "axi4" and part.mode == "master"]


def kernel_xml(description: PackageDescription) -> str:
    """Ports of the kernel, and an argument for every address that the host gives it."""
    root = ElementTree.Element("root", versionMajor="1", versionMinor="9")
    kernel = ElementTree.SubElement(
        root,
        "kernel",
        name=description.name,
        language="ip",
        vlnv=core_name(description),
        attributes="",
        preferredWorkGroupSizeMultiple="0",
        workGroupSize="1",
        interrupt="true" if description.interrupts else "false",
        hwControlProtocol="user_managed",
    )
    ports, parameters = (ElementTree.SubElement(kernel, part) for part in ("ports", "args"))
    for interface in description.interfaces:
        ElementTree.SubElement(ports, "port", {"name": interface.name, **_port(interface)})
    for number, (name, port, offset, kind, size) in enumerate(_arguments(description)):
        ElementTree.SubElement(
            parameters,
            "arg",
            name=name,
            addressQualifier=kind,
            id=str(number),
            port=port,
            size=f"{size:#x}",
            offset=f"{offset:#x}",
            hostOffset="0x0",
            hostSize=f"{size:#x}",
            type="void*",
        )
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _port(interface: BusInterface) -> dict[str, str]:
    """Attributes of an interface in the XML besides its name."""
    width = str(interface.data_width)
    if interface.protocol == "axi4stream":
        mode = {"slave": "read_only", "master": "write_only"}[interface.mode]
        return {"mode": mode, "dataWidth": width, "portType": "stream"}
    span = address_range(interface) if interface.mode == "slave" else (1 << interface.address_width) - 1
    return {
        "mode": interface.mode,
        "range": f"{span:#x}",
        "dataWidth": width,
        "portType": "addressable",
        "base": "0x0",
    }


def _arguments(description: PackageDescription) -> Iterator[tuple[str, str, int, str, int]]:
    """Name, port, address, kind and bytes of each argument: addresses, which are of kind 1, and streams, of kind 4."""
    for interface in description.interfaces:
        for pointer in interface.pointers:
            assert description.address_map is not None
            yield pointer, interface.name, description.address_map[pointer].address, "1", _POINTER_BYTES
        if interface.protocol == "axi4stream":
            yield interface.name, interface.name, 0, "4", _STREAM_BYTES


def package_xo(description: PackageDescription) -> str:
    """Packages the kernel for the linker of Vitis, a file NAME.xo."""
    name = description.name
    output = folder_argument("output", f"folder of {name}.xo", f"{name}_kernel")
    return (
        f"# Packages {name} as a kernel of Vitis, {name}.xo, that its host drives by its registers.\n"
        + UNRUN
        + arguments(vivado("vitis/package_xo.tcl"), [output])
        + ROOT
        + f"""\
set output [file normalize $argument(output)]
set core_folder [file join $output core]

{packaging(description, kernel=_kernel(description))}
package_xo -force -xo_path [file join $output {name}.xo] -kernel_name {name} -ctrl_protocol user_managed \\
    -ip_directory $core_folder -kernel_xml [file join $root vitis kernel.xml]
"""
    )


def _kernel(description: PackageDescription) -> str:
    """Tcl that makes a core a kernel: the linker finds out of which registers a master has its addresses."""
    pointers = [(pointer, master.name) for master in _masters(description) for pointer in master.pointers]
    return f"""
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property vitis_drc {{ctrl_protocol user_managed}} $core
set_property ipi_drc {{ignore_freq_hz true}} $core
foreach {{pointer master}} {table(pointers)} {{
    set register [ipx::get_registers $pointer -of_objects $block]
    set_property value $master [ipx::add_register_parameter ASSOCIATED_BUSIF $register]
}}
"""
