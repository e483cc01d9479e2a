"""The search device's own registers, after those of the shell. No Amaranth here."""

from ...cores.tree.records import COUNTERS
from ...cores.tree.records import REGISTERS as CONSTANTS
from ..bus.registers import Access, Register

__all__ = ["REGISTERS"]

_CONSTANTS = {
    "exploration": "c of the score, 12 fraction bits.",
    "loss": "Virtual loss: subtracted from a score for each selection under way, 16 fraction bits.",
    "first_value": "Value of an edge before its first visit, signed, 16 fraction bits.",
    "alternate": "1: two players take turns, and rewards count negative on odd levels.",
}
# Since the soft reset.
_COUNTERS = {
    "selections": "Selections that entered the tree.",
    "intervals": "Selections that came right after another one.",
    "interval_cycles": "Cycles between these and the ones before.",
    "backup_intervals": "Backups that came right after another one.",
    "backup_interval_cycles": "Cycles between these and the ones before.",
    "assigning_cycles": "Cycles in which a block of rows was being assigned, or taken back.",
}

REGISTERS = (
    *(
        Register(
            name=part.name,
            access=Access.READ_WRITE,
            width=part.width,
            signed=part.signed,
            description=_CONSTANTS[part.name],
        )
        for part in CONSTANTS.fields
    ),
    *(
        Register(name=part.name, access=Access.READ_ONLY, width=part.width, description=_COUNTERS[part.name])
        for part in COUNTERS.fields
    ),
)
