"""A3C: agents that learn side by side, each in an environment of its own."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np

from ....hw.cores.checks import require_name
from ....hw.soc.a3c.config import A3CSystemConfig
from ...actors.agent_environment import AgentEnvironments
from ...actors.environment_processes import EnvironmentProcesses
from ...actors.in_process_environments import InProcessEnvironments
from ...actors.places import IN_PROCESS, PLACES, PROCESSES
from ...algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from ...algorithms.a3c.a3c_learner import A3CLearner
from ...algorithms.a3c.a3c_shape import A3CShape, Arrays
from ...algorithms.a3c.order import ServiceOrder
from ...algorithms.a3c.policy import draw_scored, scores
from ...algorithms.agent import Agent
from ...core.backends import require_link
from ...core.checkpoint import CheckpointError, backend_of, environment_of, read_agent, settings_of
from ...core.environments.byte_environment import ByteEnvironment
from ...core.environments.environment import Environment
from ...core.hardware import resolve_hardware
from ...core.statistics import numbers_of
from ...device.transport import Transport
from .backends import HOST, service_on

__all__ = ["A3C"]

# Members of a checkpoint besides its arrays.
MEMBERS = (
    "agents", "backend", "config", "env", "environments", "hardware", "num_timesteps", "observation_size", "place",
)  # fmt: skip


class A3C(Agent):
    """Asynchronous advantage actor-critic, for numbered actions.

    Each of ``config.agents`` agents has an environment and a copy of the parameters of its own; whoever has an
    observation is served next. After ``config.rollout_steps`` steps, or the end of an episode, an agent's gradients
    change the central parameters, which become its copy.

    All that is random in a run besides the seed is in which order agents were served. Environments in this process
    are served in the same order each time, and training goes on from a checkpoint with the same bits. With processes
    the order is another each time; it is recorded, and `again` repeats it.

    Parameters
    ----------
    env
        Identifier of a registered environment with numbered actions and vectors to observe; of a game of the ALE the
        memory is observed, its bytes as numbers from 0 to 1. Or a function that makes one; for processes, of a module.
    config
        Hyper-parameters.
    backend
        ``"torch"``: PyTorch's autograd. ``"reference"``: NumPy, bit by bit in the order of operations of the cores.
        ``"rtl"``: the Verilated RTL. ``"lockstep"``: reference and RTL, every number compared. ``"uart:PORT"``: a
        board.
    hardware
        The device, or whose words the reference has: a preset's name, a YAML file's path, or an
        :class:`.A3CSystemConfig`; ``None``: a small one for the network.
    transport
        For backend ``"transport"``: an open link to the device, over PCIe say; it is closed with the agent.
    environments
        ``"processes"``: each in a process of its own. ``"in-process"``: one after the other. ``"ray"``: each in a
        process of its own on a machine of a Ray cluster, a core each (:class:`.RayWorker`).
    limit
        Seconds that a step in a process may take, the start of the process included.
    evaluation_env
        Where `evaluate` plays; ``None``: another environment of ``env``.

    Members
    -------
    num_timesteps
        Environment steps taken.
    learner
        What acts and trains.

    Raises
    ------
    TypeError, ValueError
        No such environment, or one of other actions or observations; no such backend or place; no Ray.
    EnvironmentFailure
        In `learn`: an environment failed. Everything is as before its step.
    ActorError
        In `learn`: an environment's processes end again and again.
    FloatingPointError
        In `learn`: training has diverged.

    Source: Mnih et al., "Asynchronous Methods for Deep Reinforcement Learning" (2016); Ge, Zhang, Li, Zhou, "A FPGA
    Accelerator of Distributed A3C Algorithm with Optimal Resource Deployment" (2024).
    """

    name = "a3c"
    suited_threads: ClassVar[int | None] = 1
    config: A3CHyperParameters
    learner: A3CLearner
    hardware: A3CSystemConfig | None

    def __init__(
        self,
        env: str | Callable[[], gymnasium.Env],
        config: A3CHyperParameters | None = None,
        *,
        backend: str = "torch",
        hardware: Any = None,
        transport: Transport | None = None,
        environments: str = PROCESSES,
        limit: float = 60.0,
        evaluation_env: gymnasium.Env | str | None = None,
    ):
        if isinstance(env, gymnasium.Env) or not (isinstance(env, str) or callable(env)):
            raise TypeError(f"An environment must be an identifier or a function that makes one, not {env!r}")
        require_name("Environments", environments, PLACES)
        require_link(backend, transport)
        self.hardware = None if hardware is None else resolve_hardware(hardware, "a3c")
        make_service = service_on(backend, self.hardware, transport=transport)
        config = config or A3CHyperParameters()
        super().__init__(
            ByteEnvironment(env if isinstance(env, str) else env(), config.seed), config, backend, evaluation_env
        )
        self.place = environments
        self._parameters: tuple[int, Arrays] | None = None
        with contextlib.ExitStack() as opened:
            opened.callback(self.environment.env.close)
            arguments = env, ByteEnvironment, config.agents, config.seed
            own: AgentEnvironments
            if environments == IN_PROCESS:
                own = InProcessEnvironments(*arguments)
            else:
                own = EnvironmentProcesses(*arguments, limit, on=environments)
            opened.callback(own.close)
            shape = A3CShape(
                observation_size=self.environment.observation_size,
                actions=self.environment.action_size,
                hidden_sizes=config.hidden_sizes,
            )
            self.learner = A3CLearner(shape, config, make_service, own)
            opened.pop_all()

    def learn(
        self,
        total_timesteps: int,
        callback: Callable[[Any, dict[str, Any]], bool | None] | None = None,
        progress_bar: bool = False,
    ) -> "A3C":
        """Takes at least that many environment steps more, and trains with them.

        Parameters
        ----------
        total_timesteps
            Environment steps to take, of all agents; those that come together are taken together.
        callback
            Called after each step with the agent and a record (``step``, ``reward``; at the end of an episode
            ``return``, ``length``). ``False`` stops after those that came together.
        progress_bar
            Whether to show one.
        """
        from tqdm import tqdm

        end = self.num_timesteps + total_timesteps
        with tqdm(total=total_timesteps, unit="step", disable=not progress_bar) as bar:
            while self.num_timesteps < end:
                records = self._take_round()
                bar.update(len(records))
                if callback is not None and False in [callback(self, record) for record in records]:
                    break
        return self

    def _round(self) -> list[dict[str, Any]]:
        try:
            return self.learner.round()
        finally:
            self.num_timesteps = self.learner.steps

    @property
    def evaluates_from(self) -> int:
        """0: the likeliest actions are others than those that are drawn."""
        return 0

    def statistics(self) -> dict[str, float] | None:
        """``entropy`` and ``value`` of the last answers; ``advantage`` and ``value_loss``, means over the rollout
        of the last update; ``learning_rate``; counts so far. ``None`` before the first update."""
        found = self.learner.statistics()
        return found and {**found, **numbers_of(self.counters())}

    def counters(self) -> dict[str, Any]:
        """Updates; environments started again, and steps of rollouts dropped with them; what the backend counts."""
        return self.learner.counters()

    def about(self) -> dict[str, Any]:
        """Description of the agent for a run's summary."""
        return {**super().about(), "environments": self.place}

    def predict(self, observation: np.ndarray, deterministic: bool = True) -> tuple[np.ndarray, None]:
        """The action of the central parameters, for one observation or for rows of them, as the environment has it.

        The second element is always ``None``, as Stable-Baselines3's hidden state of policies without one.

        Parameters
        ----------
        observation
            A vector, or rows of them; of a game its memory from 0 to 1.
        deterministic
            The likeliest action; ``False``: drawn as in training, from other random numbers each time.
        """
        observation = self._checked(observation)
        rows = scores(self._central(), np.atleast_2d(observation))
        generator = np.random.default_rng()
        actions = rows.argmax(axis=1) if deterministic else np.array([draw_scored(row, generator) for row in rows])
        found = np.asarray(self.environment.unscale(actions))
        return found if observation.ndim == 2 else np.asarray(found[0]), None

    def _best_action(self, observation: np.ndarray) -> np.ndarray:
        return np.asarray(scores(self._central(), observation[np.newaxis])[0].argmax())

    def _evaluated_policy(self, generator: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
        if not self.config.draw_in_evaluation:
            return self._best_action

        def policy(observation: np.ndarray) -> np.ndarray:
            return np.asarray(draw_scored(scores(self._central(), observation[np.newaxis])[0], generator))

        return policy

    def _central(self) -> Arrays:
        """The central parameters as they are."""
        updates = self.learner.updates
        if self._parameters is None or self._parameters[0] != updates:
            self._parameters = updates, self.learner.service.parameters()
        return self._parameters[1]

    def _evaluation_environment(self) -> Environment:
        """The environment that agents' are like: none of them has it."""
        return self.environment if self._evaluation_env is None else super()._evaluation_environment()

    def _parts(self) -> dict[str, Any]:
        return {"agents": self.learner, "environments": self.learner.environments}

    def _own_state(self) -> dict[str, Any]:
        return {"place": self.place, "observation_size": self.environment.observation_size}

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        self._parameters = None

    @property
    def order(self) -> ServiceOrder:
        """In which agents were served so far."""
        return self.learner.order

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: str | Callable[[], gymnasium.Env] | None = None,
        *,
        backend: str | None = None,
        environments: str | None = None,
        **settings: Any,
    ) -> "A3C":
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            Path of the checkpoint.
        env
            ``None``: by the identifier in the checkpoint.
        backend
            ``None``: the one it was trained with. Each reads the checkpoints of all.
        environments
            ``None``: where they were.
        **settings
            Others of the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another environment.
        ValueError
            There is no such backend.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        agent = cls._like(path, about, env, backend, environments or about["place"], settings)
        with contextlib.ExitStack() as opened:
            opened.callback(agent.close)
            agent._restore(path, arrays, about)
            opened.pop_all()
        return agent

    @classmethod
    def again(
        cls, path: Path | str, env: str | Callable[[], gymnasium.Env] | None = None, *, backend: str | None = None
    ) -> "A3C":
        """Does once more what a checkpoint's agent did from its first step on, agents served in the same order.

        Results are bit-identical, whichever of reference and device computed them, if the environments are
        functions of seed and actions. Environments are in this process.

        Parameters
        ----------
        path, env, backend
            As of `load`.

        Raises
        ------
        CheckpointError, ValueError
            As of `load`.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        agent = cls._like(path, about, env, backend, IN_PROCESS, {})
        with contextlib.ExitStack() as opened:
            opened.callback(agent.close)
            agent.learner.replay(ServiceOrder(arrays["agents/order"]))
            agent.num_timesteps = agent.learner.steps
            opened.pop_all()
        return agent

    @classmethod
    def _like(
        cls, path: Path | str, about: dict[str, Any], env: Any, backend: str | None, place: str, settings: Any
    ) -> "A3C":
        """A new agent with a checkpoint's settings."""
        with settings_of(path):
            config = A3CHyperParameters.from_mapping(about["config"])
            hardware = None if about["hardware"] is None else resolve_hardware(about["hardware"], "a3c")
        backend = backend_of(path, about, backend)
        # PyTorch goes on with what a device began, and has none.
        built = None if backend in HOST else hardware
        agent = cls(
            environment_of(path, about, env),
            config,
            backend=backend,
            hardware=built,
            environments=place,
            **settings,
        )
        if agent.environment.observation_size != about["observation_size"]:
            agent.close()
            raise CheckpointError(
                f"{path} is of observations of {about['observation_size']} elements, not of "
                f"{agent.environment.observation_size}"
            )
        return agent

    def close(self) -> None:
        """Lets go of environments and service."""
        try:
            self.learner.close()
        finally:
            self.environment.env.close()
