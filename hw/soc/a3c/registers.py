"""A3C's own registers, after those of the shell. No Amaranth here."""

from ..bus.registers import Access, Register

__all__ = ["RATES", "REGISTERS"]

# Bit patterns of the device's numbers; constant while it serves.
RATES = {
    "discount": "Of returns.",
    "entropy": "c, what a unit of entropy is worth.",
    "value_slope": "-2 times the share of the value's loss.",
    "decay": "RMSProp: share of a mean square that stays.",
    "one_minus_decay": "RMSProp: 1 - decay.",
    "learning_rate": "RMSProp: step size.",
    "epsilon": "RMSProp: added to the root of a mean square.",
}

REGISTERS = tuple(
    Register(name=name, access=Access.READ_WRITE, description=description) for name, description in RATES.items()
)
