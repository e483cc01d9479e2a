"""Configurations of the agents' memories. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_kind
from .config import A3CConfig

__all__ = ["AgentBanksConfig", "AgentMemoriesConfig"]

LARGEST_USERS = 64


@dataclass(frozen=True, kw_only=True)
class AgentBanksConfig:
    """A memory of one kind for each agent.

    Parameters
    ----------
    agents : int
        Memories (1 to 64).
    depth : int
        Rows of each.
    readers, writers : int
        Users of the read ports and of the write ports (1 to 64).
    broadcast : bool
        Whether writers may write to all memories at once.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    agents: int
    depth: int
    readers: int = 1
    writers: int = 1
    broadcast: bool = False

    def __post_init__(self):
        require_integer("Agents", self.agents, 1, 64)
        require_integer("Depth", self.depth, 1, 1 << 24)
        require_integer("Readers", self.readers, 1, LARGEST_USERS)
        require_integer("Writers", self.writers, 1, LARGEST_USERS)
        require_kind("Broadcast", self.broadcast, bool)


@dataclass(frozen=True, kw_only=True)
class AgentMemoriesConfig:
    """All memories of all agents, and how many users each kind of port has (1 to 64).

    Parameters
    ----------
    a3c : A3CConfig
    parameter_readers, parameter_writers : int
    activation_readers, activation_writers : int
    sign_readers, sign_writers : int
    error_readers, error_writers : int

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    a3c: A3CConfig
    parameter_readers: int = 1
    parameter_writers: int = 1
    activation_readers: int = 1
    activation_writers: int = 1
    sign_readers: int = 1
    sign_writers: int = 1
    error_readers: int = 1
    error_writers: int = 1

    def __post_init__(self):
        require_kind("A3C", self.a3c, A3CConfig)
        _ = self.banks

    @property
    def banks(self) -> dict[str, AgentBanksConfig]:
        """The configuration of each kind of memory, by its name."""
        a3c = self.a3c
        depths = {
            "parameters": a3c.words,
            "activations": a3c.slots * a3c.activation_rows,
            "signs": a3c.slots * a3c.activation_rows,
            "errors": a3c.steps * a3c.error_rows,
        }
        return {
            name: AgentBanksConfig(
                agents=a3c.agents,
                depth=depth,
                readers=getattr(self, f"{name[:-1]}_readers"),
                writers=getattr(self, f"{name[:-1]}_writers"),
                broadcast=name == "parameters",
            )
            for name, depth in depths.items()
        }
