"""What each kind of learner is made of."""

from dataclasses import dataclass

from amaranth.lib import wiring

from .ddpg_learner import DDPGLearner
from .dqn_learner import DQNLearner
from .learner_base_config import LearnerConfig
from .learner_config import DDPGLearnerConfig, DQNLearnerConfig
from .sample_splitter import SampleSplitter

__all__ = ["LEARNERS", "LearnerParts"]


@dataclass(frozen=True)
class LearnerParts:
    """The components of a learner behind its engine; each is made of the learner's configuration.

    Parameters
    ----------
    learner : type
        Has ``commands``, ``completions``, ``batch``, ``parameters_in``, ``parameters_out``, ``errors``.
    splitter : type
        Rows of samples to the learner's streams, which have the names of its own.
    results : str
        The learner's stream of what comes of samples.
    """

    learner: type[wiring.Component]
    splitter: type[wiring.Component]
    results: str


# By the configuration.
LEARNERS: dict[type[LearnerConfig], LearnerParts] = {
    DQNLearnerConfig: LearnerParts(DQNLearner, SampleSplitter, "priorities"),
    DDPGLearnerConfig: LearnerParts(DDPGLearner, SampleSplitter, "priorities"),
}
