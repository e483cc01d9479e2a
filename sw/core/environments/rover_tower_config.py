"""Configuration of Rover-Tower tasks. Pure data."""

from dataclasses import dataclass

__all__ = ["REWARDS", "ROVER_TOWER", "RoverTowerConfig"]

# Its name as an environment.
ROVER_TOWER = "rover-tower"
REWARDS = ("pair", "shared")


@dataclass(frozen=True, kw_only=True)
class RoverTowerConfig:
    """Rovers that do not see where they have to go, and towers that see it and send them messages.

    Parameters
    ----------
    agents
        Rovers and towers together: half of them are rovers.
    goals
        Places of which a rover's goal is one; rovers may have the same.
    messages
        Messages that a tower chooses from.
    steps
        Time steps after which an episode is cut off.
    reward
        ``"pair"``: a rover and its tower are paid for their own distance; ``"shared"``: everybody is paid the sum over
        the pairs.
    own_state
        Whether a rover observes its own position and velocity.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range, or an odd number of agents.
    """

    agents: int = 8
    goals: int = 6
    messages: int = 5
    steps: int = 25
    reward: str = "pair"
    own_state: bool = True

    def __post_init__(self) -> None:
        for name, least in (("agents", 2), ("goals", 1), ("messages", 2), ("steps", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
            if value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}")
        if self.agents % 2:
            raise ValueError(f"agents must be even, half rovers and half towers, not {self.agents}")
        if not isinstance(self.reward, str):
            raise TypeError(f"reward must be a string, not {self.reward!r}")
        if self.reward not in REWARDS:
            raise ValueError(f"reward must be {' or '.join(REWARDS)}, not {self.reward!r}")
        if not isinstance(self.own_state, bool):
            raise TypeError(f"own_state must be True or False, not {self.own_state!r}")

    @property
    def pairs(self) -> int:
        """Rovers, and towers."""
        return self.agents // 2

    @property
    def rover_size(self) -> int:
        """Elements of a rover's observation: number of its tower one-hot, message one-hot, position, velocity."""
        return self.pairs + self.messages + (4 if self.own_state else 0)

    @property
    def tower_size(self) -> int:
        """Elements of a tower's observation: number of its rover one-hot, positions of the rover and of its goal."""
        return self.pairs + 4
