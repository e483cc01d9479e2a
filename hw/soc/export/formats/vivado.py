"""Scripts for Vivado: a core of the IP catalogue, a block design, a build of the design alone. No Amaranth here."""

from collections.abc import Mapping

from ..description import PackageDescription
from .block_design import block_design, buses_of
from .ip_packaging import core_name, packaging
from .tcl import ROOT, UNRUN, Argument, arguments, folder_argument, verilog, vivado

__all__ = ["files"]


def files(description: PackageDescription) -> Mapping[str, str]:
    """The scripts; the block design is there for a design with registers and streams, or masters, on one clock."""
    scripts = {"vivado/package_ip.tcl": package_ip(description)}
    if description.clocks:
        scripts["vivado/ooc.tcl"] = out_of_context(description)
    buses = buses_of(description)
    if buses is not None:
        scripts["vivado/block_design.tcl"] = block_design(description, buses)
    return scripts


def package_ip(description: PackageDescription) -> str:
    """Packages the design as a core of the IP catalogue."""
    name = description.name
    output = folder_argument("output", "folder of the core", f"{name}_ip")
    return (
        f"# Packages {name} as {core_name(description)} for the IP catalogue of Vivado.\n"
        + UNRUN
        + arguments(vivado("vivado/package_ip.tcl"), [output])
        + ROOT
        + "set core_folder [file normalize $argument(output)]\n\n"
        + packaging(description)
    )


def out_of_context(description: PackageDescription) -> str:
    """Builds the design alone and writes what it takes and how fast it is."""
    name = description.name
    known = (
        Argument(name="part", meaning="the FPGA, such as xc7z020clg400-1"),
        folder_argument("output", "folder of the reports", f"{name}_ooc"),
    )
    return f"""\
# Builds {name} alone, out of context, at the clock of its constraints, and reports what it takes and how fast it is.
{UNRUN}{arguments(vivado("vivado/ooc.tcl"), known)}{ROOT}set output [file normalize $argument(output)]
file mkdir $output

{verilog(description)}foreach file $files {{
    read_verilog [file join $root $file]
}}
read_xdc -mode out_of_context [file join $root {name}_ooc.xdc]
synth_design -top {name} -part $argument(part) -mode out_of_context
opt_design
place_design
phys_opt_design
route_design
# `rewardware report {description.design} --import FILE` reads these two.
report_utilization -file [file join $output {name}_utilization.rpt]
report_timing_summary -file [file join $output {name}_timing.rpt]
write_checkpoint -force [file join $output {name}.dcp]
"""
