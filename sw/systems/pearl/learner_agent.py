"""What agents share whose learner may be in hardware, too."""

import dataclasses
from typing import Any, ClassVar

import gymnasium

from ....hw.soc.pearl.learner_config import PearlLearnerConfig
from ...algorithms.replay_parameters import ReplayParameters
from ...core.backends import parse_backend
from ...core.environments.environment import identifier_of
from ...core.hardware import resolve_hardware
from .learner_backends import LearnerBackend, open_learner
from .replay_agent import ReplayAgent

__all__ = ["LearnerAgent"]


class LearnerAgent(ReplayAgent):
    """Base of agents whose gradient steps are taken in PyTorch, or by a learner in hardware or its reference.

    Parameters
    ----------
    env
        As of :class:`.ReplayAgent`.
    config
        Hyper-parameters; ``None``: those that suit the environment and the learner.
    learner
        The learner in hardware: its configuration, the name of a preset, or a YAML file's path; ``None``: PyTorch.
    learner_backend
        Where it is, in the words of ``backend``; ``None``: where the replay manager is, which cannot be a board, for
        that has one of the two.
    **settings
        Of :class:`.ReplayAgent`.

    Raises
    ------
    ValueError
        An environment or a backend that there is not; hyper-parameters that the learner does not have; where a
        learner is that there is none of.
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ("learner", "learner_backend")

    def __init__(
        self,
        env: gymnasium.Env | str,
        config: ReplayParameters | None = None,
        *,
        learner: Any = None,
        learner_backend: str | None = None,
        **settings: Any,
    ):
        if learner_backend is not None:
            parse_backend(learner_backend)
            if learner is None:
                raise ValueError(f"Gradient steps are in PyTorch: there is no learner to be on {learner_backend}")
        if config is None:
            config = self.configuration.from_mapping(self.configuration.suited_to(identifier_of(env), learner))
        self.learner_backend = learner_backend
        self._learner: LearnerBackend | None = None
        self._learner_hardware: Any = None
        if learner is not None:
            self._learner_hardware = resolve_hardware(learner, self.configuration.learner_system)
        super().__init__(env, config, **settings)

    def _open_learner(self, hardware: PearlLearnerConfig) -> LearnerBackend:
        """Where it is said to be."""
        where = self.learner_backend or self.backend
        if where.startswith("uart:") and self.learner_backend is None:
            raise ValueError(
                f"The board at {where.removeprefix('uart:')} has the replay manager alone: say where the learner is "
                "(learner_backend), or leave it in PyTorch"
            )
        self._learner = open_learner(where, hardware)
        return self._learner

    def _hardware(self) -> dict[str, Any]:
        return super()._hardware() | {"learner": self._learner}

    def _own_state(self) -> dict[str, Any]:
        chosen = self._learner_hardware
        own = {"learner": None if chosen is None else dataclasses.asdict(chosen)}
        return super()._own_state() | own | {"learner_backend": self.learner_backend}

    @classmethod
    def _settings_of(cls, about: dict[str, Any], backend: str | None) -> dict[str, Any]:
        own = super()._settings_of(about, backend)
        # A backend that is told is that of both.
        return own if backend is None else own | {"learner_backend": None}

    def _is_on_same(self, about: dict[str, Any]) -> bool:
        return super()._is_on_same(about) and about["learner_backend"] == self.learner_backend
