"""Export a system or a core as a package: Verilog, constraints, and the files of other tools."""

import argparse
from collections.abc import Callable
from pathlib import Path

from ...hw.soc.target.clocks import DefaultClock, default_clock
from ..systems.results import add_json_option, add_out_option, show

__all__ = ["add_arguments", "run"]

# Limit of Verilator, which takes a minute or two for the largest system.
LIMIT_SECONDS = 1800


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .designs import add_design_arguments

    add_design_arguments(parser)
    add_out_option(parser, "the package", required=True)
    parser.add_argument("--part", metavar="PART", help="part whose clock the constraints have (default: the design's)")
    parser.add_argument("--clock", type=float, metavar="MHZ", help="clock of the constraints (default: the part's)")
    parser.add_argument("--kernel", action="store_true", help="export a system as a kernel for Vitis")
    parser.add_argument("--core-clock", action="store_true", help="give a system a clock apart from that of its buses")
    parser.add_argument("--no-check", action="store_true", help="do not check the result with the installed tools")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ...hw.soc.export.describe import describe
    from ...hw.soc.export.package import split_units, write_package
    from .designs import elaborate

    clock = _clock(arguments)
    design = elaborate(arguments, kernel=arguments.kernel, core_clock=arguments.core_clock)
    sources = split_units(design.verilog, design.name)
    description = describe(
        design.component,
        design.name,
        design=design.design,
        description=design.description,
        configuration=design.configuration,
        files=sources,
        domain=design.domain,
        clock=clock,
    )
    files = write_package(description, sources, arguments.out)
    # One after the other, as they come.
    tell: Callable[[str], None] = (lambda text: None) if arguments.json else print
    for file in files:
        tell(str(file))
    checks = {} if arguments.no_check else check(arguments.out, design.name, tell)
    content = {"design": design.design, "top": design.name, "folder": arguments.out, "files": files, "checks": checks}
    # People have read it line by line.
    show(arguments, content, text=str)


def _clock(arguments: argparse.Namespace) -> DefaultClock:
    """The clock that was asked for, or that of the table."""
    if arguments.clock is None:
        return default_clock(arguments.name, arguments.part or "")
    if not 0 < arguments.clock < 10_000:
        raise ValueError(f"--clock must be above 0 and below 10000 MHz, not {arguments.clock:g}")
    return DefaultClock(mhz=arguments.clock, source="as asked for")


def check(folder: Path, name: str, tell: Callable[[str], None]) -> dict[str, str]:
    """Run the tools over a written package and say what each found; the same by tool."""
    from ...hw.soc.export.consumers import check_fusesoc, check_ip_xact, check_system_rdl
    from ...hw.soc.export.lint import check_icarus, check_slang, check_yosys
    from ...hw.soc.under_way import under_way

    with under_way(f"checking {name} with Verilator"):
        check_verilator(folder, name)
    tell(f"Verilator -Wall: silent, waivers in {name}.vlt")
    found = {"Verilator": "accepted"}
    for tool, accepts in (
        ("Yosys", check_yosys),
        ("slang", check_slang),
        ("Icarus", check_icarus),
        ("FuseSoC", check_fusesoc),
        ("IP-XACT schema", check_ip_xact),
        ("SystemRDL", check_system_rdl),
    ):
        with under_way(f"checking {name} with {tool}"):
            found[tool] = "accepted" if accepts(folder, name) else "not installed, not checked"
        tell(f"{tool}: {found[tool]}")
    return found


def check_verilator(folder: Path, name: str) -> None:
    """Verilator has nothing to say of the package but what is waived.

    Raises
    ------
    RuntimeError
        It has; the text says what.
    """
    from ...hw.soc.export.lint import verilator_arguments
    from ...hw.soc.limited_command import run_limited
    from ...sim.verilator.toolchain import find_toolchain

    tools = find_toolchain()
    command = [tools.verilator, *verilator_arguments(name, folder)]
    result = run_limited(command, LIMIT_SECONDS, what=f"check {name}", env=tools.environment)
    if result.returncode != 0 or result.stderr.strip():
        raise RuntimeError(f"Verilator warns of {name}: {result.stderr.strip()[:2000]}")
