"""LearningGroup as a whole: iterations of IC3Net, bit for bit what the device computes."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.random.xorshift import UNIFORM_BITS
from ....hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from ..arrays import FlagArray, IntegerArray, RealArray, ValueArray
from ..random.uniform import UniformReference
from .arithmetic import ARITHMETICS
from .backward import backward_through_time, gradients
from .forward import Step, step_forward
from .layout import Layout
from .network import NetworkReference
from .rms_prop import rms_prop
from .state import SAMPLED_HEADS, check_state, initial_state, parameter_shapes

__all__ = ["LearningGroupReference"]


class LearningGroupReference:
    """The device's jobs and state.

    An iteration: :meth:`start`, then :meth:`step` for every time step, then :meth:`train`.

    Parameters
    ----------
    config : LearningGroupConfig
    network : Network
    rates : Rates
    episodes : int
        Parallel episodes of an iteration.
    seed : int
        63 bits, of the sampling.
    arithmetic : str
        Arithmetic of the network: ``"binary16"``, the device's; or ``"binary32"``, ``"binary64"``, which is then also
        the optimiser's.

    Attributes
    ----------
    steps : list of Step
        Steps of the iteration under way.
    gradients : dict of array
        Gradients of the last :meth:`train`, by the parameters' names.
    lost_updates : float
        In the last :meth:`train` the share of the weights with a gradient that is not zero whose step was less than
        half of their last bit, so that they stayed as they were.
    """

    def __init__(
        self,
        config: LearningGroupConfig,
        network: Network,
        rates: Rates,
        *,
        episodes: int,
        seed: int = 0,
        arithmetic: str = "binary16",
    ):
        network.check(config)
        self.config, self.shape, self.rates = config, network, rates
        self.arithmetic = ARITHMETICS[arithmetic]
        self.optimizer = ARITHMETICS[config.optimizer_format if arithmetic == "binary16" else arithmetic]
        self.layout = Layout(config, network.agents, episodes)
        self.network = NetworkReference(network, config.cores, self.arithmetic)
        self.steps: list[Step] = []
        self.gradients: dict[str, ValueArray] = {}
        self.lost_updates = 0.0
        self.load(initial_state(network, config.cores, seed))

    # State.

    def save(self) -> dict[str, np.ndarray]:
        """The state between iterations as arrays by name (``state.state_shapes``): numbers, exactly, and generators."""
        state: dict[str, np.ndarray] = dict(self.parameters)
        state |= {f"square/{name}": square for name, square in self.squares.items()}
        return state | {"random": np.array([generator.state for generator in self.generators], np.uint64)}

    def load(self, state: Mapping[str, np.ndarray]) -> None:
        """Takes back what :meth:`save` gave, or other numbers, rounded; ValueError where it is another network's."""
        check_state(state, self.shape, self.config.cores)
        names = parameter_shapes(self.shape)
        self.parameters = {name: self.optimizer.numbers(state[name]) for name in names}
        self.squares = {name: self.optimizer.numbers(state[f"square/{name}"]) for name in names}
        self.generators = [UniformReference(number) for number in state["random"]]
        self.steps = []
        self.network.nonfinite.clear()

    def close(self) -> None:
        """Nothing is held."""

    def nonfinite_layers(self) -> list[str]:
        """Names of the layers that have met an infinity or a NaN since the state was loaded, the first one first."""
        return list(self.network.nonfinite)

    def workloads(self) -> list[int]:
        """Unmasked weights of all layers in this iteration, for each core."""
        total = np.zeros(self.config.cores, np.int64)
        for grouping in self.network.groupings.values():
            total += grouping.workloads()
        return total.tolist()

    # The jobs.

    def start(self) -> None:
        """Begins an iteration: weight grouping, and episodes without a past."""
        self.network.group(self.parameters)
        self.steps, self._drawn_from = [], [generator.state for generator in self.generators]

    def rewind(self) -> None:
        """Takes back the iteration under way: the state is that before :meth:`start`."""
        self.generators = [UniformReference(number) for number in self._drawn_from]
        self.steps = []

    def step(self, observations: ArrayLike) -> tuple[IntegerArray, IntegerArray, RealArray]:
        """One time step of all episodes: movements, gate actions (int), values (float64), each (episodes, agents).

        Parameters
        ----------
        observations : array (episodes, agents, observation_size)
        """
        shape = self.layout.episodes, self.shape.agents, self.shape.observation_size
        if np.shape(observations) != shape:
            raise ValueError(f"Observations must have shape {shape}, not {np.shape(observations)}")
        if not self.network.groupings:
            raise RuntimeError("An iteration begins with start, not with step")
        words = self.layout.pack(self.arithmetic.numbers(observations))
        uniform = self._draw()
        if self.steps:
            last = self.steps[-1]
            spoke, h, c = last.actions["gate"] * self.layout.present, last.h, last.c
        else:
            zeros = self.arithmetic.zeros(self.shape.hidden_size, self.layout.batches, self.layout.word)
            spoke, h, c = self.layout.present[np.newaxis], zeros, zeros
        step = step_forward(self.network, self.layout, words, spoke.astype(self.arithmetic.dtype), h, c, uniform)
        self.steps.append(step)
        movements, gates = (self.layout.unpack(step.actions[head])[:, :, 0] for head in ("policy", "gate"))
        return movements, gates, self.layout.unpack(step.value.astype(np.float64))[:, :, 0]

    def train(self, returns: ArrayLike, scales: ArrayLike) -> None:
        """Ends an iteration: backward through time, gradients, update.

        Parameters
        ----------
        returns, scales : array (steps, episodes, agents)
            Sums of the rewards from each step on, and k: the loss scale over the number of steps, 0 where an episode is
            over.
        """
        shape = len(self.steps), self.layout.episodes, self.shape.agents
        for what, values in (("Returns", returns), ("Scales", scales)):
            if np.shape(values) != shape:
                raise ValueError(f"{what} must have shape {shape}, not {np.shape(values)}")
        numbers = self.arithmetic.numbers
        returned, scaled = [np.stack([self.layout.pack(step[..., np.newaxis])[0] for step in numbers(values)])
                 for values in (returns, scales)]  # fmt: skip
        factor = numbers(2 * self.rates.value_coefficient)
        errors = backward_through_time(self.network, self.layout, self.steps, returned, scaled, factor)
        self.gradients = gradients(self.network, self.steps, errors, self.rates.grouping_gradient)
        self._update()
        self.steps = []

    def _draw(self) -> dict[str, ValueArray]:
        """For each head that draws, a uniform number in every lane: batch after batch, head after head."""
        numbers = np.zeros((len(SAMPLED_HEADS), self.layout.batches, self.layout.word), self.arithmetic.dtype)
        for batch in range(self.layout.batches):
            for head, words in enumerate(numbers):
                words[batch] = self.generators[head % len(self.generators)].numbers(self.layout.word) / 2**UNIFORM_BITS
        return dict(zip(SAMPLED_HEADS, numbers, strict=True))

    def _update(self) -> None:
        """RMSprop, of what has a gradient: masked weights and what was not selected keep value and mean square."""
        lost = moving = 0
        for name, gradient in self.gradients.items():
            kind, layer = name.split("/")
            learns = np.ones(gradient.shape, bool) if kind == "bias" else self._learns(kind, layer)
            weight, square = self.parameters[name].copy(), self.squares[name].copy()
            weight[learns], square[learns] = rms_prop(
                self.optimizer, weight[learns], square[learns], self.optimizer.numbers(gradient[learns]), self.rates
            )
            if not np.isfinite(weight).all() or not np.isfinite(square).all():
                self.network.flag(layer)
            if kind == "weight":
                should = learns & (gradient != 0)
                moving += int(np.count_nonzero(should))
                lost += int(np.count_nonzero(should & (weight == self.parameters[name])))
            self.parameters[name], self.squares[name] = weight, square
        self.lost_updates = lost / max(moving, 1)

    def _learns(self, kind: str, layer: str) -> FlagArray:
        grouping = self.network.groupings[layer]
        if kind == "weight":
            return grouping.mask
        selected = grouping.selections()[kind == "output_grouping"]
        return np.ones_like(selected) if self.rates.grouping_gradient == "dense" else selected
