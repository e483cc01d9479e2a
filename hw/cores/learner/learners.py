"""Parts of each kind of learner."""

from dataclasses import dataclass

from amaranth.lib import wiring

from .ddpg_learner import DDPGLearner
from .dqn_learner import DQNLearner
from .experience_results import ExperienceResults
from .experience_splitter import ExperienceSplitter
from .learner_base_config import LearnerConfig
from .learner_config import DDPGLearnerConfig, DQNLearnerConfig
from .maac_learner import MAACLearner
from .maac_learner_config import MAACLearnerConfig
from .sac_learner import SACLearner
from .sac_learner_config import SACLearnerConfig
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
        The learner's stream of what comes of samples, or that of the collector.
    collector : type, optional
        The learner's streams of what comes of samples, which have the names of its own, to one stream.
    """

    learner: type[wiring.Component]
    splitter: type[wiring.Component]
    results: str
    collector: type[wiring.Component] | None = None


# By the configuration.
LEARNERS: dict[type[LearnerConfig], LearnerParts] = {
    DQNLearnerConfig: LearnerParts(DQNLearner, SampleSplitter, "priorities"),
    DDPGLearnerConfig: LearnerParts(DDPGLearner, SampleSplitter, "priorities"),
    MAACLearnerConfig: LearnerParts(MAACLearner, ExperienceSplitter, "rows", ExperienceResults),
    SACLearnerConfig: LearnerParts(SACLearner, SampleSplitter, "priorities"),
}
