"""LearningGroup's own registers, behind those of the shell. No Amaranth here."""

from ..bus.registers import Access, Register

__all__ = ["REGISTERS"]

REGISTERS = (
    Register(name="seed_low", access=Access.READ_WRITE, description="State for a generator, low half."),
    Register(name="seed_high", access=Access.READ_WRITE, description="State for a generator, high half."),
    Register(
        name="load_seed",
        access=Access.STROBE,
        width=16,
        description="The generators of the cores whose bits are 1 go on from the state in seed.",
    ),
)
