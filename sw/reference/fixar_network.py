"""Data that FIXAR keeps of one network and its target, and streams."""

from collections.abc import Iterator, Mapping

import numpy as np

from ...hw.soc.fixar.config import FixarConfig, Networks, Rates
from .arrays import ArrayModule, IntegerArray
from .fixar_state import KINDS
from .matrix import Operand
from .optimizer.adam import CHUNK, ONE, AdamReference, advance_powers, corrected_step
from .quantization.ranges import QuantizationParameters

__all__ = ["NetworkReference", "Tensor"]


class Tensor:
    """A stored activation tensor: words, or codes less their zero point.

    Parameters
    ----------
    words : array of int64 (samples, neurons)
        With ``parameters`` the codes' integers d.
    parameters : QuantizationParameters or None
        Parameters of codes.
    """

    def __init__(self, words: IntegerArray, parameters: QuantizationParameters | None = None):
        self.words = words
        self.parameters = parameters
        self._operand: Operand | None = None

    @property
    def values(self) -> IntegerArray:
        """Words that the codes mean."""
        if self.parameters is None:
            return self.words
        return (self.words * self.parameters.scale) >> self.parameters.bits

    def operand(self, xp: ArrayModule, first: int = 0) -> Operand:
        """The layer's operand as a factor, without the inputs before ``first``."""
        if first:
            return Operand(self.words[:, first:], xp)
        if self._operand is None:
            self._operand = Operand(self.words, xp)
        return self._operand

    def overwrite(self, other: "Tensor") -> None:
        """Takes the first neurons from another tensor of the same slot."""
        self.words[:, : other.words.shape[1]] = other.words
        self._operand = None


class NetworkReference:
    """Weights, target weights, gradients and moments of one network, and its running powers.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    name : str
        ``"actor"`` or ``"critic"``.
    xp : module
        Array namespace.

    Members
    -------
    flat : dict
        Kind (``weight``, ``target``, ``gradient``, ``first_moment``, ``second_moment``): all words in one array.
    matrices, biases : dict
        Kind: views into it, a layer each.
    powers : list of int
        p1 and p2.
    """

    def __init__(self, config: FixarConfig, networks: Networks, name: str, xp: ArrayModule):
        self.config = config
        self.name = name
        self.xp = xp
        shapes = networks.layers(name)
        size = sum(layer.outputs * (layer.inputs + 1) for layer in shapes)
        self.flat: dict[str, np.ndarray] = {}
        self.matrices: dict[str, list[np.ndarray]] = {}
        self.biases: dict[str, list[np.ndarray]] = {}
        for kind in ("weight", "target", "gradient", "first_moment", "second_moment"):
            flat = xp.zeros(size, xp.uint64 if kind == "second_moment" else xp.int64)
            self.flat[kind], self.matrices[kind], self.biases[kind] = flat, [], []
            start = 0
            for layer in shapes:
                stop = start + layer.outputs * layer.inputs
                self.matrices[kind].append(flat[start:stop].reshape(layer.outputs, layer.inputs))
                start = stop + layer.outputs
                self.biases[kind].append(flat[stop:start])
        # A GPU takes everything at once, a processor what fits in its cache.
        self.adam = AdamReference(config.weight_fraction, xp, CHUNK if xp is np else size)
        self.powers = [ONE, ONE]
        self.operands: dict[tuple[str, int], Operand] = {}

    def arrays(self) -> Iterator[tuple[str, np.ndarray, type[np.integer]]]:
        """``(name in the state, array, its type there)`` of everything."""
        for kind, (_, dtype) in KINDS.items():
            for own, name in ((kind, self.name), ("target", f"target_{self.name}"))[: 2 if kind == "weight" else 1]:
                for index, (matrix, bias) in enumerate(zip(self.matrices[own], self.biases[own], strict=True)):
                    yield f"{kind}/{name}/{index}/matrix", matrix, dtype
                    yield f"{kind}/{name}/{index}/bias", bias, dtype

    def save(self) -> dict[str, np.ndarray]:
        return {
            name: (array if isinstance(array, np.ndarray) else array.get()).astype(dtype)
            for name, array, dtype in self.arrays()
        }

    def load(self, state: Mapping[str, np.ndarray], powers: list[int]) -> None:
        for name, array, _ in self.arrays():
            array[...] = self.xp.asarray(state[name])
        self.powers = powers
        self.forget_operands()

    def operand(self, kind: str, index: int) -> Operand:
        """Matrix of a layer, prepared for products until the weights change."""
        if (kind, index) not in self.operands:
            self.operands[kind, index] = Operand(self.matrices[kind][index], self.xp)
        return self.operands[kind, index]

    def forget_operands(self) -> None:
        self.operands = {}

    def update(self, rates: Rates, learning_rate: int) -> int:
        """Adam and the soft target update of all words; returns how many weights were clamped."""
        self.powers = advance_powers(self.powers, rates)
        step_size = corrected_step(self.powers, learning_rate)
        self.forget_operands()
        kinds = "weight", "target", "gradient", "first_moment", "second_moment"
        return self.adam.update(*(self.flat[kind] for kind in kinds), step_size=step_size, rates=rates)
