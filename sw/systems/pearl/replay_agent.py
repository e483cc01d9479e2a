"""What agents share whose experiences are drawn by the replay manager, its bit-exact reference, or both."""

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import gymnasium
import numpy as np

from ....hw.soc.pearl.config import PearlConfig
from ...actors.policy import Policy
from ...algorithms.agent import Agent
from ...algorithms.prioritized_replay_buffer import Batch, PrioritizedReplayBuffer
from ...algorithms.replay_parameters import ReplayParameters
from ...algorithms.training_loop import Learner
from ...core.backends import parse_backend
from ...core.checkpoint import environment_of, read_agent, require_configuration
from ...core.environments.environment import Environment, identifier_of
from ...core.hardware import resolve_hardware
from ...core.lockstep import Comparison
from ...device.replay import ReplayDevice
from ...device.replay_backends import open_sum_tree

__all__ = ["Networks", "ReplayAgent"]

# What a checkpoint holds beside its arrays.
MEMBERS = (
    "backend", "comparisons", "config", "configuration_hash", "env", "environment", "exploration", "hardware",
    "num_timesteps", "replay", "tally",
)  # fmt: skip
COUNTED = ("gradient_steps", "sample_cycles", "update_cycles", "step_cycles")


class Networks(Learner, Protocol):
    """An algorithm's networks: a :class:`.Learner` that acts, too, and is saved."""

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Best actions of float32 observations, one a row."""
        ...

    def prepare(self, batch: Batch) -> Batch:
        """The batch with what gradient steps do not change."""
        ...

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        ...

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        ...

    def close(self) -> None:
        """Lets go of a device, if there is one."""
        ...


class ReplayAgent(Agent):
    """Base of agents with prioritised replay, to the conventions of Stable-Baselines3.

    The host runs the environment; the sum tree is where ``backend`` says, and so is the learner if there is one in
    hardware. Otherwise the networks are in PyTorch. All backends learn the same, to the bit.

    Parameters
    ----------
    env
        A Gymnasium environment with vector observations, or the identifier of one.
    config
        Hyper-parameters; ``None``: those that suit the environment.
    hardware
        The replay manager, which says how many experiences are kept: its configuration, the name of a preset, or a
        YAML file's path.
    backend
        ``"reference"``: bit-exact in NumPy. ``"rtl"``: Verilated. ``"lockstep"``: both, every answer, weight, moment
        and priority compared. ``"uart:PORT"``: a board with the replay manager.
    evaluation_env
        Where `evaluate` plays; ``None``: a second environment of the same identifier.

    Members
    -------
    num_timesteps
        Environment steps taken.
    learner
        The networks.
    policy
        How actions are chosen in training.
    replay_buffer
        The experiences.

    Raises
    ------
    ValueError
        An environment or a backend that there is not.
    """

    # Of an algorithm: its hyper-parameters, and which actions it takes.
    configuration: ClassVar[type[ReplayParameters]]
    kind: ClassVar[type[Environment]]
    # What else it was made with, in its checkpoints.
    SETTINGS: ClassVar[tuple[str, ...]] = ()
    hardware: PearlConfig
    learner: Networks

    def __init__(
        self,
        env: gymnasium.Env | str,
        config: ReplayParameters | None = None,
        *,
        hardware: Any = "k16",
        backend: str = "reference",
        evaluation_env: gymnasium.Env | str | None = None,
    ):
        if config is None:
            config = self.configuration.from_mapping(self.configuration.suited_to(identifier_of(env)))
        self.hardware = resolve_hardware(hardware, "pearl")
        seeds = np.random.SeedSequence(config.seed).generate_state(4)
        super().__init__(self.kind(env, int(seeds[0])), config, backend, evaluation_env)
        self._exploration = np.random.default_rng(int(seeds[1]))
        parse_backend(backend)
        self.learner, self.policy = self._make_networks(int(seeds[3]))
        self._sum_tree = open_sum_tree(backend, self.hardware)
        self.replay_buffer = PrioritizedReplayBuffer(
            self.hardware.leaves,
            config.alpha,
            config.beta,
            device=ReplayDevice(self._sum_tree, int(seeds[2])),
            epsilon=config.priority_epsilon,
        )
        self._tally = dict.fromkeys(COUNTED, 0)

    @abstractmethod
    def _make_networks(self, seed: int) -> tuple[Networks, Policy]:
        """For the environment and the configuration: what learns, and what acts in training."""

    def predict(self, observation: np.ndarray, deterministic: bool = True) -> tuple[np.ndarray, None]:
        """The policy's action, for one observation or for rows of them, as the environment has it.

        The second element is always ``None``, as Stable-Baselines3's hidden state of policies without one.

        Parameters
        ----------
        observation
            A vector, or rows of them.
        deterministic
            ``False``: as training acts at this step.
        """
        observation = self._checked(observation)
        rows = np.atleast_2d(observation)
        if deterministic:
            actions = self.learner.act(rows)
        else:
            actions = self.policy(self.learner.weights(), rows, self.num_timesteps, self._exploration)
        found = np.asarray(self.environment.unscale(actions))
        return found if observation.ndim == 2 else np.asarray(found[0]), None

    def _best_action(self, observation: np.ndarray) -> np.ndarray:
        return self.learner.act(observation[np.newaxis])[0]

    def counters(self) -> dict[str, Any]:
        """Gradient steps, cycles that the device took for their batches, and comparisons."""
        counts = {
            name: count
            for name, count in self._tally.items()
            if not name.endswith("cycles") or hasattr(self._counter(name), "cycles")
        }
        for name, comparison in self._comparisons().items():
            counts |= {f"{name}_{what}": count for what, count in comparison.counts().items()}
        return counts

    def _count(self, name: str) -> None:
        """Add the cycles of what was just done, where there are any."""
        self._tally[name] += getattr(self._counter(name), "cycles", 0)

    def _hardware(self) -> dict[str, Any]:
        """What may be a device, by name."""
        return {"replay": self._sum_tree}

    def _counter(self, name: str) -> Any:
        """Whose cycles those are."""
        return self._hardware().get("learner" if name == "step_cycles" else "replay")

    def _comparisons(self) -> dict[str, Comparison]:
        """RTL beside its reference, by name."""
        return {name: part for name, part in self._hardware().items() if isinstance(part, Comparison)}

    def _own_state(self) -> dict[str, Any]:
        return {
            "exploration": self._exploration.bit_generator.state,
            "tally": self._tally,
            "comparisons": {name: part.comparisons() for name, part in self._comparisons().items()},
        }

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        self._exploration.bit_generator.state = about["exploration"]
        if self._is_on_same(about):
            self._tally |= about["tally"]
            for name, part in self._comparisons().items():
                part.restore_comparisons(about["comparisons"][name])

    def _is_on_same(self, about: dict[str, Any]) -> bool:
        """Whether a checkpoint is of a run on the same backends, whose counts go on."""
        return about["backend"] == self.backend

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: gymnasium.Env | str | None = None,
        *,
        backend: str | None = None,
        hardware: Any = None,
        **changes: Any,
    ) -> Self:
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            Of the checkpoint.
        env
            ``None``: by the identifier in the checkpoint.
        backend
            ``None``: the one it was trained with. Each reads the checkpoints of all.
        hardware
            ``None``: the configuration in the checkpoint. Another one is refused.
        **changes
            What else of ``SETTINGS`` is other than in the checkpoint, as ``learner_backend``.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another configuration or environment.
        ValueError
            A change of what the agent does not have.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS + cls.SETTINGS)
        env = environment_of(path, about, env)
        chosen = resolve_hardware(hardware if hardware is not None else about["hardware"], "pearl")
        require_configuration(path, about, chosen)
        config = cls.configuration.from_mapping(about["config"])
        if unknown := sorted(changes.keys() - set(cls.SETTINGS)):
            raise ValueError(f"{path} holds {cls.name}, which has no {' and no '.join(unknown)}")
        settings = cls._settings_of(about, backend) | changes
        agent = cls(env, config, hardware=chosen, backend=backend or about["backend"], **settings)
        agent._restore(path, arrays, about)
        return agent

    @classmethod
    def _settings_of(cls, about: dict[str, Any], backend: str | None) -> dict[str, Any]:
        """What the agent in a checkpoint was made with besides; ``backend``: the one that `load` was given."""
        return {name: about[name] for name in cls.SETTINGS}

    def close(self) -> None:
        """Lets go of the devices."""
        self.replay_buffer.close()
        self.learner.close()
