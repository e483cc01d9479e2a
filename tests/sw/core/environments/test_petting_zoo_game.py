"""Board games of PettingZoo, beside PettingZoo itself and beside this project's games of the same rules."""

import sys

import numpy as np
import pettingzoo
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.core.environments.make_state_environment import board_environment
from rewardware.sw.core.environments.petting_zoo_game import PettingZooGame

from .boards import legal_list, play_mirrored, play_together

# One size of Go's board in all tests, as a process has no other.
GO = "go_v5(board_size=5)"


@pytest.mark.parametrize(
    ("name", "identifier", "options"),
    [("tictactoe_v3",) * 2 + ({},), ("connect_four_v3",) * 2 + ({},), (GO, "go_v5", {"board_size": 5})],
)
def test_games_are_those_of_pettingzoo(name, identifier, options):
    game, random = board_environment(f"pettingzoo:{name}"), np.random.default_rng(4)
    env = pettingzoo.make("aec", f"classic/{identifier}", **options)
    for _ in range(3):
        game.reset(0), env.reset(0)
        total, ended = dict.fromkeys(env.possible_agents, 0.0), False
        while not ended:
            agent, player = env.agent_selection, game.player()
            shown, _, over, _, _ = env.last()
            assert not over and env.possible_agents[player] == agent
            assert legal_list(game) == np.flatnonzero(shown["action_mask"]).tolist()
            planes = game.observation()
            assert planes.dtype == np.float32 and planes.shape == game.observation_shape
            assert np.array_equal(planes[:-1].transpose(1, 2, 0), shown["observation"])
            assert (planes[-1] == (player == 0)).all()
            action = int(random.choice(legal_list(game)))
            env.step(action)
            reward, ended = game.step(action)
            total[agent] += reward
            total[env.possible_agents[1 - player]] -= reward
            assert ended == all(env.terminations.values())
        assert total == {agent: float(env.rewards[agent]) for agent in total}
        assert game.legal_actions() == 0 and game.player() == 1 - player


@pytest.mark.parametrize(("own", "theirs"), [("tic-tac-toe", "tictactoe_v3"), ("connect-four", "connect_four_v3")])
def test_games_of_the_same_rules_are_the_same(own, theirs):
    play_together(BoardGame(own), board_environment(f"pettingzoo:{theirs}"), games=20)


@pytest.mark.parametrize(("name", "symmetries"), [("tictactoe_v3", 8), ("connect_four_v3", 2), (GO, 8)])
def test_rules_are_the_same_when_the_board_is_turned_or_mirrored(name, symmetries):
    game = board_environment(f"pettingzoo:{name}")
    assert len(game.symmetries) == symmetries
    play_mirrored(game, PettingZooGame(game.name), games=2)


def test_an_observation_of_the_planner_is_its_own():
    game = board_environment("pettingzoo:connect_four_v3")
    state, before = game.save(), game.observation()
    kept = before.copy()
    game.step(3)
    assert np.array_equal(before, kept) and not np.array_equal(game.observation(), kept)
    game.restore(state)
    assert np.array_equal(game.observation(), kept)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leduc_holdem_v4", "of PettingZoo's classic games chess, connect_four, go, tictactoe can"),
        ("connect_four", "of PettingZoo's classic games"),
        ("connect_four_v2", "Game pettingzoo:connect_four_v2 cannot be made: Environment version v2 .* not found"),
        ("connect_four_v3(rows=5)", "cannot be made: .* unexpected keyword argument 'rows'"),
        ("go_v5(5)", r"must have the form 'pettingzoo:go_v5\(board_size=9\)', not 'pettingzoo:go_v5\(5\)'"),
        ("go_v5(board_size=", "must have the form"),
        ("go_v5(board_size=x)", "must have the form"),
        ("", "must have the form .* not 'pettingzoo:'"),
    ],
)
def test_other_games_are_refused(name, words):
    with pytest.raises(ValueError, match=words):
        board_environment(f"pettingzoo:{name}")


def test_a_second_size_of_go_is_refused():
    board_environment(f"pettingzoo:{GO}")
    with pytest.raises(ValueError, match="it must stay 5 in this process, not become 19"):
        board_environment("pettingzoo:go_v5")
    board_environment(f"pettingzoo:{GO}")


def test_it_says_how_the_package_of_chess_is_installed(monkeypatch):
    monkeypatch.delitem(sys.modules, "pettingzoo.classic.chess.chess", raising=False)
    monkeypatch.setitem(sys.modules, "chess", None)
    with pytest.raises(ValueError, match=r"pettingzoo:chess_v6 cannot be made: .*chess.*'pettingzoo\[classic\]'"):
        board_environment("pettingzoo:chess_v6")


def test_moves_are_checked():
    game = board_environment("pettingzoo:tictactoe_v3")
    game.step(4)
    with pytest.raises(ValueError, match="Action 4 is not legal in pettingzoo:tictactoe_v3"):
        game.step(4)
