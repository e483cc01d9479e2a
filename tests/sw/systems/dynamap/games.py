"""A game that is over soon, for tests."""

import gymnasium

from rewardware.sw.core.environments.arcade import register_games

SHORT = "Short/Breakout-v0"
# Frames of the emulator, those of an action and of the beginning included.
MOST_FRAMES = 220


def register_short_game():
    register_games()
    game = {"game": "breakout", "repeat_action_probability": 0.25, "max_num_frames_per_episode": MOST_FRAMES}
    entry_point = "rewardware.sw.core.environments.arcade_game:ArcadeGame"
    if SHORT not in gymnasium.registry:
        gymnasium.register(SHORT, entry_point, kwargs=game)


register_short_game()
