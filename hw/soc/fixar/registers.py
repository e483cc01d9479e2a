"""FIXAR's own registers, after those of the shell. No Amaranth here."""

from ...cores.records import Field
from ..bus.registers import Access, Register, RegisterField

__all__ = ["POWERS", "REGISTERS"]

# Running powers of the bias correction, in the order of their selection.
POWERS = ("first_power_actor", "second_power_actor", "first_power_critic", "second_power_critic")


def rate(name, description, reset=0):
    return Register(name=name, access=Access.READ_WRITE, reset=reset, description=description)


def count(name, description):
    return Register(name=name, access=Access.READ_ONLY, width=48, description=description)


REGISTERS = (
    rate("learning_rate_actor", "Step size of the actor, 32 fraction bits."),
    rate("learning_rate_critic", "Step size of the critic, 32 fraction bits."),
    rate("one_minus_beta1", "1 - beta1, 20 fraction bits."),
    rate("one_minus_beta2", "1 - beta2, 20 fraction bits."),
    rate("tau", "tau of the soft target update, 20 fraction bits."),
    rate("epsilon_squared", "Added under the root, in squared gradient LSBs, at least 1.", reset=1),
    rate("noise_scale", "Standard deviation of the exploration noise, 20 fraction bits."),
    rate("seed_low", "Seed of the noise generator, low half."),
    rate("seed_high", "Seed of the noise generator, high half."),
    Register(
        name="noise_control",
        access=Access.STROBE,
        width=1,
        description="Control of the noise generator.",
        fields=(RegisterField(Field("load_seed"), 0, "start anew from the seed"),),
    ),
    *(
        Register(
            name=name,
            access=Access.READ_ONLY,
            width=33,
            reset=1 << 32,
            description=f"beta to the number of steps, 32 fraction bits ({name.replace('_', ' ')}).",
        )
        for name in POWERS
    ),
    rate("power_value", "Value for power_control."),
    Register(
        name="power_control",
        access=Access.STROBE,
        width=3,
        description="Sets a running power of the bias correction.",
        fields=(
            RegisterField(Field("select", 2), 0, "which, in the order above"),
            RegisterField(Field("one"), 2, "to one (before the first step) instead of power_value"),
        ),
    ),
    count("result_saturations", "Results and activations clamped to 32 bits."),
    count("code_saturations", "Activations outside their recorded range when stored as codes."),
    count("gradient_saturations", "Gradient words clamped to 32 bits."),
    count("weight_saturations", "Weights clamped to 32 bits."),
)
