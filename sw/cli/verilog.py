"""Write a system or a core as Verilog, with all that other tools need."""

import argparse
from pathlib import Path

__all__ = ["add_arguments", "run"]

# Of Verilator over the largest system, which takes a minute or two.
LIMIT_SECONDS = 1800


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .designs import add_design_arguments

    add_design_arguments(parser)
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument(
        "--frequency", type=float, default=164.0, metavar="MHZ", help="clock of the constraints (default %(default)s)"
    )
    parser.add_argument("--no-check", action="store_true", help="do not run the tools over the result")


def run(arguments: argparse.Namespace) -> None:
    from ...hw.soc.export.package import write_package
    from .designs import elaborate

    if not 0 < arguments.frequency < 10_000:
        raise ValueError(f"--frequency must be above 0 and below 10000 MHz, not {arguments.frequency}")
    design = elaborate(arguments)
    files = write_package(
        design.verilog,
        design.name,
        arguments.out,
        design=design.design,
        configuration=design.configuration,
        description=design.description,
        clock=design.clock,
        frequency=arguments.frequency,
    )
    for file in files:
        print(file)
    if not arguments.no_check:
        check(arguments.out, design.name)


def check(folder: Path, name: str) -> None:
    """Run the tools over a written package and say what each found."""
    from ...hw.soc.export.lint import check_icarus, check_slang, check_yosys
    from ...hw.soc.under_way import under_way

    with under_way(f"checking {name} with Verilator"):
        check_verilator(folder, name)
    print(f"Verilator -Wall: silent, waivers in {name}.vlt")
    with under_way(f"checking {name} with Yosys"):
        check_yosys(folder, name)
    print("Yosys: accepted")
    print("slang: accepted" if check_slang(folder, name) else "slang: not installed, not checked")
    print("Icarus: accepted" if check_icarus(folder, name) else "Icarus: not installed, not checked")


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
