"""Configuration of layers and networks. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_kind, require_name
from ..float.config import BINARY32, FloatLaneConfig

__all__ = ["ACTIVATIONS", "BATCH_WIDTH", "BINARY32_LANE", "LEAKY_SLOPE", "LayerConfig", "NetworkConfig"]

ACTIVATIONS = ("linear", "relu", "leaky_relu", "tanh")

# By which leaky ReLU multiplies negative numbers; PyTorch's default.
LEAKY_SLOPE = 0.01

# Stages where adders and multipliers of binary32 reach about the same clock.
BINARY32_LANE = FloatLaneConfig(format=BINARY32, adder_depth=4, multiplier_depth=5)

# Bits of the number of samples in a batch.
BATCH_WIDTH = 16

# Most sets of parameters of a layer.
LARGEST_SETS = 64

# Most inputs or outputs of a layer.
LARGEST_LAYER = 4096

# Most samples whose inputs or outputs a stage can keep, and most that it keeps for what waits in buffers on the way.
LARGEST_SAMPLES = 256
LARGEST_WAITING = 64


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """A fully connected layer, ``y = activation(W x + b)``, and the units that compute it.

    A word of its weight memory has ``units`` consecutive outputs of one input: row i, group g has the weights from
    input i to outputs ``g * units`` and on. The bias is the last row, that of an input which is 1. Where ``units`` does
    not divide the outputs, the last group is filled with zeros. Forward, backward and gradient stage all go over these
    words, so a weight is never transposed.

    A layer of many agents may have a set of parameters for each: samples take the sets in turn, sample ``s`` set
    ``s % parameter_sets``. The sets lie one after the other.

    Parameters
    ----------
    inputs, outputs : int
        1 to 4096.
    units : int
        UF, multiplier and adder pairs of each of its stages (1 to ``outputs``).
    activation : str
        ``"linear"``, ``"relu"``, ``"leaky_relu"`` or ``"tanh"``.
    arithmetic : FloatLaneConfig
        Format, and stages of each adder and multiplier.
    bias : bool
        Without, there is no last row.
    parameter_sets : int
        1 to 64.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    inputs: int
    outputs: int
    units: int
    activation: str = "relu"
    arithmetic: FloatLaneConfig = BINARY32_LANE
    bias: bool = True
    parameter_sets: int = 1

    def __post_init__(self):
        require_integer("Inputs", self.inputs, 1, LARGEST_LAYER)
        require_integer("Outputs", self.outputs, 1, LARGEST_LAYER)
        require_integer("Units", self.units, 1, self.outputs)
        require_name("Activation", self.activation, ACTIVATIONS)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)
        require_kind("Bias", self.bias, bool)
        require_integer("Parameter sets", self.parameter_sets, 1, LARGEST_SETS)

    @property
    def rows(self) -> int:
        """Inputs and the bias."""
        return self.inputs + int(self.bias)

    @property
    def groups(self) -> int:
        """Words of a row."""
        return -(-self.outputs // self.units)

    @property
    def set_words(self) -> int:
        """Words of a set of parameters."""
        return self.rows * self.groups

    @property
    def words(self) -> int:
        """Words of the weight memory."""
        return self.parameter_sets * self.set_words

    @property
    def lane_width(self) -> int:
        """Bits of a lane's number in the place of a parameter; the address of its word is above them."""
        return (self.units - 1).bit_length()

    @property
    def places(self) -> int:
        """Places of single parameters."""
        return self.words << self.lane_width

    @property
    def partial_sums(self) -> int:
        """Sums that an output is made of while they are formed.

        An accumulator comes back after ``groups`` cycles, which may be before its last sum has left the adder. Row i
        then goes to partial sum ``i % partial_sums``.
        """
        return min(self.rows, -(-self.arithmetic.adder_depth // self.groups))

    @property
    def forward_cycles(self) -> int:
        """Cycles a sample of the forward stage: a word a cycle, and an output a cycle leaves it."""
        return max(self.set_words, self.outputs)

    @property
    def pass_cycles(self) -> int:
        """Cycles in which the backward stage goes over all inputs with one group.

        The sum of an input comes back after a pass; where the adder is longer, the pass waits for it.
        """
        return self.inputs if self.groups == 1 else max(self.inputs, self.arithmetic.adder_depth)

    @property
    def backward_cycles(self) -> int:
        """Cycles a sample of the backward stage: a pass for each group, and an error a cycle comes in."""
        return max(self.groups * self.pass_cycles, self.outputs)

    @property
    def gradient_pass_cycles(self) -> int:
        """Cycles in which the gradient stage goes over all rows with one group.

        A word comes back with the next sample of its set; where the adder is longer, the passes wait for it.
        """
        return max(self.rows, -(-self.arithmetic.adder_depth // (self.groups * self.parameter_sets)))

    @property
    def gradient_cycles(self) -> int:
        """Cycles a sample of the gradient stage: a pass for each group, and an error a cycle comes in."""
        return max(self.groups * self.gradient_pass_cycles, self.outputs)


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """A multilayer perceptron.

    Parameters
    ----------
    sizes : tuple of int
        Inputs of the network, then outputs of each layer.
    units : tuple of int
        UF of each layer.
    hidden_activation, output_activation : str
        The activation of all layers but the last, and that of the last.
    arithmetic : FloatLaneConfig
        The same in all layers.
    bias : bool
        Whether the layers have biases.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; not as many units as layers.
    """

    sizes: tuple[int, ...]
    units: tuple[int, ...]
    hidden_activation: str = "relu"
    output_activation: str = "linear"
    arithmetic: FloatLaneConfig = BINARY32_LANE
    bias: bool = True

    def __post_init__(self):
        for name in ("sizes", "units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(self.sizes) < 2:
            raise ValueError(f"Sizes must have at least an input and an output, not {len(self.sizes)} of them")
        if len(self.units) != len(self.sizes) - 1:
            raise ValueError(f"Units must be given for {len(self.sizes) - 1} layers, not {len(self.units)}")
        _ = self.layers

    @property
    def layers(self) -> tuple[LayerConfig, ...]:
        """From the input on."""
        last = len(self.units) - 1
        return tuple(
            LayerConfig(
                inputs=inputs,
                outputs=outputs,
                units=units,
                activation=self.output_activation if index == last else self.hidden_activation,
                arithmetic=self.arithmetic,
                bias=self.bias,
            )
            for index, (inputs, outputs, units) in enumerate(
                zip(self.sizes[:-1], self.sizes[1:], self.units, strict=True)
            )
        )
