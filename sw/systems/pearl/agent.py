"""Base of DQN, DDPG and SAC on PEARL: replay by the replay manager, a learner in PyTorch or in hardware, actors."""

import contextlib
import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import gymnasium
import numpy as np
from torch import nn

from ....hw.cores.checks import require_integer
from ....hw.soc.pearl.config import PearlConfig
from ...actors.actor_pool import ActorPool
from ...actors.places import PROCESSES
from ...actors.policy import Policy
from ...algorithms.agent import Agent
from ...algorithms.in_rounds import InRounds
from ...algorithms.in_turn import InTurn
from ...algorithms.prioritized_replay_buffer import PrioritizedReplayBuffer
from ...algorithms.replay_buffer import Batch
from ...algorithms.replay_parameters import ReplayParameters
from ...algorithms.training_loop import Learner
from ...core.backends import OWN_LINK, is_board, parse_backend, require_link
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
from ...core.lockstep import Comparison
from ...device.replay import ReplayDevice
from ...device.replay_backends import open_sum_tree
from ...device.transport import Transport
from ...networks.torch_networks import ModuleStateError
from ...networks.user_network import require_perceptrons
from .learner_backends import LearnerBackend, open_learner

__all__ = ["Networks", "ReplayAgent"]

# Arguments besides environment, hyper-parameters, replay manager and backend that its checkpoints hold.
SETTINGS = ("actors", "environments", "actors_on", "learner", "learner_backend")
# Where it runs, which changes no bits: a checkpoint may go on elsewhere.
CHANGES = ("actors_on", "learner_backend")
# Arguments that no checkpoint holds: links of the user's own.
LINKS = ("transport", "learner_transport")
# What a checkpoint holds beside its arrays.
MEMBERS = (
    "backend", "comparisons", "config", "configuration_hash", "env", "environment", "exploration", "hardware", "loop",
    "num_timesteps", "replay", "tally", *SETTINGS,
)  # fmt: skip
# Parameters that give networks of the user's.
MODULES = ("network", "actor", "critic", "critics")
COUNTED = ("gradient_steps", "sample_cycles", "update_cycles", "step_cycles")
# A value of `actors`: the algorithm's own choice.
DEFAULT: Any = object()


class Networks(Learner, Protocol):
    """An algorithm's networks: a :class:`.Learner` that also acts and is saved."""

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

    The sum tree is where ``backend`` says, and so is the learner if there is one in hardware; otherwise the networks
    are in PyTorch. All backends learn the same, to the bit. Without actors, environment steps and gradient steps take
    turns (:class:`.InTurn`); with actors, both go on at once (:class:`.InRounds`).

    Parameters
    ----------
    env
        A Gymnasium environment with vector observations, or the identifier of one. With actors, an identifier or a
        function of a module that makes one.
    config
        Hyper-parameters; ``None``: those that suit the environment and the learner.
    hardware
        The replay manager, which says how many experiences are kept: its configuration, the name of a preset, or a
        YAML file's path.
    backend
        ``"reference"``: bit-exact in NumPy. ``"rtl"``: Verilated. ``"lockstep"``: both, every answer, weight, moment
        and priority compared. ``"uart:PORT"``: a board with the replay manager.
    learner
        The learner in hardware: its configuration, the name of a preset, or a YAML file's path; ``None``: PyTorch.
    learner_backend
        Where it is, in the words of ``backend``; ``None``: where the replay manager is, which cannot be a board, for
        that has one of the two.
    actors
        How many there are; ``None``: none. By default DQN has none, DDPG and SAC one.
    environments, actors_on, limit
        Environments of each actor; whether it is in ``"processes"``, ``"in-process"`` with the learner, or on
        ``"ray"``; seconds that a round of it may take, its start included (none in the learner's process).
    evaluation_env
        Where `evaluate` plays; ``None``: a second environment of the same identifier.
    transport, learner_transport
        For backend and learner backend ``"transport"``: an open link to the device, over PCIe say; it is closed with
        the agent.

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
    pool
        The actors, if there are any.
    modules
        Parameters that gave networks of the user's which PyTorch alone computes.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range; an environment or a backend that there is not; hyper-parameters that the learner
        does not have; where a learner is that there is none of.
    ActorError
        In `learn`: an actor cannot go on.
    """

    # For each algorithm its hyper-parameters, which actions it takes, actors if nobody says otherwise.
    configuration: ClassVar[type[ReplayParameters]]
    kind: ClassVar[type[Environment]]
    default_actors: ClassVar[int | None] = 1
    hardware: PearlConfig
    learner: Networks
    modules: Sequence[str] = ()

    def __init__(
        self,
        env: gymnasium.Env | str | Callable[[], gymnasium.Env],
        config: ReplayParameters | None = None,
        *,
        hardware: Any = "k16",
        backend: str = "reference",
        learner: Any = None,
        learner_backend: str | None = None,
        actors: int | None = DEFAULT,
        environments: int = 8,
        actors_on: str = PROCESSES,
        limit: float = 60.0,
        evaluation_env: gymnasium.Env | str | None = None,
        transport: Transport | None = None,
        learner_transport: Transport | None = None,
    ):
        self.actors = self.default_actors if actors is DEFAULT else actors
        self.environments, self.actors_on = environments, actors_on
        require_integer("Number of environments", environments, 1)
        if self.actors is not None:
            require_integer("Number of actors", self.actors, 1)
        parse_backend(backend)
        require_link(backend, transport)
        require_link(learner_backend or "", learner_transport, "learner_transport")
        self._learner_transport = learner_transport
        self._learner_hardware = self._checked_learner(learner, learner_backend)
        self.learner_backend = learner_backend
        made = env if isinstance(env, str | gymnasium.Env) else env()
        if config is None:
            config = self.configuration.from_mapping(
                self.configuration.suited_to(identifier_of(made), learner, hardware)
            )
        config = self._sized(config)
        if self._learner_hardware is not None and config.precision != "binary32":
            name = self._learner_hardware.name
            raise ValueError(f"precision must be binary32 with learner {name}, not {config.precision}")
        self.hardware = resolve_hardware(hardware, "pearl")
        seeds = np.random.SeedSequence(config.seed).generate_state(4)
        super().__init__(self.kind(made, int(seeds[0])), config, backend, evaluation_env)
        self._exploration = np.random.default_rng(int(seeds[1]))
        self._tally = dict.fromkeys(COUNTED, 0)
        self._learner: LearnerBackend | None = None
        # Close all that was opened if a later part cannot be made.
        with contextlib.ExitStack() as opened:
            opened.callback(self._close_learner)
            self.learner, self.policy = self._make_networks(int(seeds[3]))
            self._sum_tree = open_sum_tree(backend, self.hardware, transport=transport)
            opened.callback(self._sum_tree.close)
            self.replay_buffer = PrioritizedReplayBuffer(
                self.hardware.leaves,
                config.alpha,
                config.beta,
                device=ReplayDevice(self._sum_tree, int(seeds[2])),
                epsilon=config.priority_epsilon,
            )
            self.pool: ActorPool | None = None
            self._loop: InTurn | InRounds
            if self.actors is None:
                self._loop = self._in_turn()
            else:
                self._loop = self._in_rounds(env, self.actors, limit, opened)
            opened.pop_all()

    def _fitting(self, networks: Mapping[str, Iterable[Any]], settings: dict[str, Any]) -> dict[str, Any]:
        """Settings for networks of the user's, by the parameters that gave them: modules are trained without actors."""
        self.modules = [name for name, given in networks.items() if any(isinstance(one, nn.Module) for one in given)]
        if not self.modules:
            return settings
        for name in self.modules:
            for where, what in (("learner", "the learner in hardware"), ("actors", "actors")):
                if settings.get(where) is not None:
                    require_perceptrons(networks[name], name.removesuffix("s"), what)
        return settings | {"actors": None}

    def _sized(self, config: Any) -> Any:
        """The configuration with the sizes of networks that are the user's."""
        return config

    def _checked_learner(self, learner: Any, learner_backend: str | None) -> Any:
        """The configuration of a learner in hardware, if there is one."""
        if learner_backend is not None:
            parse_backend(learner_backend)
            if learner is None:
                raise ValueError(f"Gradient steps are in PyTorch: there is no learner to be on {learner_backend}")
        if learner is None:
            return None
        return resolve_hardware(learner, self.configuration.learner_system)

    def _close_learner(self) -> None:
        """Let go of the learner in hardware, if there is one."""
        if self._learner is not None:
            self._learner.close()

    def _in_turn(self) -> InTurn:
        return InTurn(
            self.environment,
            self.replay_buffer,
            self.learner,
            self.config,
            explore=self._explore,
            after_step=self._after_step,
            counted=self._count,
        )

    def _in_rounds(self, env: Any, actors: int, limit: float, opened: contextlib.ExitStack) -> InRounds:
        self.pool = ActorPool(
            env,
            self.kind,
            self.policy,
            self.learner.weights(),
            actors=actors,
            environments=self.environments,
            steps=max(self.config.train_freq // (actors * self.environments), 1),
            seed=self.config.seed,
            limit=limit,
            actors_on=self.actors_on,
        )
        opened.callback(self.pool.close)
        return InRounds(
            self.pool,
            self.replay_buffer,
            self.learner,
            self.config,
            overlap=self._overlaps(),
            after_step=self._after_step,
            counted=self._count,
        )

    @property
    def round_size(self) -> int:
        """Environment steps that are taken at a time."""
        return self._loop.size

    def _round(self) -> list[dict[str, Any]]:
        try:
            return self._loop.round()
        finally:
            self.num_timesteps = self._loop.num_timesteps

    def _explore(self, observation: np.ndarray, step: int) -> np.ndarray:
        """The action of training after so many environment steps."""
        return self.policy(self.learner.weights(), observation[np.newaxis], step, self._exploration)[0]

    def _after_step(self, before: int, after: int) -> None:
        """Act on environment steps that took their number from ``before`` to ``after``."""

    def _overlaps(self) -> bool:
        """Whether a thread more pays: the reference needs Python's lock, as the learner does."""
        return self.backend != "reference"

    def _open_learner(self) -> LearnerBackend:
        """The learner in hardware, where it is said to be."""
        where = self.learner_backend or self.backend
        if self.learner_backend is None and (is_board(where) or where == OWN_LINK):
            raise ValueError(
                f"The board at {where.rpartition(':')[2]} has the replay manager alone: say where the learner is "
                "(learner_backend), or leave it in PyTorch"
            )
        self._learner = open_learner(where, self._learner_hardware, transport=self._learner_transport)
        return self._learner

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
        """Gradient steps where they are taken now, the cycles that the device took for their batches, comparisons; of
        actors those that were started again, and experiences dropped with them."""
        cycles = {name: count for name, count in self._tally.items() if hasattr(self._counter(name), "cycles")}
        counts: dict[str, Any] = {"gradient_steps": self._tally["gradient_steps"], **cycles, **self._loop.counters()}
        for name, comparison in self._comparisons().items():
            counts |= {f"{name}_{what}": count for what, count in comparison.counts().items()}
        return counts

    def _count(self, name: str) -> None:
        """Add the cycles of what was just done, where there are any."""
        self._tally[name] += getattr(self._counter(name), "cycles", 0)
        self._tally["gradient_steps"] += name == "step_cycles"

    def _hardware(self) -> dict[str, Any]:
        """Parts that may be a device, by name."""
        return {"replay": self._sum_tree, "learner": self._learner}

    def _counter(self, name: str) -> Any:
        """Names of the devices whose cycles those are."""
        if name == "gradient_steps":
            return None
        return self._hardware()["learner" if name == "step_cycles" else "replay"]

    def _comparisons(self) -> dict[str, Comparison]:
        """RTL beside its reference, by name."""
        return {name: part for name, part in self._hardware().items() if isinstance(part, Comparison)}

    def _own_state(self) -> dict[str, Any]:
        chosen = self._learner_hardware
        return {
            "exploration": self._exploration.bit_generator.state,
            "tally": self._tally,
            "comparisons": {name: part.comparisons() for name, part in self._comparisons().items()},
            "loop": self._loop.state(),
            "actors": self.actors,
            "environments": self.environments,
            "actors_on": self.actors_on,
            "learner": None if chosen is None else dataclasses.asdict(chosen),
            "learner_backend": self.learner_backend,
            "modules": list(self.modules),
        }

    def _parts(self) -> dict[str, Any]:
        return {"replay": self.replay_buffer, "environment": self._loop.part()}

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        self._exploration.bit_generator.state = about["exploration"]
        self._loop.restore(about["loop"])
        if self._is_on_same(about):
            self._tally |= about["tally"]
            for name, part in self._comparisons().items():
                part.restore_comparisons(about["comparisons"][name])

    def _is_on_same(self, about: dict[str, Any]) -> bool:
        """Whether a checkpoint is of a run on the same backends, whose counts go on."""
        return about["backend"] == self.backend and about["learner_backend"] == self.learner_backend

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
            Path of the checkpoint.
        env
            ``None``: by the identifier in the checkpoint.
        backend
            ``None``: the one it was trained with. Each reads the checkpoints of all.
        hardware
            ``None``: the configuration in the checkpoint. Another one is refused.
        **changes
            ``actors_on`` and ``learner_backend``, where they are other than in the checkpoint; links of
            one's own. Modules like those that the agent was made with, if these are none that every backend computes:
            a checkpoint has their weights alone.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another configuration or environment.
        ValueError
            A change of what changes the bits.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        env = environment_of(path, about, env)
        with settings_of(path):
            config = cls.configuration.from_mapping(about["config"])
            chosen = resolve_hardware(about["hardware"], "pearl")
            if about["learner"] is not None:
                resolve_hardware(about["learner"], cls.configuration.learner_system)
        if hardware is not None:
            chosen = resolve_hardware(hardware, "pearl")
        require_configuration(path, about, chosen)
        modules = _modules_of(path, about, changes)
        if fixed := sorted(changes.keys() - {*CHANGES, *LINKS}):
            raise ValueError(f"{path}: only {' and '.join(CHANGES)} may be another, not {', '.join(fixed)}")
        settings = {name: about[name] for name in SETTINGS}
        # A backend that is told is that of both.
        settings |= ({} if backend is None else {"learner_backend": None}) | changes
        where = backend_of(path, about, backend)
        if backend is None and "learner_backend" not in changes and settings["learner_backend"] is not None:
            backend_of(path, {"backend": settings["learner_backend"]})
        with contextlib.ExitStack() as opened:
            agent = cls(env, config, hardware=chosen, backend=where, **settings, **modules)
            opened.callback(agent.close)
            try:
                agent._restore(path, arrays, about)
            except ModuleStateError as error:
                raise CheckpointError(f"{path}: {error}") from None
            opened.pop_all()
        return agent

    def close(self) -> None:
        """Ends the actors, and lets go of the devices."""
        self._loop.close()
        self.replay_buffer.close()
        self.learner.close()


def _modules_of(path: Path | str, about: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Modules that an agent was made with, taken out of ``changes``."""
    names = about.get("modules", [])
    if not isinstance(names, list) or not all(isinstance(name, str) and name in MODULES for name in names):
        raise CheckpointError(f"{path}: modules must be some of {', '.join(MODULES)}, not {names!r}")
    if missing := [name for name in names if changes.get(name) is None]:
        raise CheckpointError(
            f"{path} has the weights of modules of the user's own alone: in Python, give ones like them to load "
            f"({', '.join(f'{name}=...' for name in missing)})"
        )
    return {name: changes.pop(name) for name in names}
