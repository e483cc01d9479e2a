"""Command line: ``python -m tests.mutate [ROOM] [--core NAME] [--seed N] [--count N] [--json]``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence

from rewardware.sim.verilator.build import OPTIMISATION_VARIABLE

from .campaign import DESIGNS, measure
from .report import table
from .table import CORES


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__)
    rooms = sorted({core.room for core in CORES})
    parser.add_argument("room", nargs="?", metavar="ROOM", help=f"one of {', '.join(rooms)}; without, all of them")
    parser.add_argument("--core", help="one core of it, by the name of its class")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of mutants (default %(default)s)")
    parser.add_argument("--count", type=int, default=40, help="mutants of a core (default %(default)s)")
    parser.add_argument("--designs", type=int, default=DESIGNS, help="configurations at most (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON, with every mutant")
    given = parser.parse_args(arguments)
    cores = [
        core
        for core in CORES
        if given.room in (None, core.room, core.room.partition("/")[2])
        and (given.core is None or given.core in core.name.split(", "))
    ]
    if not cores:
        names = ", ".join(f"{core.room} {core.name}" for core in CORES)
        parser.error(f"No such core; the table has: {names}")
    os.environ.setdefault(OPTIMISATION_VARIABLE, "1")
    reports = []
    for core in cores:
        print(f"{core.room}: {core.name}", file=sys.stderr, flush=True)
        reports.append(measure(core, given.count, given.seed, given.designs, log=sys.stderr))
        print(reports[-1].row(), file=sys.stderr, flush=True)
    if given.json:
        print(json.dumps({"seed": given.seed, "cores": [report.as_dictionary() for report in reports]}, indent=1))
        return 0
    print(table(reports))
    for line in (line for report in reports for line in report.lines()):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
