"""An environment whose episodes end, or are cut off."""

from tests.sw.algorithms.counting import Counting

__all__ = ["Cut"]


class Cut(Counting):
    """Cuts episodes off after 10 steps, those that have not ended by then."""

    LIMIT = 10

    def step(self, action):
        observation, reward, terminated, _, about = super().step(action)
        return observation, reward, terminated, self.taken == self.LIMIT, about
