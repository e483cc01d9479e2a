"""Tcl that packages a design as a core of Vivado's IP catalogue, from which Vitis makes a kernel. No Amaranth here."""

from ...bus.interfaces import BusInterface
from ..description import PackageDescription
from .ip_xact import ACCESS
from .tcl import table, verilog, word

__all__ = ["ADDRESS_BLOCK", "address_range", "core_name", "packaging"]

# Vitis knows the registers of a kernel by this name.
ADDRESS_BLOCK = "reg0"

# The smallest range that an address editor gives to an AXI slave.
_SMALLEST_RANGE = 4096

# Addresses of masters have 64 bits, in two words of registers.
_POINTER_BYTES = 8

_BUSES = {"axi4": "aximm", "axi4lite": "aximm", "axi4stream": "axis"}

_PROCEDURES = """\
proc add_interface {core name library bus mode ports} {
    set interface [ipx::add_bus_interface $name $core]
    set_property bus_type_vlnv xilinx.com:$library:$bus:1.0 $interface
    set_property abstraction_type_vlnv xilinx.com:$library:${bus}_rtl:1.0 $interface
    set_property interface_mode $mode $interface
    foreach {logical physical} $ports {
        set_property physical_name $physical [ipx::add_port_map $logical $interface]
    }
    return $interface
}

proc add_parameter {interface name value} {
    set_property value $value [ipx::add_bus_parameter $name $interface]
}

# Lists of properties, since a description may begin with a minus.
proc add_registers {core slave block_name range width registers} {
    set map [ipx::add_memory_map $slave $core]
    set_property slave_memory_map_ref $slave [ipx::get_bus_interfaces $slave -of_objects $core]
    set block [ipx::add_address_block $block_name $map]
    set_property -dict [list usage register base_address 0 range $range width $width] $block
    foreach {name offset size access description} $registers {
        set register [ipx::add_register $name $block]
        set_property -dict [list address_offset $offset size $size access $access description $description] $register
    }
    return $block
}

proc add_address_space {core master range width} {
    set space [ipx::add_address_space $master $core]
    set_property -dict [list range $range width $width] $space
    set_property master_address_space_ref $master [ipx::get_bus_interfaces $master -of_objects $core]
}
"""


def core_name(description: PackageDescription) -> str:
    """Name of the core in Vivado: vendor, library, name and version."""
    return f"{description.vendor}:{description.library}:{description.name}:{description.short_version}"


def address_range(interface: BusInterface) -> int:
    """Bytes of the addresses that a slave gets."""
    return max(1 << interface.address_width, _SMALLEST_RANGE)


def packaging(description: PackageDescription, *, kernel: str = "") -> str:
    """Packages the design into the folder ``$core_folder``; ``$root`` is the folder of the package.

    Parameters
    ----------
    description : PackageDescription
    kernel : str
        Commands that make a kernel of ``$core``, with the registers ``$block``, before it is checked and saved.
    """
    name = description.name
    vendor, library, _, version = core_name(description).split(":")
    lines = [
        _PROCEDURES,
        f"create_project -force {name}_packaging ${{core_folder}}_project",
        verilog(description) + "foreach file $files {add_files -norecurse [file join $root $file]}",
        f"set_property top {name} [current_fileset]",
        "update_compile_order -fileset sources_1",
        f"ipx::package_project -root_dir $core_folder -vendor {vendor} -library {library} -taxonomy /Rewardware \\",
        "    -import_files -set_current true -force",
        "set core [ipx::current_core]",
        f"set_property -dict [list name {name} version {version} display_name {name} vendor_display_name Rewardware \\",
        f"    description {word(description.description)}] $core",
        "# Every family is supported: the design has no primitives.",
        "set_property supported_families { } $core",
        "set_property auto_family_support_level level_2 $core",
        "",
        "# The interfaces as they are, not as they are guessed from the names of ports.",
        "ipx::remove_all_bus_interface $core",
        "ipx::remove_all_memory_map $core",
        "ipx::remove_all_address_space $core",
        *_signals(description),
    ]
    for interface in description.interfaces:
        ports = table(interface.ports.items())
        lines.append(
            f"add_interface $core {interface.name} interface {_BUSES[interface.protocol]} {interface.mode} {ports}"
        )
    for clock in description.clocks:
        if clock.interfaces:
            busses = ":".join(clock.interfaces)
            lines.append(f"ipx::associate_bus_interfaces -busif {busses} -clock {clock.port} $core")
    for reset in description.resets:
        lines.append(f"ipx::associate_bus_interfaces -clock {reset.clock} -reset {reset.port} $core")
    for interface in description.interfaces:
        if interface.protocol == "axi4lite" and interface.mode == "slave":
            block = f"{ADDRESS_BLOCK} {address_range(interface)} {interface.data_width}"
            registers = table(_registers(description))
            lines.append(f"set block [add_registers $core {interface.name} {block} {registers}]")
        elif interface.protocol == "axi4" and interface.mode == "master":
            lines.append(
                f"add_address_space $core {interface.name} {1 << interface.address_width} {interface.address_width}"
            )
    lines += [
        *([kernel] if kernel else []),
        "",
        "set_property core_revision 1 $core",
        "ipx::create_xgui_files $core",
        "ipx::update_checksums $core",
        f"ipx::check_integrity {'-kernel ' if kernel else ''}$core",
        "ipx::save_core $core",
        "close_project -delete",
    ]
    return "\n".join(lines) + "\n"


def _signals(description: PackageDescription) -> list[str]:
    """Clocks, resets and interrupts, which are interfaces of one port each."""
    lines = [
        f"add_interface $core {clock.port} signal clock slave {{CLK {clock.port}}}" for clock in description.clocks
    ]
    for reset in description.resets:
        polarity = "ACTIVE_LOW" if reset.active_low else "ACTIVE_HIGH"
        interface = f"[add_interface $core {reset.port} signal reset slave {{RST {reset.port}}}]"
        lines.append(f"add_parameter {interface} POLARITY {polarity}")
    for interrupt in description.interrupts:
        interface = f"[add_interface $core {interrupt.port} signal interrupt master {{INTERRUPT {interrupt.port}}}]"
        lines.append(f"add_parameter {interface} SENSITIVITY LEVEL_HIGH")
    return lines


def _registers(description: PackageDescription) -> list[tuple[object, ...]]:
    """Name, address, bits, access and description of each register; an address of two words is one register."""
    if description.address_map is None:
        return []
    pointers = {pointer for interface in description.interfaces for pointer in interface.pointers}
    rows: list[tuple[object, ...]] = []
    end = 0
    for placed in description.address_map.registers:
        # The high word of an address.
        if placed.address < end:
            continue
        register = placed.item
        size = max(register.size, _POINTER_BYTES) if register.name in pointers else register.size
        end = placed.address + size
        offset = f"{placed.address:#06x}"
        rows.append((register.name, offset, 8 * size, ACCESS[register.access], register.description))
    return rows
