"""Script for Vivado: a design beside the processing system of a Zynq. No Amaranth here."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...bus.interfaces import BusInterface
from ..description import Clock, PackageDescription
from .ip_packaging import core_name
from .tcl import UNRUN, Argument, arguments, folder_argument, table, vivado

__all__ = ["Buses", "block_design", "buses_of"]

# Names of the design and of the AXI DMA, by which software finds them.
_DESIGN, _DMA = "rewardware_0", "axi_dma_0"

# Bits of the widest stream of an AXI DMA; narrower ones are powers of two, of at least a byte.
_WIDEST_DMA = 1024

# Bits of the narrowest word that the AXI DMA moves from and to memory.
_NARROWEST_MEMORY = 32

# Bits of the number of bytes that the AXI DMA transfers at once.
_LENGTH_BITS = 26

# Clocks that a processing system gives to the fabric.
_MOST_CLOCKS = 4

# Differences between the two processing systems: settings, names of pins. `N` is the number of a clock.
_ZYNQ = {
    "ip": "processing_system7",
    "automation": "make_external {FIXED_IO, DDR} Master Disable Slave Disable",
    "settings": "PCW_USE_M_AXI_GP0 1 PCW_USE_S_AXI_HP0 1 PCW_USE_FABRIC_INTERRUPT 1 PCW_IRQ_F2P_INTR 1",
    "enable_clock": "PCW_EN_CLK{N}_PORT",
    "megahertz": "PCW_FPGA{N}_PERIPHERAL_FREQMHZ",
    "clock": "FCLK_CLK{N}",
    "reset": "FCLK_RESET0_N",
    "master": "M_AXI_GP0",
    "master_clock": "M_AXI_GP0_ACLK",
    "slave": "S_AXI_HP0",
    "slave_clock": "S_AXI_HP0_ACLK",
    "interrupt": "IRQ_F2P",
    "address_width": "32",
}
_ULTRASCALE = {
    "ip": "zynq_ultra_ps_e",
    "automation": "",
    "settings": "PSU__USE__M_AXI_GP0 1 PSU__USE__M_AXI_GP1 0 PSU__USE__M_AXI_GP2 0 PSU__USE__S_AXI_GP2 1 "
    "PSU__USE__IRQ0 1",
    "enable_clock": "PSU__FPGA_PL{N}_ENABLE",
    "megahertz": "PSU__CRL_APB__PL{N}_REF_CTRL__FREQMHZ",
    "clock": "pl_clk{N}",
    "reset": "pl_resetn0",
    "master": "M_AXI_HPM0_FPD",
    "master_clock": "maxihpm0_fpd_aclk",
    "slave": "S_AXI_HP0_FPD",
    "slave_clock": "saxihp0_fpd_aclk",
    "interrupt": "pl_ps_irq0",
    "address_width": "40",
}

_BEGIN = """\
if {$argument(board) eq "" && $argument(part) eq ""} {
    error "Argument board or part is missing: there has to be a processing system\\n$usage"
}
set core_folder [file normalize $argument(ip)]
if {![file exists [file join $core_folder component.xml]]} {
    error "Folder $core_folder must hold the core: run package_ip.tcl before\\n$usage"
}
set output [file normalize $argument(output)]

# Settings go together: some are valid only with others.
proc configure {cell settings} {
    set named {}
    foreach {setting value} $settings {lappend named CONFIG.$setting $value}
    if {[llength $named]} {set_property -dict $named [get_bd_cells $cell]}
}

proc cell {name ip settings} {
    create_bd_cell -type ip -vlnv $ip $name
    configure $name $settings
}

proc wire {source sink} {
    connect_bd_net [get_bd_pins $source] [get_bd_pins $sink]
}

proc bus {master slave} {
    connect_bd_intf_net [get_bd_intf_pins $master] [get_bd_intf_pins $slave]
}

if {$argument(board) ne ""} {
    create_project -force NAME_zynq $output
    set_property board_part $argument(board) [current_project]
} else {
    create_project -force -part $argument(part) NAME_zynq $output
}
set_property ip_repo_paths $core_folder [current_project]
update_ip_catalog
create_bd_design NAME_zynq
"""

_SYSTEM = """\
set part [get_property PART [current_project]]
set family [get_property FAMILY [get_parts $part]]
switch -glob $family {
    *zynquplus* {array set system $ultrascale}
    *zynq* {array set system $zynq}
    default {error "Part must be a Zynq-7000 or Zynq UltraScale+, not $part of the family $family"}
}

# The processing system, with the memory and pins of the board where one is given.
create_bd_cell -type ip -vlnv xilinx.com:ip:$system(ip) system
set preset [expr {$argument(board) ne ""}]
apply_bd_automation -rule xilinx.com:bd_rule:$system(ip) -config "$system(automation) apply_board_preset $preset" \\
    [get_bd_cells system]
configure system $system(settings)
"""

_END = """
assign_bd_address
validate_bd_design
save_bd_design
set design [get_files NAME_zynq.bd]
generate_target all $design
add_files -norecurse [make_wrapper -files $design -top]
set_property top NAME_zynq_wrapper [current_fileset]
update_compile_order -fileset sources_1

if {$argument(build) eq "yes"} {
    launch_runs impl_1 -to_step write_bitstream
    wait_on_run impl_1
    if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
        error "The implementation failed: [get_property STATUS [get_runs impl_1]]"
    }
    open_run impl_1
    report_utilization -file [file join $output NAME_utilization.rpt]
    report_timing_summary -file [file join $output NAME_timing.rpt]
    write_hw_platform -fixed -include_bit -force -file [file join $output NAME.xsa]
    # Side by side under one name, as PYNQ takes them.
    file copy -force [file join [get_property DIRECTORY [get_runs impl_1]] NAME_zynq_wrapper.bit] \\
        [file join $output NAME.bit]
    file copy -force [file join $output NAME_zynq.gen sources_1 bd NAME_zynq hw_handoff NAME_zynq.hwh] \\
        [file join $output NAME.hwh]
}
"""


@dataclass(frozen=True, kw_only=True)
class Buses:
    """Buses and pins of a design that a block design connects.

    Parameters
    ----------
    control : BusInterface
        AXI4-Lite, a slave.
    from_host, to_host : BusInterface or None
        AXI4-Streams, both or none.
    masters : tuple of BusInterface
        AXI4.
    """

    control: BusInterface
    from_host: BusInterface | None
    to_host: BusInterface | None
    masters: tuple[BusInterface, ...]


def buses_of(description: PackageDescription) -> Buses | None:
    """The buses of a design that a processing system can drive; None where it lacks registers or has other ones.

    All of them have one clock.
    """
    found: dict[tuple[str, str], list[BusInterface]] = {}
    for interface in description.interfaces:
        found.setdefault((interface.protocol, interface.mode), []).append(interface)
    controls, masters = found.pop(("axi4lite", "slave"), []), found.pop(("axi4", "master"), [])
    inputs, outputs = found.pop(("axi4stream", "slave"), []), found.pop(("axi4stream", "master"), [])
    one_clock = len({interface.clock for interface in description.interfaces}) == 1
    streams, no_stream = len(inputs) == len(outputs) == 1, not inputs and not outputs
    if found or len(controls) != 1 or not one_clock or not (streams or (no_stream and masters)):
        return None
    return Buses(
        control=controls[0],
        from_host=inputs[0] if streams else None,
        to_host=outputs[0] if streams else None,
        masters=tuple(masters),
    )


def block_design(description: PackageDescription, buses: Buses) -> str:
    """The script: registers, interrupts and memory traffic of the design, connected to a processing system.

    Raises
    ------
    ValueError
        The design has more clocks than a processing system gives.
    """
    name = description.name
    # The first clock is that of the buses.
    clocks = sorted(description.clocks, key=lambda clock: clock.port != buses.control.clock)
    if len(clocks) > _MOST_CLOCKS:
        raise ValueError(f"A Zynq gives at most {_MOST_CLOCKS} clocks, {name} needs {len(clocks)}")
    known = (
        Argument(name="board", meaning="the board, as get_board_parts lists it", default="{}"),
        Argument(name="part", meaning="the FPGA where no board is given: set up its memory by hand", default="{}"),
        folder_argument("ip", "folder that package_ip.tcl wrote", f"{name}_ip"),
        folder_argument("output", "folder of the project", f"{name}_zynq"),
        Argument(name="build", meaning="yes also builds it, by default no", default="no"),
    )
    return "\n".join(
        [
            f"# {name} beside the processing system of a Zynq-7000 or Zynq UltraScale+; an AXI DMA serves its streams.",
            UNRUN + arguments(vivado("vivado/block_design.tcl"), known),
            _BEGIN.replace("NAME", name),
            f"set zynq {table(_system(_ZYNQ, clocks))}",
            f"set ultrascale {table(_system(_ULTRASCALE, clocks))}",
            _SYSTEM,
            *_Diagram(description, buses, clocks).lines(),
            _END.replace("NAME", name),
        ]
    )


def _system(kind: dict[str, str], clocks: list[Clock]) -> Iterator[tuple[str, str]]:
    """The array of a processing system, by the names that the script uses."""
    settings = [kind["settings"]]
    for number, clock in enumerate(clocks):
        enable, megahertz, pin = (kind[part].format(N=number) for part in ("enable_clock", "megahertz", "clock"))
        settings.append(f"{enable} 1 {megahertz} {clock.frequency_mhz:g}")
        yield f"clock_{number}", pin
    yield "settings", " ".join(settings)
    pins = ("reset", "master", "master_clock", "slave", "slave_clock", "interrupt")
    yield from ((part, kind[part]) for part in ("ip", "automation", *pins, "address_width"))


# Clocks and resets of the cells that run on the clock of the buses.
_PINS = {
    "smartconnect": (["aclk"], "aresetn"),
    "axi_dma": (["s_axi_lite_aclk", "m_axi_mm2s_aclk", "m_axi_s2mm_aclk"], "axi_resetn"),
    "axis_dwidth_converter": (["aclk"], "aresetn"),
    "axi_intc": (["s_axi_aclk"], "s_axi_aresetn"),
}


class _Diagram:
    """The cells beside the processing system, and every connection.

    Parameters
    ----------
    description : PackageDescription
    buses : Buses
    clocks : list of Clock
        The first is that of the buses.
    """

    def __init__(self, description: PackageDescription, buses: Buses, clocks: list[Clock]) -> None:
        self._cells = [f"cell {_DESIGN} {core_name(description)} {{}}"]
        self._buses: list[str] = []
        self._wires: list[str] = []
        for number, clock in enumerate(clocks):
            self._clock(f"{_DESIGN}/{clock.port}", number)
            resets = [reset for reset in description.resets if reset.clock == clock.port]
            # All other cells are reset with the first clock.
            if number == 0 or resets:
                self._cells.append(f"cell reset_{number} xilinx.com:ip:proc_sys_reset {{}}")
                self._clock(f"reset_{number}/slowest_sync_clk", number)
                self._wires.append(f"wire system/$system(reset) reset_{number}/ext_reset_in")
            for reset in resets:
                source = "peripheral_aresetn" if reset.active_low else "peripheral_reset"
                self._wires.append(f"wire reset_{number}/{source} {_DESIGN}/{reset.port}")
        self._clock("system/$system(master_clock)")
        self._clock("system/$system(slave_clock)")
        slaves = [f"{_DESIGN}/{buses.control.name}"]
        masters = [f"{_DESIGN}/{master.name}" for master in buses.masters]
        interrupts = [f"{_DESIGN}/{interrupt.port}" for interrupt in description.interrupts]
        if buses.from_host is not None and buses.to_host is not None:
            self._direct_memory_access(buses.from_host, buses.to_host)
            slaves.append(f"{_DMA}/S_AXI_LITE")
            masters += [f"{_DMA}/M_AXI_MM2S", f"{_DMA}/M_AXI_S2MM"]
            interrupts += [f"{_DMA}/mm2s_introut", f"{_DMA}/s2mm_introut"]
        if interrupts:
            self._interrupts(interrupts)
            slaves.append("interrupts/s_axi")
        self._cell("control", "smartconnect", f"NUM_SI 1 NUM_MI {len(slaves)}")
        self._cell("memory", "smartconnect", f"NUM_SI {len(masters)} NUM_MI 1")
        self._bus("system/$system(master)", "control/S00_AXI")
        for number, slave in enumerate(slaves):
            self._bus(f"control/M{number:02}_AXI", slave)
        for number, master in enumerate(masters):
            self._bus(master, f"memory/S{number:02}_AXI")
        self._bus("memory/M00_AXI", "system/$system(slave)")

    def lines(self) -> list[str]:
        """The diagram in Tcl."""
        return [*self._cells, "", *self._buses, "", *self._wires]

    def _cell(self, name: str, ip: str, settings: str = "") -> None:
        """A core of Vivado's, with the clock and the reset of the buses."""
        clocks, reset = _PINS[ip]
        self._cells.append(f"cell {name} xilinx.com:ip:{ip} [list {settings}]")
        for clock in clocks:
            self._clock(f"{name}/{clock}")
        self._wires.append(f"wire reset_0/peripheral_aresetn {name}/{reset}")

    def _bus(self, master: str, slave: str) -> None:
        self._buses.append(f"bus {master} {slave}")

    def _clock(self, pin: str, number: int = 0) -> None:
        self._wires.append(f"wire system/$system(clock_{number}) {pin}")

    def _interrupts(self, lines: list[str]) -> None:
        """The controller that Linux and PYNQ know."""
        self._cells.append(f"cell interrupt_lines xilinx.com:ip:xlconcat {{NUM_PORTS {len(lines)}}}")
        self._cell("interrupts", "axi_intc", "C_IRQ_CONNECTION 1")
        for number, line in enumerate(lines):
            self._wires.append(f"wire {line} interrupt_lines/In{number}")
        self._wires.append("wire interrupt_lines/dout interrupts/intr")
        self._wires.append("wire interrupts/irq system/$system(interrupt)")

    def _direct_memory_access(self, from_host: BusInterface, to_host: BusInterface) -> None:
        """An AXI DMA, and a converter for a stream of a width that it does not have."""
        reading, writing = _dma_width(from_host), _dma_width(to_host)
        self._cell(
            _DMA,
            "axi_dma",
            f"c_include_sg 0 c_sg_length_width {_LENGTH_BITS} c_addr_width $system(address_width) "
            f"c_m_axis_mm2s_tdata_width {reading} c_m_axi_mm2s_data_width {max(reading, _NARROWEST_MEMORY)} "
            f"c_m_axi_s2mm_data_width {max(writing, _NARROWEST_MEMORY)}",
        )
        source, sink = f"{_DMA}/M_AXIS_MM2S", f"{_DMA}/S_AXIS_S2MM"
        if reading != from_host.data_width:
            self._converter("from_host", source, reading, from_host.data_width)
            source = "from_host/M_AXIS"
        self._bus(source, f"{_DESIGN}/{from_host.name}")
        source = f"{_DESIGN}/{to_host.name}"
        if writing != to_host.data_width:
            self._converter("to_host", source, to_host.data_width, writing)
            source = "to_host/M_AXIS"
        self._bus(source, sink)

    def _converter(self, name: str, source: str, taken: int, given: int) -> None:
        """Beats of another width, in bits."""
        settings = f"S_TDATA_NUM_BYTES {taken // 8} M_TDATA_NUM_BYTES {given // 8}"
        self._cell(name, "axis_dwidth_converter", settings)
        self._bus(source, f"{name}/S_AXIS")


def _dma_width(stream: BusInterface) -> int:
    """Bits of the DMA's stream: the largest power of two that the width of the design's stream is a multiple of."""
    return min(stream.data_width & -stream.data_width, _WIDEST_DMA)
