"""A game of the Arcade Learning Environment that is loaded once, however often it is reset with a seed."""

import struct

import numpy as np
from ale_py import ALEState
from ale_py.env import AtariEnv

__all__ = ["ArcadeGame"]

# Bytes of a serialised state in front of the emulator's: paddles, frames, mode, difficulty, and how many follow.
HEADER = 28


class ArcadeGame(AtariEnv):
    """ale-py's environment, bit for bit, whose reset with a seed takes as long as one without.

    The emulator seeds the generator of its sticky actions when it loads a game, and at no other time, so ale-py loads
    the game again for each reset with a seed. Here the state after the first loading is restored, with the generator
    of the new seed in it. The reset then goes on as ale-py's does.

    Everything else of that state must be the same for each seed, and the emulator must write it as ale-py's wheels for
    Linux do; the first loading shows both. Otherwise the game is loaded each time, as it is where sounds are observed,
    which are no part of a state. Settings of the emulator are those of the first loading.

    Parameters
    ----------
    game, ...
        As of ``ale_py.env.AtariEnv``.

    Source: M. C. Machado et al., "Revisiting the Arcade Learning Environment: Evaluation Protocols and Open Problems
    for General Agents", 2018 (sticky actions).
    """

    # The state after the first loading, and those of its bytes that precede the generator's.
    _loaded: tuple[ALEState, bytes] | None = None

    def load_game(self) -> None:
        """Come to the state after the loading of the game, with the seed that is set."""
        seed = self.ale.getInt("random_seed")
        if self._loaded is not None:
            self.ale.restoreState(_with_generator(*self._loaded, seed))
            return
        super().load_game()
        state = self.ale.cloneState(include_rng=True)
        # The number of the generator's bytes precedes it.
        head = state.serialize().partition(_generator(seed))[0][HEADER:-4]
        if not self.sound_obs and _with_generator(state, head, seed) == state:
            self._loaded = state, head


def _with_generator(state: ALEState, head: bytes, seed: int) -> ALEState:
    """The state with the generator of a seed in place of its own."""
    generator = _generator(seed)
    return ALEState(state, head + struct.pack("<i", len(generator)) + generator)


def _generator(seed: int) -> bytes:
    """A Mersenne twister of this seed as C++'s library writes it: words and position in decimal."""
    state = np.random.RandomState(seed & 0xFFFFFFFF).get_state(legacy=False)["state"]
    return " ".join(map(str, [*state["key"].tolist(), state["pos"]])).encode()
