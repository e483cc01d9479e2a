"""DDPG with quantisation-aware training, to the conventions of Stable-Baselines3."""

import contextlib
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np

from ...algorithms.agent import Agent
from ...algorithms.ddpg_config import DDPGConfig
from ...algorithms.uniform_replay_buffer import UniformReplayBuffer
from ...core.checkpoint import (
    CheckpointError,
    backend_of,
    environment_of,
    read_agent,
    require_configuration,
    settings_of,
)
from ...core.environments.environment import Environment, identifier_of
from ...core.hardware import resolve_hardware
from ...device.transport import Transport
from ...reference.learner_batch import LearnerBatch
from .defaults import resolve_training
from .learner import Learner, make_learner

__all__ = ["FixarDDPG"]

# Members of a checkpoint besides its arrays.
MEMBERS = (
    "backend", "config", "configuration_hash", "env", "environment", "frozen", "hardware", "num_timesteps", "options",
    "replay", "tally", "warm_up",
)  # fmt: skip

# Options of the learner that change the bits.
CHECKPOINT_OPTIONS = {"sixteen_bit"}


class FixarDDPG(Agent):
    """Deep deterministic policy gradient on an accelerator, its bit-exact reference, or PyTorch.

    The host runs the environment and the replay buffer; the backend does act and train. From environment step
    ``config.quantization_delay`` on, activations are codes of ``config.bits`` bits, in the ranges seen until then and
    ``config.range_margin``.

    Parameters
    ----------
    env
        A Gymnasium environment with bounded vector actions, or the identifier of one.
    config
        Hyper-parameters; ``None``: those of the preset, and those that suit the environment.
    hardware
        Configuration of the accelerator: its dataclass, the name of a preset, or a YAML file's path.
    backend
        ``"reference"``: bit-exact in NumPy. ``"rtl"``: the Verilated accelerator. ``"lockstep"``: the reference
        trains, and every ``lockstep_every``-th step is done by the RTL too, from the same state, and compared.
        ``"torch"``: PyTorch in float32. Any other name is a device address, as ``"uart:/dev/ttyUSB0"``.
    evaluation_env
        Where `evaluate` plays; ``None``: a second environment of the same identifier.
    lockstep_every
        Training steps from one comparison to the next.
    transport
        For backend ``"transport"``: an open link to the accelerator, over PCIe say; it is closed with the agent.
    options
        Options of the reference: ``array="cupy"`` computes on a GPU, ``sixteen_bit=8`` keeps words at 16 bits from the
        start, weights with 8 of them fractional.

    Members
    -------
    num_timesteps
        Environment steps taken.
    learner
        What acts and trains.

    Raises
    ------
    ValueError
        An environment or a configuration that does not fit the accelerator.
    """

    name = "ddpg"
    suited_threads: ClassVar[int | None] = 1
    config: DDPGConfig
    learner: Learner

    def __init__(
        self,
        env: gymnasium.Env | str,
        config: DDPGConfig | None = None,
        *,
        hardware: Any = "small",
        backend: str = "reference",
        evaluation_env: gymnasium.Env | str | None = None,
        lockstep_every: int = 100,
        transport: Transport | None = None,
        **options: Any,
    ):
        self.hardware = None if backend == "torch" else resolve_hardware(hardware)
        if config is None:
            config = DDPGConfig.from_mapping(resolve_training(hardware, identifier_of(env)))
        seeds = np.random.SeedSequence(config.seed).generate_state(3)
        super().__init__(Environment(env, int(seeds[0])), config, backend, evaluation_env)
        # The array library does not change the bits, so a checkpoint is not bound to it.
        self._options = {name: value for name, value in options.items() if name != "array"}
        sizes = self.environment.observation_size, self.environment.action_size
        self.replay_buffer = UniformReplayBuffer(config.buffer_size, int(seeds[1]), _shapes(*sizes))
        self._warm_up = np.random.default_rng(int(seeds[2]))
        self._frozen = False
        self.learner = make_learner(
            backend, self.hardware, *sizes, config, lockstep_every=lockstep_every, transport=transport, **options
        )

    def _round(self) -> list[dict[str, Any]]:
        return [self._step()]

    def _step(self) -> dict[str, Any]:
        config, environment = self.config, self.environment
        # Once: the step may be tried again, from a checkpoint written when the environment failed in it.
        if self.num_timesteps == config.quantization_delay and not self._frozen:
            self.learner.freeze(config.bits)
            self._frozen = True
        observation = environment.observation
        if self.num_timesteps < config.learning_starts:
            action = environment.random_action(self._warm_up)
        else:
            action = self.learner.act(observation[np.newaxis], noise=True)[0]
        next_observation, reward, terminated, truncated = environment.step(action)
        self.replay_buffer.add(
            observations=observation,
            actions=action,
            rewards=reward * config.reward_scale,
            discounts=0 if terminated else config.gamma,
            next_observations=next_observation,
        )
        self.num_timesteps += 1
        record: dict[str, Any] = {"step": self.num_timesteps, "reward": reward}
        if terminated or truncated:
            record |= {"return": environment.episode_return, "length": environment.episode_length}
            environment.begin()
        if self.num_timesteps > config.learning_starts:
            samples = self.replay_buffer.sample(config.batch_size).experiences
            errors = self.learner.train(LearnerBatch(**samples))
            record["error"] = float(np.abs(errors).mean())
        return record

    def predict(self, observation: np.ndarray, deterministic: bool = True) -> tuple[np.ndarray, None]:
        """The policy's action in the environment's units, for one observation or for rows of them.

        The second element is always ``None``, as Stable-Baselines3's hidden state of policies without one.
        """
        observation = self._checked(observation)
        actions = self.learner.act(np.atleast_2d(observation), noise=not deterministic)
        return self.environment.unscale(actions).reshape(*observation.shape[:-1], -1), None

    def _best_action(self, observation: np.ndarray) -> np.ndarray:
        return self.learner.act(observation[np.newaxis], noise=False)[0]

    def counters(self) -> dict[str, Any]:
        """Counts of the learner."""
        return self.learner.counters()

    def _own_state(self) -> dict[str, Any]:
        return {
            "frozen": self._frozen,
            "options": self._options,
            "tally": self.learner.tally(),
            "warm_up": self._warm_up.bit_generator.state,
        }

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        if about["backend"] == self.backend:
            self.learner.restore_tally(about["tally"])
        self._warm_up.bit_generator.state = about["warm_up"]
        self._frozen = bool(about["frozen"])

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: gymnasium.Env | str | None = None,
        *,
        backend: str | None = None,
        hardware: Any = None,
        **options: Any,
    ) -> "FixarDDPG":
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            Path of the checkpoint.
        env
            ``None``: by the identifier in the checkpoint.
        backend
            ``None``: the one it was trained with. Accelerator, reference and lockstep read each other's checkpoints.
        hardware
            ``None``: the configuration in the checkpoint. Another one is refused.
        options
            As for the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another configuration or environment.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        backend = backend_of(path, about, backend)
        if (backend == "torch") != (about["backend"] == "torch"):
            raise CheckpointError(f"{path} is of backend {about['backend']!r} and cannot go on as {backend!r}")
        env = environment_of(path, about, env)
        with settings_of(path):
            config = DDPGConfig.from_mapping(about["config"])
            own = None if about["hardware"] is None else resolve_hardware(about["hardware"])
            if unknown := sorted(about["options"].keys() - CHECKPOINT_OPTIONS):
                raise ValueError(f"unknown option {', '.join(unknown)}")
        if backend != "torch":
            hardware = own if hardware is None else resolve_hardware(hardware)
            require_configuration(path, about, hardware)
        with contextlib.ExitStack() as opened:
            agent = cls(env, config, hardware=hardware, backend=backend, **{**about["options"], **options})
            opened.callback(agent.close)
            agent._restore(path, arrays, about)
            opened.pop_all()
        return agent

    def close(self) -> None:
        """Lets go of the device."""
        self.learner.close()


def _shapes(observation_size: int, action_size: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays kept of a step, by the names of :class:`.LearnerBatch`."""
    observation, action = (observation_size,), (action_size,)
    return {
        "observations": observation, "actions": action, "rewards": (), "discounts": (),
        "next_observations": observation,
    }  # fmt: skip
