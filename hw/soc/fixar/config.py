"""Configuration of FIXAR: the device, the networks it trains and the rates it trains them with. No Amaranth here."""

import dataclasses
from dataclasses import dataclass

from ...cores.array.engine_config import ArrayEngineConfig
from ...cores.checks import require_integer
from ...cores.optimizer.config import AdamConfig
from ..shell.config import ShellConfig, configuration_hash
from ..shell.row_record import element_rows
from .instructions import INSTRUCTION_SET
from .registers import REGISTERS

__all__ = ["BANKS", "CONTRACTION_LIMIT", "FixarConfig", "LayerShape", "Networks", "Rates"]

# Networks in the order of their weight banks. Gradients and moments have the first two only.
BANKS = ("actor", "critic", "target_actor", "target_critic")
# Inputs of a layer whose exact sum fits in the accumulators' 57 bits: 2^31 * 2^16 * 512 = 2^56.
CONTRACTION_LIMIT = 512


def require_number(what, value, low, high):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{what} must be a number, not {value!r}")
    if not low <= value <= high:  # also refuses NaN
        raise ValueError(f"{what} must be from {low} to {high}, not {value}")


@dataclass(frozen=True, kw_only=True)
class FixarConfig:
    """Configuration of a FIXAR device.

    Parameters
    ----------
    name : str
        The preset's name; not part of the hardware.
    cores : int
        N, array cores in lockstep, 1 to 62.
    lanes : int
        L: a core is L x L processing elements and a memory row L words. Even, 2 to 32.
    vectors : int
        Samples a core in flight at once, a multiple of 2 L.
    weight_rows : int
        Rows of one network's weights, a multiple of L.
    activation_rows, error_rows : int
        Rows of a core's activation and error memory, multiples of L.
    accumulator_depth : int
        Entries of one accumulator buffer: at least ``vectors``, and one more than the inputs of the widest layer.
    batch_limit : int
        Largest batch that the compiler lays out the memories for; not part of the hardware.
    slots : int
        Tensors with a recorded range, 2 to 16.
    lane_interval : int
        Cycles from one row to the next through write-back and optimiser, a divisor of the lanes: ``lanes /
        lane_interval`` of their lanes stand in hardware, time-multiplexed. 1 for speed, more for small parts.
    pipelined : bool
        Registers within the products of the processing elements and before the additions of the accumulators: a higher
        clock on parts with multipliers narrower than a word, and a cycle more from a vector to its sums.
    instruction_depth : int
        Instructions of the program memory, a power of two.
    activation_fraction, error_fraction, weight_fraction, gradient_fraction : int
        Fraction bits. The tables of the activation unit and the noise are made for 20 bits of activations and errors.
    system : str
        ``"fixar"``: what the simulator and the exporter look the device up by.
    """

    name: str = "custom"
    cores: int
    lanes: int
    vectors: int
    weight_rows: int
    activation_rows: int
    error_rows: int
    accumulator_depth: int
    batch_limit: int
    slots: int = 16
    lane_interval: int = 1
    pipelined: bool = False
    instruction_depth: int = 1024
    activation_fraction: int = 20
    error_fraction: int = 20
    weight_fraction: int = 24
    gradient_fraction: int = 16
    system: str = "fixar"

    def __post_init__(self):
        for field in ("name", "system"):
            if not isinstance(getattr(self, field), str):
                raise TypeError(f"{field.capitalize()} must be a string, not {getattr(self, field)!r}")
        if self.system != "fixar":
            raise ValueError(f"System must be fixar, not {self.system}")
        require_integer("Cores", self.cores, 1, 62)
        require_integer("Lanes", self.lanes, 2, 32, 2)
        require_integer("Vectors", self.vectors, 2 * self.lanes, 1023, 2 * self.lanes)
        require_integer("Weight rows", self.weight_rows, self.lanes, 1 << 15, self.lanes)
        require_integer("Activation rows", self.activation_rows, self.lanes, 1 << 16, self.lanes)
        require_integer("Error rows", self.error_rows, self.lanes, 1 << 16, self.lanes)
        require_integer("Accumulator depth", self.accumulator_depth, self.vectors, 1024)
        require_integer("Batch limit", self.batch_limit, 1, 1 << 16)
        require_integer("Slots", self.slots, 2, 16)
        require_integer("Lane interval", self.lane_interval, 1, self.lanes)
        if self.lanes % self.lane_interval:
            raise ValueError(f"Lane interval must be a divisor of the {self.lanes} lanes, not {self.lane_interval}")
        require_integer("Instruction depth", self.instruction_depth, 16, 65536)
        if self.instruction_depth & (self.instruction_depth - 1):
            raise ValueError(f"Instruction depth must be a power of two, not {self.instruction_depth}")
        require_integer("Activation fraction", self.activation_fraction, 20, 20)
        require_integer("Error fraction", self.error_fraction, 20, 20)
        require_integer("Weight fraction", self.weight_fraction, 20, 28)
        require_integer("Gradient fraction", self.gradient_fraction, 8, 20)

    @property
    def chunk_size(self):
        """Samples of a full chunk over all cores."""
        return self.cores * self.vectors

    def chunks(self, batch):
        """Sizes of the chunks of a batch, in the order in which their gradients are added."""
        full, rest = divmod(batch, self.chunk_size)
        return [self.chunk_size] * full + [rest] * (rest > 0)

    def core_samples(self, size):
        """``(samples, full_cores)`` of a chunk: the first ``full_cores`` cores hold ``samples``, the rest one fewer."""
        samples = -(-size // self.cores)
        return samples, size - self.cores * (samples - 1)

    @property
    def array_engine(self):
        """Configuration of the matrix engine: the reward's row has the discount in its next lane."""
        shared = ("cores", "lanes", "weight_rows", "activation_rows", "error_rows", "accumulator_depth", "slots")
        return ArrayEngineConfig(
            **{name: getattr(self, name) for name in shared},
            weight_banks=len(BANKS),
            gradient_banks=2,
            interval=self.lane_interval,
            activation_fraction=self.activation_fraction,
            factor_lane=1,
            pipelined=self.pipelined,
        )

    @property
    def adam(self):
        """Configuration of the Adam engine."""
        rows, fraction = self.weight_rows, self.weight_fraction
        return AdamConfig(
            lanes=self.lanes, networks=2, rows=rows, weight_fraction=fraction, interval=self.lane_interval
        )

    @property
    def instruction_set(self):
        return INSTRUCTION_SET

    @property
    def shell(self):
        """Configuration of the shell around the engines."""
        return ShellConfig(
            system_id="FIXR",
            configuration_hash=self.configuration_hash,
            instruction_set=INSTRUCTION_SET,
            stream_width=32 * self.lanes,
            instruction_depth=self.instruction_depth,
            registers=REGISTERS,
            rows=element_rows("lane", 32, f"A lane of a row of a memory, {self.lanes} in a row.", signed=True),
        )

    @property
    def extent(self):
        """Size of the device in words for people."""
        return f"{self.cores} x {self.lanes} x {self.lanes} processing elements"

    @property
    def configuration_hash(self):
        """32 bits over everything that the hardware is made from."""
        hardware = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("name", "batch_limit")
        }
        return configuration_hash({"hardware": hardware, "instructions": INSTRUCTION_SET.describe()})


@dataclass(frozen=True)
class LayerShape:
    """Dimensions of one layer.

    Parameters
    ----------
    inputs, outputs : int
        Size of the matrix as it is stored.
    first : int
        First input with a gradient: the actor's first matrix has zero columns for the action before it.
    """

    inputs: int
    outputs: int
    first: int = 0


@dataclass(frozen=True, kw_only=True)
class Networks:
    """Shapes of actor and critic; each target network has the shape of its original.

    Parameters
    ----------
    observation_size, action_size : int
    hidden_sizes : tuple of int
        One or more hidden layers, the same for actor and critic.
    """

    observation_size: int
    action_size: int
    hidden_sizes: tuple[int, ...] = (400, 300)

    def __post_init__(self):
        limit = CONTRACTION_LIMIT - 1
        require_integer("Observation size", self.observation_size, 1, limit)
        require_integer("Action size", self.action_size, 1, limit)
        if not isinstance(self.hidden_sizes, (tuple, list)):
            raise TypeError(f"Hidden sizes must be a sequence of integers, not {self.hidden_sizes!r}")
        object.__setattr__(self, "hidden_sizes", tuple(self.hidden_sizes))
        if not self.hidden_sizes:
            raise ValueError("Hidden sizes must name at least one layer, not ()")
        for size in self.hidden_sizes:
            require_integer("Hidden size", size, 1, limit)
        if self.input_size > limit:
            raise ValueError(f"Observation and action size must be {limit} or less together, not {self.input_size}")

    @property
    def input_size(self):
        """Inputs of the first layers: action and observation."""
        return self.action_size + self.observation_size

    def layers(self, network):
        """Tuple of :class:`LayerShape` of ``"actor"`` or ``"critic"``, targets (``"target_actor"``) included."""
        actor = network.endswith("actor")
        sizes = (self.input_size, *self.hidden_sizes, self.action_size if actor else 1)
        first = [self.action_size if actor else 0] + [0] * len(self.hidden_sizes)
        return tuple(LayerShape(*shape) for shape in zip(sizes, sizes[1:], first, strict=False))


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Registers of the training step, in the device's number formats; :meth:`of` makes them from plain numbers.

    Parameters
    ----------
    learning_rate_actor, learning_rate_critic : int
        32 fraction bits.
    one_minus_beta1, one_minus_beta2, tau : int
        1 - beta1, 1 - beta2 and tau, 20 fraction bits.
    epsilon_squared : int
        In units of the squared gradient LSB, at least 1.
    noise_scale : int
        Standard deviation of the exploration noise, 20 fraction bits.
    actor_error_exponent : int
        k of the constant word -2^k from which the actor's errors start. With 20 it is -1; more keeps more bits of
        small gradients, and Adam does not care about the scale.
    """

    learning_rate_actor: int
    learning_rate_critic: int
    one_minus_beta1: int
    one_minus_beta2: int
    tau: int
    epsilon_squared: int = 1
    noise_scale: int = 0
    actor_error_exponent: int = 24

    def __post_init__(self):
        for what in ("learning_rate_actor", "learning_rate_critic"):
            require_integer(what.replace("_", " ").capitalize(), getattr(self, what), 0, (1 << 32) - 1)
        for what in ("one_minus_beta1", "one_minus_beta2", "tau"):
            require_integer(what.replace("_", " ").capitalize(), getattr(self, what), 0, 1 << 20)
        require_integer("Epsilon squared", self.epsilon_squared, 1, (1 << 32) - 1)
        require_integer("Noise scale", self.noise_scale, 0, (1 << 24) - 1)
        require_integer("Actor error exponent", self.actor_error_exponent, 8, 30)

    @classmethod
    def of(
        cls,
        *,
        learning_rate_actor=1e-4,
        learning_rate_critic=1e-3,
        beta1=0.9,
        beta2=0.999,
        tau=0.005,
        epsilon=1e-8,
        noise=0.1,
        gradient_fraction=16,
        actor_error_exponent=24,
    ):
        """Rates from numbers as the literature gives them; epsilon is that of a batch *sum*."""
        require_number("Actor's learning rate", learning_rate_actor, 0, 0.999)
        require_number("Critic's learning rate", learning_rate_critic, 0, 0.999)
        require_number("beta1", beta1, 0, 1)
        require_number("beta2", beta2, 0, 1)
        require_number("tau", tau, 0, 1)
        require_number("epsilon", epsilon, 0, 0.999)
        require_number("Noise", noise, 0, 15.9)
        return cls(
            learning_rate_actor=round(learning_rate_actor * 2**32),
            learning_rate_critic=round(learning_rate_critic * 2**32),
            one_minus_beta1=round((1 - beta1) * 2**20),
            one_minus_beta2=round((1 - beta2) * 2**20),
            tau=round(tau * 2**20),
            epsilon_squared=min(max(round((epsilon * 2**gradient_fraction) ** 2), 1), (1 << 32) - 1),
            noise_scale=round(noise * 2**20),
            actor_error_exponent=actor_error_exponent,
        )
