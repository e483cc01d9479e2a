"""LearningGroup's own registers, behind those of the shell. No Amaranth here."""

from ..bus.registers import Access, Register

__all__ = ["REGISTERS"]


def rate(name, description):
    return Register(name=name, access=Access.READ_WRITE, description=description)


REGISTERS = (
    rate("alpha", "RMSprop: what a mean square keeps, a number of the optimiser's format."),
    rate("rest", "RMSprop: 1 - alpha."),
    rate("rate", "RMSprop: step size."),
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
    Register(name="random_low", access=Access.READ_ONLY, description="State of a generator, low half."),
    Register(name="random_high", access=Access.READ_ONLY, description="State of a generator, high half."),
)
