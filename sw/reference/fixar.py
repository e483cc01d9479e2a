"""FIXAR as a whole: one DDPG step on fixed-point words, layer by layer, bit for bit what the device computes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...hw.cores.array.config import Operation
from ...hw.cores.checks import require_integer
from ...hw.cores.random.config import GaussianConfig
from ...hw.soc.fixar.config import FixarConfig, Networks, Rates
from .array.activation_unit import activate
from .array.gradient_writeback import write_back_gradients
from .array.rescaler import rescale
from .arrays import ArrayModule, FlagArray, IntegerArray, IntegerOperand, RealArray
from .fixar_network import NetworkReference, Tensor
from .fixar_state import COUNTERS, Transitions, check_state, initial_state, observations_to_words
from .learner_batch import LearnerBatch
from .matrix import Operand, product, product_high
from .quantization.ranges import RangeReference, quantize
from .random.gaussian import GaussianNoiseReference

__all__ = ["FixarReference", "SixteenBit"]


@dataclass(frozen=True, kw_only=True)
class SixteenBit:
    """Fraction bits for words that never have more than 16 bits: the failing case of the paper [VI-C].

    Parameters
    ----------
    weight_fraction, activation_fraction, error_fraction : int
        Weights, stored activations and errors are rounded and clamped to 16 bits with so many of them fractional.
    """

    weight_fraction: int = 12
    activation_fraction: int = 8
    error_fraction: int = 8

    def __post_init__(self) -> None:
        for name in ("weight_fraction", "activation_fraction", "error_fraction"):
            require_integer(name.replace("_", " ").capitalize(), getattr(self, name), 0, 15)


def narrowed(words: IntegerArray, fraction: int, kept: int, xp: ArrayModule) -> IntegerArray:
    """Words of ``fraction`` fraction bits on the grid of 16-bit words with ``kept`` of them."""
    shift = fraction - kept
    rounded = ((words >> (shift - 1)) + 1) >> 1
    return xp.clip(rounded, -(1 << 15), (1 << 15) - 1) << shift


class FixarReference:
    """The device's jobs and state; interface of :class:`rewardware.sw.systems.fixar.driver.FixarDevice`.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    rates : Rates
    xp : module
        Array namespace, NumPy's or CuPy's.
    seed : int
        64 bits, of the exploration noise.
    sixteen_bit : SixteenBit or None
        Keep every word at 16 bits from the start.
    """

    def __init__(
        self,
        config: FixarConfig,
        networks: Networks,
        rates: Rates,
        *,
        xp: ArrayModule = np,
        seed: int = 0,
        sixteen_bit: SixteenBit | None = None,
    ):
        self.config = config
        self.networks = networks
        self.rates = rates
        self.xp = xp
        self.sixteen_bit = sixteen_bit
        self.hidden = len(networks.hidden_sizes)
        self.networks_by_name = {name: NetworkReference(config, networks, name, xp) for name in ("actor", "critic")}
        self.load(initial_state(config, networks, seed))

    # State.

    def save(self) -> dict[str, np.ndarray]:
        """The whole state as NumPy arrays by name (``fixar_state.state_shapes``)."""
        state: dict[str, np.ndarray] = {}
        for network in self.networks_by_name.values():
            state.update(network.save())
        state["range/minimum"] = np.array(self.ranges.minima, np.int32)
        state["range/maximum"] = np.array(self.ranges.maxima, np.int32)
        state["bits"] = np.array(self.bits or 0)
        state["power"] = np.array(
            [power for name in ("actor", "critic") for power in self.networks_by_name[name].powers]
        )
        state["noise"] = np.array(self.noise.state, np.uint64)
        state["counters"] = np.array([self.counts[name] for name in COUNTERS])
        return state

    def load(self, state: Mapping[str, np.ndarray]) -> None:
        """Takes back what :meth:`save` gave; ValueError where it is another configuration's."""
        check_state(state, self.config, self.networks)
        for index, network in enumerate(self.networks_by_name.values()):
            network.load(state, [int(power) for power in state["power"][2 * index : 2 * index + 2]])
        self.ranges = RangeReference(self.config.slots)
        for slot in range(self.config.slots):
            self.ranges.write(slot, state["range/minimum"][slot], state["range/maximum"][slot])
        self.bits: int | None = int(state["bits"]) or None
        if self.bits:
            self.ranges.freeze(self.bits)
        self.noise = GaussianNoiseReference(GaussianConfig(lanes=self.config.lanes), int(state["noise"]))
        self.counts = dict(zip(COUNTERS, (int(count) for count in state["counters"]), strict=True))

    def counters(self) -> dict[str, int]:
        """Saturations counted since the start."""
        return dict(self.counts)

    def freeze(self, bits: int) -> None:
        """From now on activations are codes of so many bits, in the ranges recorded until now."""
        require_integer("Bits", bits, 8, 16)
        self.ranges.freeze(bits)
        self.bits = bits

    def clear_ranges(self) -> None:
        """Forgets the recorded ranges; back to full precision."""
        self.ranges.clear()
        self.bits = None

    # The two jobs.

    def act(self, observations: ArrayLike, noise: bool = False) -> RealArray:
        """Actions in [-1, 1] of rows of observations, with exploration noise if asked; as real numbers."""
        words = self.xp.asarray(observations_to_words(self.config, self.networks, observations))
        chunks = [
            self.act_chunk(words[start : start + self.config.chunk_size], noise)
            for start in range(0, len(words), self.config.chunk_size)
        ]
        return np.ldexp(self.to_host(self.xp.concatenate(chunks)), -self.config.activation_fraction)

    def act_chunk(self, observations: IntegerArray, noise: bool) -> IntegerArray:
        state = self.join(None, observations, monitor=False)
        hidden = self.forward("actor", state, monitor=False)
        if not noise:
            return self.layer("actor", self.hidden, hidden[-1], Operation.TANH)
        disturbance = self.xp.asarray(self.draw_noise(len(observations)))
        return self.layer("actor", self.hidden, hidden[-1], Operation.TANH_NOISE, auxiliary=disturbance)

    def draw_noise(self, samples: int) -> IntegerArray:
        """Noise words (samples, action size): every block of lanes is a row of the generator's."""
        size, lanes = self.networks.action_size, self.config.lanes
        blocks = -(-size // lanes)
        rows = self.noise.rows(samples * blocks, self.rates.noise_scale)
        return rows.reshape(samples, blocks * lanes)[:, :size]

    def train(self, batch: LearnerBatch) -> RealArray:
        """One DDPG step; the temporal-difference errors of the batch as real numbers.

        Parameters
        ----------
        batch : LearnerBatch
            All samples count alike: its weights are not looked at.
        """
        transitions = Transitions(self.config, self.networks, batch)
        chunks, start = [], 0
        for size in self.config.chunks(len(transitions)):
            chunks.append(slice(start, start + size))
            start += size
        states, errors = [], []
        for number, chunk in enumerate(chunks):
            state, error = self.train_critic(transitions, chunk, number > 0)
            states.append(state)
            errors.append(error)
        self.update("critic", self.rates.learning_rate_critic)
        for number, state in enumerate(states):
            self.train_actor(state, number > 0)
        self.update("actor", self.rates.learning_rate_actor)
        return np.ldexp(self.to_host(self.xp.concatenate(errors)[:, 0]), -self.config.error_fraction)

    def train_critic(self, batch: Transitions, chunk: slice, accumulate: bool) -> tuple[Tensor, IntegerArray]:
        """The critic's gradients of one chunk; returns its input tensor and errors."""
        xp = self.xp
        state = self.join(xp.asarray(batch.actions[chunk]), xp.asarray(batch.observations[chunk]))
        following = self.join(None, xp.asarray(batch.next_observations[chunk]))
        hidden = self.forward("target_actor", following)
        self.merge(following, self.layer("target_actor", self.hidden, hidden[-1], Operation.TANH))
        hidden = self.forward("target_critic", following)
        target = self.layer(
            "target_critic", self.hidden, hidden[-1], Operation.MULTIPLY_ADD,
            auxiliary=xp.asarray(batch.rewards[chunk])[:, None], factor=xp.asarray(batch.discounts[chunk])[:, None],
        )  # fmt: skip
        hidden = self.forward("critic", state)
        error = self.layer("critic", self.hidden, hidden[-1], Operation.DIFFERENCE, auxiliary=self.as_error(target))
        error = self.as_error(error)
        errors = [*self.backward("critic", hidden, error), error]
        self.add_gradients("critic", [state, *hidden], errors, accumulate)
        return state, error

    def train_actor(self, state: Tensor, accumulate: bool) -> None:
        """The actor's gradients of one chunk, from the critic's slope at the actor's action."""
        hidden = self.forward("actor", state)
        self.merge(state, self.layer("actor", self.hidden, hidden[-1], Operation.TANH))
        critic_hidden = self.forward("critic", state)
        slope = self.xp.full((len(state.words), 1), -(1 << self.rates.actor_error_exponent), self.xp.int64)
        at_first = self.backward("critic", critic_hidden, slope)[0]
        action = state.values[:, : self.networks.action_size]
        error = self.layer_backward("critic", 0, at_first, Operation.TANH_GRADIENT, auxiliary=action)
        errors = [*self.backward("actor", hidden, error), error]
        self.add_gradients("actor", [state, *hidden], errors, accumulate)

    # Tensors.

    def join(self, actions: IntegerArray | None, observations: IntegerArray, monitor: bool = True) -> Tensor:
        """The stored tensor (action, observation); without actions their lanes are zero."""
        if actions is None:
            actions = self.xp.zeros((len(observations), self.networks.action_size), self.xp.int64)
        return self.store(0, self.xp.concatenate([actions, observations], axis=1), monitor)

    def merge(self, tensor: Tensor, actions: IntegerArray) -> None:
        """Stores actions over the action lanes of a tensor."""
        tensor.overwrite(self.store(0, actions))

    def store(self, slot: int, words: IntegerArray, monitor: bool = True) -> Tensor:
        """Words as the activation memory holds them: themselves, or codes in the slot's range."""
        if self.bits:
            parameters = self.ranges.parameters[slot]
            codes, outside = quantize(words, parameters, self.xp)
            self.count("code_saturations", outside)
            return Tensor(codes - parameters.zero_point, parameters)
        if self.sixteen_bit:
            words = narrowed(words, self.config.activation_fraction, self.sixteen_bit.activation_fraction, self.xp)
        if monitor:
            self.ranges.monitor(slot, words)
        return Tensor(words)

    def as_error(self, words: IntegerArray) -> IntegerArray:
        """Words as the error memory holds them."""
        if self.sixteen_bit:
            return narrowed(words, self.config.error_fraction, self.sixteen_bit.error_fraction, self.xp)
        return words

    def slot(self, network: str, index: int) -> int:
        """Slot of the input of layer ``index``; target networks share those of their originals."""
        return index + (self.hidden if network.endswith("critic") and index else 0)

    # Layers.

    def forward(self, network: str, source: Tensor, monitor: bool = True) -> list[Tensor]:
        """Hidden activations of a network."""
        hidden = []
        for index in range(self.hidden):
            result = self.layer(network, index, source, Operation.RELU)
            source = self.store(self.slot(network, index + 1), result, monitor)
            hidden.append(source)
        return hidden

    def layer(
        self,
        network: str,
        index: int,
        source: Tensor,
        operation: Operation,
        *,
        auxiliary: IntegerOperand = 0,
        factor: IntegerOperand = 0,
    ) -> IntegerArray:
        """``operation(W source + b)``, not yet stored."""
        matrix, bias = self.parameters(network, index)
        config = self.config
        fraction = config.weight_fraction  # by how much the sums have more fraction bits than an activation
        low: IntegerOperand = 0
        high: IntegerOperand = 0
        if source.parameters:
            fraction += source.parameters.bits - 26
            low, scale = product(source.operand(self.xp), matrix.transposed), source.parameters.scale
        else:
            fraction -= 16
            high, scale = product_high(source.operand(self.xp), matrix.transposed), 1
        bias_shift = fraction + config.activation_fraction - config.weight_fraction
        words, saturated = rescale(
            low,
            high,
            half_rule=source.parameters is not None,
            scale=scale,
            bias=bias,
            bias_shift=bias_shift,
            shift=fraction,
            xp=self.xp,
        )
        self.count("result_saturations", saturated)
        words, saturated = activate(operation, words, auxiliary, factor=factor, xp=self.xp)
        self.count("result_saturations", saturated)
        return words

    def backward(self, network: str, hidden: Sequence[Tensor], errors: IntegerArray) -> list[IntegerArray]:
        """Errors of all hidden layers, the first layer's first."""
        result: list[IntegerArray] = []
        for index in range(self.hidden, 0, -1):
            positive = hidden[index - 1].words > 0
            errors = self.layer_backward(network, index, errors, Operation.RELU_GRADIENT, positive=positive)
            result.insert(0, errors)
        return result

    def layer_backward(
        self,
        network: str,
        index: int,
        errors: IntegerArray,
        operation: Operation,
        *,
        auxiliary: IntegerArray | None = None,
        positive: FlagArray | None = None,
    ) -> IntegerArray:
        """Errors at the inputs of a layer; with an action as auxiliary only at the action."""
        matrix, _ = self.parameters(network, index)
        if auxiliary is not None:
            matrix = Operand(matrix.words[:, : auxiliary.shape[1]], self.xp)
        sums = product_high(Operand(errors, self.xp), matrix)
        shift = self.config.weight_fraction - 16
        words, saturated = rescale(0, sums, half_rule=False, shift=shift, xp=self.xp)
        self.count("result_saturations", saturated)
        words, saturated = activate(
            operation, words, 0 if auxiliary is None else auxiliary, positive=positive, xp=self.xp
        )
        self.count("result_saturations", saturated)
        return self.as_error(words)

    def add_gradients(
        self, network: str, inputs: Sequence[Tensor], errors: Sequence[IntegerArray], accumulate: bool
    ) -> None:
        """Adds a chunk's gradients of all layers to the gradient memory, or writes them."""
        config = self.config
        reference = self.networks_by_name[network]
        whole = config.error_fraction + config.activation_fraction - 16 - config.gradient_fraction
        for index, (source, error) in enumerate(zip(inputs, errors, strict=True)):
            stationary = Operand(self.xp.ascontiguousarray(error.T), self.xp)
            first = self.networks.layers(network)[index].first
            operand = source.operand(self.xp, first)
            low: IntegerOperand = 0
            high: IntegerOperand = 0
            if source.parameters:
                low, scale = product(stationary, operand), source.parameters.scale
                shift = whole + source.parameters.bits - 10
            else:
                high, scale, shift = product_high(stationary, operand), 1, whole
            matrix = reference.matrices["gradient"][index][:, first:]
            matrix[:], saturated = write_back_gradients(
                matrix,
                low,
                high,
                half_rule=source.parameters is not None,
                scale=scale,
                shift=shift,
                accumulate=accumulate,
                xp=self.xp,
            )
            self.counts["gradient_saturations"] += saturated
            bias = reference.biases["gradient"][index]
            # The constant one that is streamed after the inputs.
            total = error.sum(0) << (config.activation_fraction - 16)
            bias[:], saturated = write_back_gradients(
                bias, 0, total, half_rule=False, shift=whole, accumulate=accumulate, xp=self.xp
            )
            self.counts["gradient_saturations"] += saturated

    def parameters(self, network: str, index: int) -> tuple[Operand, IntegerArray]:
        """Matrix (an Operand) and biases of a layer; ``target_`` networks belong to their originals."""
        reference = self.networks_by_name[network.removeprefix("target_")]
        kind = "target" if network.startswith("target_") else "weight"
        return reference.operand(kind, index), reference.biases[kind][index]

    def update(self, network: str, learning_rate: int) -> None:
        """Adam and the soft target update."""
        reference = self.networks_by_name[network]
        self.counts["weight_saturations"] += reference.update(self.rates, learning_rate)
        if self.sixteen_bit:
            for kind in ("weight", "target"):
                words = reference.flat[kind]
                words[:] = narrowed(words, self.config.weight_fraction, self.sixteen_bit.weight_fraction, self.xp)
            reference.forget_operands()

    def count(self, name: str, flags: FlagArray) -> None:
        self.counts[name] += int(flags.sum())

    def to_host(self, array: IntegerArray) -> IntegerArray:
        return array if isinstance(array, np.ndarray) else array.get()
