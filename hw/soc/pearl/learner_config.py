"""The base of the configurations of PEARL's learners. No Amaranth here."""

from abc import abstractmethod
from dataclasses import dataclass

from ...cores.layer.config import NetworkConfig
from ...cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from ...cores.learner.sac_learner_config import SACLearnerConfig
from ...cores.optimizer.float_lane_config import FLOAT_OPTIMIZERS
from ..learner.config import LearnerSystemConfig
from ..learner.rows import perceptron_rows
from ..shell.row_record import RowRecord

__all__ = ["PearlLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlLearnerConfig(LearnerSystemConfig):
    """The base of the configurations of PEARL's learners as devices.

    Parameters
    ----------
    optimizer : str
        ``"adam"`` or ``"sgd"``.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).

    The others are those of :class:`.LearnerSystemConfig`, as are the errors.
    """

    optimizer: str = "adam"
    update_interval: int = 2

    @property
    @abstractmethod
    def learner(self) -> DQNLearnerConfig | DDPGLearnerConfig | SACLearnerConfig:
        """The learner alone."""

    @property
    def rows(self) -> tuple[RowRecord, ...]:
        """Rows of the streams."""
        return perceptron_rows(self.learner)

    @property
    def networks(self) -> dict[str, NetworkConfig]:
        """Networks that are trained, by name; a single one has an empty name."""
        return self.learner.networks

    @property
    def observations(self) -> int:
        """Elements of an observation."""
        return self.learner.observations

    @property
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own."""
        return self.learner.action_rows

    @property
    def sample_rows(self) -> int:
        """Rows of the stream that a sample takes."""
        return self.learner.sample_rows

    @property
    def rates(self) -> tuple[str, ...]:
        """Rates that a step of an optimiser takes, by name."""
        return FLOAT_OPTIMIZERS[self.optimizer].rates
