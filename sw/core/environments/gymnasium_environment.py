"""Gymnasium environments whose state can be saved and restored."""

from copy import deepcopy
from typing import Any

import gymnasium
from gymnasium.envs.classic_control.acrobot import AcrobotEnv
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.envs.classic_control.mountain_car import MountainCarEnv

from .arcade import register_games

__all__ = ["AtariEnvironment", "ClassicControlEnvironment"]

# State that an environment keeps of an episode, besides its generator, which only reset uses.
KEPT = {CartPoleEnv: ("state", "steps_beyond_terminated"), AcrobotEnv: ("state",), MountainCarEnv: ("state",)}


class _GymnasiumEnvironment:
    """Base of both kinds; wrappers, and with them time limits, are left out.

    Parameters
    ----------
    env : gymnasium.Env
        Made by its registered name, so that another process can make the same.

    Raises
    ------
    ValueError
        Its actions are no :class:`gymnasium.spaces.Discrete` from 0, or it has no registered name.
    """

    players = 1

    def __init__(self, env: gymnasium.Env):
        space = env.action_space
        if not isinstance(space, gymnasium.spaces.Discrete) or space.start != 0:
            raise ValueError(f"The action space must be Discrete from 0, not {space}")
        if env.spec is None:
            raise ValueError(f"Environment {env} must have been made by gymnasium.make")
        self.env: Any = env.unwrapped
        self.name, self.actions = env.spec.id, int(space.n)
        self._specification = env.spec

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_again, (type(self), self._specification)

    @staticmethod
    def prepare() -> None:
        """Do what has to precede the first environment."""

    def reset(self, seed: int) -> None:
        """Begin an episode."""
        self.env.reset(seed=seed)

    def step(self, action: int) -> tuple[float, bool]:
        """Take an action: reward, and whether the episode has ended or was cut off by the environment itself."""
        _, reward, terminated, truncated, _ = self.env.step(action)
        return float(reward), bool(terminated or truncated)

    def legal_actions(self) -> int:
        """All of them."""
        return (1 << self.actions) - 1

    def player(self) -> int:
        """The only one."""
        return 0


def _make_again(kind: Any, specification: Any) -> Any:
    kind.prepare()
    return kind(gymnasium.make(specification))


class ClassicControlEnvironment(_GymnasiumEnvironment):
    """CartPole, Acrobot or MountainCar as a :class:`.state_environment.StateEnvironment`.

    Parameters
    ----------
    env : gymnasium.Env

    Raises
    ------
    ValueError
        It is none of them; its actions are not discrete; Acrobot with noise, which is no part of its state.
    """

    def __init__(self, env: gymnasium.Env):
        if type(env.unwrapped) not in KEPT:
            raise ValueError(f"Environment {env} must be one of {', '.join(kind.__name__ for kind in KEPT)}")
        super().__init__(env)
        if getattr(self.env, "torque_noise_max", 0):
            raise ValueError(f"Torque noise of {self.name} must be 0, not {self.env.torque_noise_max}")
        self._kept = KEPT[type(self.env)]

    def save(self) -> tuple[Any, ...]:
        """Position and velocity, and how long the pole has lain."""
        return tuple(deepcopy(getattr(self.env, name)) for name in self._kept)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go back to a saved state."""
        for name, value in zip(self._kept, state, strict=True):
            setattr(self.env, name, deepcopy(value))


class AtariEnvironment(_GymnasiumEnvironment):
    """A game of the Arcade Learning Environment as a :class:`.state_environment.StateEnvironment`.

    The emulator's generator is part of the state. So the sticky actions of the ``v5`` games are known to a search
    that restores the state it plans for: it plans on the game as it will go on, as searches on this emulator do.

    Parameters
    ----------
    env : gymnasium.Env
        Made as ``gymnasium.make("ALE/Pong-v5", obs_type="ram")``; observations of the screen only cost time.

    Raises
    ------
    ValueError
        No game of the ALE; its actions are not discrete; a frame skip drawn at random, from a generator that is no
        part of the state.
    """

    def __init__(self, env: gymnasium.Env):
        if not hasattr(env.unwrapped, "ale"):
            raise ValueError(f"Environment {env} must be a game of the Arcade Learning Environment")
        super().__init__(env)
        frame_skip = self._specification.kwargs.get("frameskip", 4)
        if not isinstance(frame_skip, int):
            raise ValueError(f"Frame skip of {self.name} must be a number, not {frame_skip}")

    @staticmethod
    def prepare() -> None:
        """Make the games known, and the emulator silent; where ale-py is missing, a ValueError."""
        register_games()

    def save(self) -> Any:
        """The emulator's state with its generator."""
        return self.env.ale.cloneState(include_rng=True)

    def restore(self, state: Any) -> None:
        """Go back to a saved state."""
        self.env.ale.restoreState(state)
