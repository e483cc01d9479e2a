"""LearningGroup's own registers, after those of the shell. No Amaranth here."""

from ...cores.random.xorshift import SUBSTITUTE_FOR_ZERO
from ..bus.registers import Access, Register

__all__ = ["REGISTERS"]


def rate(name, description):
    return Register(name=name, access=Access.READ_WRITE, description=description)


REGISTERS = (
    rate("decay", "RMSprop: share of a mean square that a step keeps, a number of the optimiser's format."),
    rate("one_minus_decay", "RMSprop: share of the new square."),
    rate("learning_rate", "RMSprop: step size."),
    rate("epsilon", "RMSprop: added to the root of the mean square."),
    Register(name="seed_low", access=Access.READ_WRITE, description="State for a generator, low half."),
    Register(name="seed_high", access=Access.READ_WRITE, description="State for a generator, high half."),
    Register(
        name="load_seed",
        access=Access.STROBE,
        width=16,
        description="The generators of the cores whose bits are 1 go on from the state in seed.",
    ),
    Register(
        name="random_core",
        access=Access.READ_WRITE,
        width=4,
        description="Core whose generator's state is in random_low and random_high.",
    ),
    Register(
        name="random_low",
        access=Access.READ_ONLY,
        reset=SUBSTITUTE_FOR_ZERO & 0xFFFF_FFFF,
        description="State of a generator, low half.",
    ),
    Register(
        name="random_high",
        access=Access.READ_ONLY,
        reset=SUBSTITUTE_FOR_ZERO >> 32,
        description="State of a generator, high half.",
    ),
)
