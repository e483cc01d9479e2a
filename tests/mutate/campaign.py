"""All mutants of one core: run, and compared where no test kills them."""

from collections import defaultdict
from pathlib import Path
from typing import TextIO

from .core import Core
from .equivalence import Comparison, compare
from .instances import parts_of_others, places_of
from .mutants import mutate
from .report import CoreReport, say
from .run import Session, Verdict
from .table import CORES

# Each design is built once more for its mutants; a core with many configurations has some of them mutated.
DESIGNS = 4


def measure(core: Core, count: int, seed: int, designs: int = DESIGNS, log: TextIO | None = None) -> CoreReport:
    """Mutate the designs that the tests of a core build, and run those tests on each mutant.

    Parameters
    ----------
    core : Core
    count : int
        Mutants in all, shared among the designs.
    seed : int
        Seed of the choice of mutants.
    designs : int
        Configurations that are mutated at most, spread over those that there are.
    log : file or None
        Gets a line for each mutant.
    """

    def tell(verdict: Verdict) -> None:
        if log is not None:
            said = verdict.killed_by or "survived"
            print(f"  {verdict.mutant.number}: {said} ({verdict.mutant.options})", file=log, flush=True)

    # Parts with a row of their own are measured there.
    others = set().union(*(other.classes for other in CORES))
    session = Session(tests=core.paths, component=core.component)
    recorded = list(session.record().items())
    number = min(designs, len(recorded), count)
    chosen = [recorded[index * len(recorded) // number] for index in range(number)]
    report = CoreReport(name=core.name, designs=number)
    for index, (design, tests) in enumerate(chosen):
        share = count * (index + 1) // number - count * index // number
        found = session.instances(design)
        beside = [*core.beside, *parts_of_others(found, core.classes, others)]
        mutated = mutate(design.verilog, design.top, share, seed, beside, places_of(found, core.classes))
        report.verdicts += session.run(design, tests, mutated, tell)
    refused: dict[Path, dict[str, Comparison]] = defaultdict(dict)
    for verdict in report.verdicts:
        if not verdict.killed_by:
            comparison = compare(verdict.design, verdict.mutant, verdict.top, refused[verdict.design.folder])
            report.survivors.append((verdict, comparison))
            if log is not None:
                print(f"  {verdict.mutant.number}: {say(comparison)}: {verdict.mutant.place}", file=log, flush=True)
    return report
