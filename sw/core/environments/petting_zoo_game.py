"""Board games of PettingZoo."""

import ast
import pickle
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pettingzoo
from pettingzoo.env_registry.exceptions import FailedToImport, PettingZooRegistryError

from .board_environment import Symmetry
from .board_symmetries import board_symmetries

__all__ = ["PETTING_ZOO", "PettingZooGame"]

# Prefix of their names.
PETTING_ZOO = "pettingzoo:"
# Its classic games in which two players take turns and see everything.
GAMES = ("chess", "connect_four", "go", "tictactoe")
# Attributes that stay as they are, and take long to copy.
CONSTANT = {"action_spaces", "observation_spaces"}


class PettingZooGame:
    """A board game of PettingZoo as a :class:`.board_environment.BoardEnvironment`.

    The planes are those of the environment's observation, channels first, and one more plane: ones where it is the turn
    of player 0, the first of its agents. The board of chess has no symmetries.

    A state is what the environment is made of besides its spaces, pickled, which is much faster than a deep copy and
    than playing its moves again.

    Parameters
    ----------
    name : str
        ``"pettingzoo:"``, the identifier of ``chess``, ``connect_four``, ``go`` or ``tictactoe`` in its current
        version, and arguments if there are any: ``"pettingzoo:go_v5(board_size=9)"``.

    Members
    -------
    env : pettingzoo.AECEnv
        Without wrappers.

    Raises
    ------
    ValueError
        There is no such game, one of its packages is missing, it has no such arguments, or a second size of Go's board
        in one process: PettingZoo keeps it in variables of a module. From :meth:`step`: the action is not legal here.
    """

    players = 2
    _go_size: ClassVar[int | None] = None

    def __init__(self, name: str):
        self.name = name
        identifier, options = _parse(name)
        size = options.get("board_size", 19) if _game(identifier) == "go" else None
        if None not in (size, self._go_size) and size != self._go_size:
            raise ValueError(
                f"PettingZoo has Go's board size in variables of a module: it must stay {self._go_size} in this "
                f"process, not become {size}"
            )
        self.env = _make(name, identifier, options)
        type(self)._go_size = size or self._go_size
        agent = self.env.possible_agents[0]
        rows, columns, channels = self.env.observation_space(agent)["observation"].shape
        self.actions = int(self.env.action_space(agent).n)
        self.observation_shape = channels + 1, rows, columns
        self.symmetries = _symmetries(_game(identifier), rows, columns, self.actions)
        self.reset()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    def reset(self, seed: int = 0) -> None:
        """Begin a game."""
        self.env.reset(seed=seed)

    def save(self) -> bytes:
        """The environment's state as bytes."""
        return pickle.dumps({name: value for name, value in vars(self.env).items() if name not in CONSTANT})

    def restore(self, state: bytes) -> None:
        """Go back to a saved state."""
        vars(self.env).update(pickle.loads(state))

    def player(self) -> int:
        """The player to move; after the end, the one whose turn it would be."""
        return self.env.possible_agents.index(self.env.agent_selection)

    def legal_actions(self) -> int:
        """Legal actions by the action mask; 0 after the end."""
        if self._ended():
            return 0
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return int.from_bytes(np.packbits(mask.astype(bool), bitorder="little").tobytes(), "little")

    def observation(self) -> np.ndarray:
        """The environment's planes, and whose turn it is."""
        planes = np.empty(self.observation_shape, np.float32)
        planes[:-1] = np.moveaxis(self.env.observe(self.env.agent_selection)["observation"], -1, 0)
        planes[-1] = self.player() == 0
        return planes

    def step(self, action: int) -> tuple[float, bool]:
        """Move: what the player won or lost by it, and whether the game has ended."""
        if not self.legal_actions() >> action & 1:
            raise ValueError(f"Action {action} is not legal in {self.name} in this position")
        agent = self.env.agent_selection
        self.env.step(action)
        return float(self.env.rewards[agent]), self._ended()

    def _ended(self) -> bool:
        return any(self.env.terminations.values()) or any(self.env.truncations.values())


def _parse(name: str) -> tuple[str, dict[str, Any]]:
    """Identifier and arguments."""
    text = name.removeprefix(PETTING_ZOO)
    try:
        found: Any = ast.parse(text, mode="eval").body
        options = {}
        if isinstance(found, ast.Call) and not found.args:
            options = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in found.keywords}
            found = found.func
        if name.startswith(PETTING_ZOO) and isinstance(found, ast.Name):
            return found.id, options
    except (SyntaxError, ValueError):
        pass
    raise ValueError(f"Name of a game of PettingZoo must have the form 'pettingzoo:go_v5(board_size=9)', not {name!r}")


def _game(identifier: str) -> str:
    """Without its version."""
    return identifier.rpartition("_v")[0]


def _make(name: str, identifier: str, options: dict[str, Any]) -> Any:
    if _game(identifier) not in GAMES:
        raise ValueError(
            f"Game {name} cannot be searched: of PettingZoo's classic games {', '.join(GAMES)} can, "
            "in which two players take turns and see everything"
        )
    try:
        env = pettingzoo.make("aec", f"classic/{identifier}", **options).unwrapped
    except FailedToImport as error:
        raise ValueError(f"Game {name} cannot be made: {error.__cause__}; pip install 'pettingzoo[classic]'") from error
    except (PettingZooRegistryError, TypeError, ValueError) as error:
        raise ValueError(f"Game {name} cannot be made: {error}") from error
    return env


def _symmetries(game: str, rows: int, columns: int, actions: int) -> Sequence[Symmetry]:
    if game == "chess":
        return [(np.arange(rows * columns), np.arange(actions))]
    if game == "connect_four":
        return board_symmetries(rows, columns, gravity=True)
    return board_symmetries(rows, columns, passes=actions - rows * columns)
