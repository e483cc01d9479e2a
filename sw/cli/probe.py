"""Identify the system on a board behind a serial port, and test it."""

import argparse
from typing import Any

from ..core.tables import aligned
from ..systems.results import add_json_option, show

__all__ = ["add_arguments", "run"]

UART = "uart:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...hw.soc.boards.board import usual_bauds

    bauds = " and ".join(map(str, usual_bauds()))
    parser.add_argument(
        "where", metavar="uart:PORT", help="serial port of the board, e.g. uart:/dev/ttyUSB0, or with its baud rate, "
        f"e.g. uart:/dev/ttyUSB0@921600; without one {bauds} are tried",
    )  # fmt: skip
    parser.add_argument("--timeout", type=float, default=1.0, metavar="SECONDS", help="time to wait for an answer")
    parser.add_argument("--config", metavar="FILE", help="YAML file that the system was built from, if it is no preset")
    parser.add_argument("--system", metavar="NAME", help="system that the file of --config belongs to")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    from ...hw.soc.presets import read_preset
    from ..device.open import open_device
    from ..device.probe import identify
    from ..device.self_test import measure_clock, self_test
    from ..device.uart import split_place

    place = arguments.where.removeprefix(UART)
    if not place or place == arguments.where:
        raise ValueError(f"The board must be given as uart:PORT, such as uart:/dev/ttyUSB0, not {arguments.where!r}")
    port, baud = split_place(place)
    if (arguments.config is None) != (arguments.system is None):
        raise ValueError("--config FILE and --system NAME belong together: say which system the file is of")
    if arguments.timeout <= 0:
        raise ValueError(f"--timeout must be more than 0, not {arguments.timeout:g}")
    given = None if arguments.config is None else read_preset(arguments.config, arguments.system).hardware
    found = identify(port, bauds=() if baud is None else (baud,), timeout=arguments.timeout, config=given)
    config = found.config
    report: dict[str, Any] = {
        "port": port,
        "baud": found.baud,
        "shell_version": found.version,
        "system_id": found.system_id,
        "configuration_hash": f"{found.configuration_hash:#010x}",
        "system": None if config is None else config.system,
        "preset": None if config is None else config.name,
        "clock_mhz": None,
        "checks": [],
    }
    if config is not None:
        with open_device(f"{UART}{port}@{found.baud}", config, timeout=arguments.timeout) as device:
            report["checks"] = [vars(result) for result in self_test(device)]
            clock = measure_clock(device)
            report["clock_mhz"] = None if clock is None else round(clock, 2)
    show(arguments, report, lambda: _as_text(report, found))
    return 0 if config is not None and all(check["passed"] is not False for check in report["checks"]) else 1


def _as_text(report: dict[str, Any], found: Any) -> str:
    lines = [
        f"{found.port}, {found.baud} baud: a Rewardware device, shell {found.version}, accelerator "
        f"{found.system_id!r}, configuration {found.configuration_hash:#010x}"
    ]
    if found.config is None:
        what = f"no preset of {', '.join(found.systems)}" if found.systems else "no system of this package"
        lines.append(
            f"That is {what}: not tested. If you built it from a file, give --config FILE --system NAME, with the "
            "version of this package that it was built with"
        )
        return "\n".join(lines)
    clock = "" if report["clock_mhz"] is None else f", counts about {report['clock_mhz']:g} million cycles a second"
    lines.append(f"That is {report['system']}, preset {report['preset']}{clock}")
    words = {True: "passed", False: "FAILED", None: "-"}
    lines += aligned(
        [[check["name"], words[check["passed"]], check["text"]] for check in report["checks"]], left=(0, 1, 2)
    )
    return "\n".join(lines)
