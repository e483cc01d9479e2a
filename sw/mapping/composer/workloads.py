"""Sizes of the networks that a composition is of: by algorithm, and by environment."""

__all__ = ["HIDDEN_SIZES", "environment_sizes"]

# By the source's table 4.2; SAC's are those of Stable-Baselines3.
HIDDEN_SIZES = {"dqn": (64, 64), "ddpg": (256, 128), "sac": (256, 256)}


def environment_sizes(name: str, discrete: bool) -> tuple[int, int]:
    """Elements of an observation; actions to choose from, or elements of an action.

    Raises
    ------
    ValueError
        No such environment, or one with spaces of other kinds.
    """
    import gymnasium

    from ...core.environments.make_environment import make_environment

    environment = make_environment(name)
    observations, actions = environment.observation_space, environment.action_space
    environment.close()
    if not isinstance(observations, gymnasium.spaces.Box) or len(observations.shape) != 1:
        raise ValueError(f"The observation space must be a vector, not {observations}")
    if discrete:
        if not isinstance(actions, gymnasium.spaces.Discrete):
            raise ValueError(f"The action space must be Discrete, not {actions}")
        return observations.shape[0], int(actions.n)
    if not isinstance(actions, gymnasium.spaces.Box) or len(actions.shape) != 1:
        raise ValueError(f"The action space must be a vector, not {actions}")
    return observations.shape[0], actions.shape[0]
