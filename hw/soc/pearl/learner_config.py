"""Configuration of a learner as a device. No Amaranth here."""

from dataclasses import dataclass

from ...cores.layer.config import DQNLearnerConfig, NetworkConfig
from ..bus.registers import Access, Register
from ..shell.config import ShellConfig, configuration_hash
from .learner_instructions import INSTRUCTION_SET
from .learner_records import ROW_WIDTH

__all__ = ["PearlLearnerConfig"]

# What a step takes besides samples, by the names of :class:`...cores.optimizer.float_lane_config.FloatOptimizer`.
RATES = {
    "first_keep": "Adam: share of a first moment that stays.",
    "first_rest": "Adam: 1 - first_keep.",
    "second_keep": "Adam: share of a second moment that stays.",
    "second_rest": "Adam: 1 - second_keep.",
    "rate": "Step size; of Adam with the correction of the moments' bias.",
    "epsilon": "Adam: added to the root of the second moment, with the correction of its bias.",
}


@dataclass(frozen=True, kw_only=True)
class PearlLearnerConfig:
    """Configuration of a learner of action values as a device, in binary32.

    Parameters
    ----------
    sizes : tuple of int
        Inputs of the network, then outputs of each layer, of the last one an action's value each.
    units : tuple of int
        UF of each layer: multiplier and adder pairs of each of its stages.
    loss : str
        ``"huber"`` (threshold 1) or ``"squared"`` (half the square), of the TD error.
    optimizer : str
        ``"adam"`` or ``"sgd"``.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).
    name : str
        Of the preset; not part of the hardware.
    system : str
        ``"pearl_learner"``.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    sizes: tuple[int, ...]
    units: tuple[int, ...]
    loss: str = "huber"
    optimizer: str = "adam"
    update_interval: int = 2
    name: str = "custom"
    system: str = "pearl_learner"

    def __post_init__(self):
        for name in ("sizes", "units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _ = self.learner

    @property
    def learner(self) -> DQNLearnerConfig:
        """The learner alone."""
        return DQNLearnerConfig(
            network=NetworkConfig(sizes=self.sizes, units=self.units),
            loss=self.loss,
            optimizer=self.optimizer,
            update_interval=self.update_interval,
        )

    @property
    def state(self) -> tuple[str, ...]:
        """Arrays that one step leaves to the next."""
        return tuple(array for array in self.learner.arrays if array != "gradients")

    @property
    def sample_rows(self) -> int:
        """Rows of the stream that a sample takes."""
        return self.sizes[0] + 2

    @property
    def numbers(self) -> int:
        """Of an array: weights and biases of all layers."""
        return sum(layer.rows * layer.outputs for layer in self.learner.network.layers)

    @property
    def shell(self) -> ShellConfig:
        """Configuration of the shell around the engine."""
        return ShellConfig(
            system_id="PRLL",
            configuration_hash=self.configuration_hash,
            instruction_set=INSTRUCTION_SET,
            stream_width=ROW_WIDTH,
            instruction_depth=16,
            registers=tuple(
                Register(name=name, access=Access.READ_WRITE, description=RATES[name])
                for name in self.learner.updates[0].numbers.rates
            ),
        )

    @property
    def extent(self) -> str:
        """What it computes with and holds, for people."""
        return f"network {'-'.join(map(str, self.sizes))}, units {'-'.join(map(str, self.units))}"

    @property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash({"learner": self.learner, "instructions": INSTRUCTION_SET.describe()})
