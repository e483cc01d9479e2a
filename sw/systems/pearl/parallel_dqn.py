"""DQN whose experience is gathered by actors in processes."""

from typing import ClassVar

from .dqn import DQN
from .parallel_agent import ParallelAgent

__all__ = ["ParallelDQN"]

# Multiplications of a batch on its way through a network; with fewer, handing it to a thread takes longer than it does.
LEAST_WORK = 1 << 20


class ParallelDQN(ParallelAgent, DQN):
    """The same algorithm, learner and replay as :class:`.DQN`; parameters and errors are those of `ParallelAgent`.

    The target network is copied behind the round in which its time comes.
    """

    name = "parallel-dqn"
    SETTINGS: ClassVar[tuple[str, ...]] = ParallelAgent.SETTINGS + DQN.SETTINGS

    def _overlaps(self) -> bool:
        work = self.config.batch_size * sum(array.size for array in self.learner.weights())
        return super()._overlaps() or work >= LEAST_WORK

    def _end_round(self, first: int) -> None:
        interval = self.config.target_update_interval
        if self.num_timesteps // interval > first // interval:
            self.learner.update_target()
