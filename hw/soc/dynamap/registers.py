"""DYNAMAP's own registers, after those of the shell. No Amaranth here."""

from ..bus.registers import Access, Register

__all__ = ["REGISTERS"]

REGISTERS = (
    Register(
        name="saturated", access=Access.READ_ONLY, description="words of feature maps that were saturated, modulo 2**32"
    ),
)
