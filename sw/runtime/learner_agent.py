"""What agents share whose learner may be in hardware, too."""

import dataclasses
from typing import Any, ClassVar

import gymnasium

from ...hw.soc.pearl.learner_config import PearlLearnerConfig
from ..agents.environment import identifier_of
from ..agents.hardware import resolve_hardware
from ..device.learner_backends import DeviceLearner, LearnerBackend, ReferenceLearner, open_learner
from .lockstep_learner import LockstepLearner
from .replay_agent import ReplayAgent
from .replay_parameters import ReplayParameters

__all__ = ["LearnerAgent"]


class LearnerAgent(ReplayAgent):
    """Base of agents whose gradient steps are taken in PyTorch, or by a learner that is where ``backend`` says.

    Parameters
    ----------
    env
        As of :class:`.ReplayAgent`.
    config
        Hyper-parameters; ``None``: those that suit the environment and the learner.
    learner
        The learner in hardware: its configuration, the name of a preset, or a YAML file's path; ``None``: PyTorch.
    **settings
        Of :class:`.ReplayAgent`.

    Raises
    ------
    ValueError
        An environment or a backend that there is not; hyper-parameters that the learner does not have.
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ("learner",)

    def __init__(
        self, env: gymnasium.Env | str, config: ReplayParameters | None = None, *, learner: Any = None, **settings: Any
    ):
        if config is None:
            config = self.configuration.from_mapping(self.configuration.suited_to(identifier_of(env), learner))
        self._learner: LearnerBackend | None = None
        self._learner_hardware: Any = None
        if learner is not None:
            self._learner_hardware = resolve_hardware(learner, self.configuration.learner_system)
        super().__init__(env, config, **settings)

    def _open_learner(self, hardware: PearlLearnerConfig) -> LearnerBackend:
        """Where the backend says."""
        if self.backend.startswith("uart:"):
            raise ValueError("A board has the replay manager alone: leave the learner in PyTorch")
        lockstep = self.backend == "lockstep"
        self._learner = (
            LockstepLearner(ReferenceLearner(hardware), DeviceLearner(hardware))
            if lockstep
            else open_learner(self.backend, hardware)
        )
        return self._learner

    def _hardware(self) -> dict[str, Any]:
        return super()._hardware() | {"learner": self._learner}

    def _own_state(self) -> dict[str, Any]:
        chosen = self._learner_hardware
        return super()._own_state() | {"learner": None if chosen is None else dataclasses.asdict(chosen)}
