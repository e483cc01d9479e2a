"""Results of a campaign, as a table, as text and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .equivalence import Comparison
from .run import Verdict

_HEAD = (
    "| core | designs | mutants | killed | equivalent | survived | of these undecided | killed, without equivalent |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


@dataclass(kw_only=True)
class CoreReport:
    """The mutants of one core.

    Parameters
    ----------
    name : str
    designs : int
        Configurations that were mutated.
    verdicts : list of Verdict
    survivors : list of (Verdict, Comparison)
        The mutants that no test killed, each with what Yosys says of it.
    """

    name: str
    designs: int = 0
    verdicts: list[Verdict] = field(default_factory=list)
    survivors: list[tuple[Verdict, Comparison]] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """Mutants that a test noticed, or that ran into a limit of time."""
        return sum(bool(verdict.killed_by) for verdict in self.verdicts)

    @property
    def equivalent(self) -> int:
        """Mutants that nothing can notice, as Yosys proved."""
        return sum(comparison.equivalent for _, comparison in self.survivors)

    @property
    def undecided(self) -> int:
        """Survivors that are neither shown to be equivalent nor shown to differ."""
        return sum(not comparison.equivalent and not comparison.shown for _, comparison in self.survivors)

    @property
    def score(self) -> float:
        """Killed of those that are not equivalent, from 0 to 1."""
        return self.killed / max(1, len(self.verdicts) - self.equivalent)

    def row(self) -> str:
        """A row of the table."""
        survived = len(self.survivors) - self.equivalent
        numbers = (self.designs, len(self.verdicts), self.killed, self.equivalent, survived, self.undecided)
        return f"| {self.name} | {' | '.join(map(str, numbers))} | {100 * self.score:.0f} % |"

    def lines(self) -> list[str]:
        """The survivors that are not equivalent, one a line."""
        return [
            f"\n{self.name}: {verdict.mutant.options}\n    {verdict.mutant.place}\n    {say(comparison)}"
            for verdict, comparison in self.survivors
            if not comparison.equivalent
        ]

    def as_dictionary(self) -> dict[str, Any]:
        """For JSON."""
        found = {id(verdict): comparison for verdict, comparison in self.survivors}
        mutants = [
            {
                "design": verdict.design.folder.name,
                "number": verdict.mutant.number,
                "options": verdict.mutant.options,
                "place": verdict.mutant.place,
                "killed_by": verdict.killed_by,
                "in_time": verdict.in_time,
                **({"comparison": vars(found[id(verdict)])} if id(verdict) in found else {}),
            }
            for verdict in self.verdicts
        ]
        return {
            "core": self.name,
            "designs": self.designs,
            "mutants": len(self.verdicts),
            "killed": self.killed,
            "equivalent": self.equivalent,
            "undecided": self.undecided,
            "list": mutants,
        }


def say(comparison: Comparison) -> str:
    """Result of Yosys, in words."""
    if comparison.equivalent:
        return "shown equivalent"
    if comparison.shown:
        return f"survived; some input shows it in cycle {comparison.cycles + 1} from power-on"
    if comparison.refusal:
        return f"survived; Yosys does not compare it: {comparison.refusal}"
    return f"survived; equal up to {comparison.cycles} cycles from power-on"


def table(reports: Sequence[CoreReport]) -> str:
    """All cores and their sum."""
    whole = CoreReport(
        name="all",
        designs=sum(report.designs for report in reports),
        verdicts=[verdict for report in reports for verdict in report.verdicts],
        survivors=[survivor for report in reports for survivor in report.survivors],
    )
    return "\n".join([_HEAD, *(report.row() for report in reports), *([whole.row()] if len(reports) > 1 else [])])
