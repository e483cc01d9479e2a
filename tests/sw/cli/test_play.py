"""`rewardware play`: a person against a search, over the standard input."""

import io

import pytest

from rewardware import AlphaZero, AlphaZeroHyperParameters
from rewardware.sw.cli.dispatch import dispatch
from tests.sw.algorithms.alphazero.small import SMALL

LITTLE = "--simulations", "30"


@pytest.fixture
def play(monkeypatch, capsys):
    """Says lines to the command; what it printed, after the exit code."""

    def run(lines, *arguments, code=0):
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        assert dispatch(["play", *map(str, arguments)]) == code
        captured = capsys.readouterr()
        return captured.err if code else captured.out

    return run


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A run of tic-tac-toe."""
    folder = tmp_path_factory.mktemp("run")
    with AlphaZero("tic-tac-toe", AlphaZeroHyperParameters(**SMALL)) as agent:
        agent.save(folder / "checkpoint.zip")
    return folder


def board(printed):
    """The last board of tic-tac-toe, from its upper row on."""
    lines = [line.removeprefix("> ") for line in printed.splitlines()]
    last = max(number for number, line in enumerate(lines) if line.startswith("3 "))
    return [line[2:] for line in lines[last : last + 3]]


def test_a_game_is_played_to_its_end(play):
    # Whatever is taken already is refused, and asked for anew.
    printed = play(
        "".join(f"{column}{row}\n" for column in "abc" for row in "123") * 2, "--env", "tic-tac-toe", *LITTLE
    )
    assert printed.startswith("You are O. help says what you can do.\nThe search plays ")
    assert printed.splitlines()[-1] in ("You have lost.", "Nobody has won.", "You have won.")
    stones = "".join(board(printed))
    assert stones.count("X") - stones.count("O") in (0, 1)


def test_who_sees_farther_wins(play):
    """Nobody hinders the search, which has stones in a column at once."""
    moves = "a\nb\na\nb\na\nb\na\nb\n" * 5
    printed = play(moves, "--env", "connect-four", "--simulations", "400")
    assert printed.splitlines()[-1] == "You have lost."
    assert "  a b c d e f g" in printed and "6 . . . . . . ." in printed


def test_one_can_win(play):
    """A search of one simulation plays the first cell that is free."""
    printed = play("a1\na2\na3\n", "--env", "tic-tac-toe", "--first", "--simulations", "1")
    assert printed.startswith("You are X") and printed.splitlines()[-1] == "You have won."
    assert board(printed) == ["X . .", "X . .", "X O O"]


def test_moves_are_taken_back_and_hints_are_given(play):
    printed = play("hint\nb2\nundo\nundo\na1\nboard\nquit\n", "--env", "tic-tac-toe", "--first", *LITTLE)
    assert printed.count("% of the visits, value ") == 5
    assert "There is no move of yours to take back." in printed
    rows = board(printed)
    assert rows[2].startswith("X") and rows[1][2] in ".O" and "".join(rows).count("O") == 1
    assert printed.splitlines()[-1] == "> You have left the game."


@pytest.mark.parametrize("word", ["z9", "a0", "a", "33", "b22", "-1", "help me"])
def test_what_is_no_move_is_told(play, word):
    printed = play(f"{word}\nB2\n", "--env", "tic-tac-toe", "--first", *LITTLE)
    assert f"> {word!r} is no move here: a move is as b2, a column and a row; help says what else there is." in printed
    # A move may also be in capitals.
    assert board(printed)[1][2] == "X"


def test_help_and_the_end_of_the_input(play):
    printed = play("\n\nhelp\n", "--env", "connect-four", "--first", *LITTLE)
    assert "> > " in printed and "a move as d, a column\n" in printed
    assert printed.endswith("> \nYou have left the game.\n")


def test_a_full_column_is_not_free(play):
    printed = play("a\n" * 4, "--env", "connect-four", "--first", "--simulations", "1")
    assert printed.count("The search plays a: ") == 3 and "> 'a' is not free: a move is as d, a column" in printed


def test_a_run_plays_its_game(play, run_folder):
    printed = play("hint\nquit\n", run_folder, "--first")
    assert "of the visits" in printed and printed.count("3 . . .") == 1
    assert play("", run_folder, "--env", "tic-tac-toe", "--backend", "reference").startswith("You are O.")


def test_a_game_of_openspiel_has_its_own_words(play):
    printed = play("d7\nx3\n", "--env", "openspiel:connect_four", "--first", *LITTLE)
    assert "'d7' is no move here: a move is as x0" in printed and "x...\n" in printed


def test_an_interruption_ends_it(play, monkeypatch):
    class Interrupted(io.StringIO):
        def readline(self):
            raise KeyboardInterrupt

    monkeypatch.setattr("io.StringIO", Interrupted)
    assert play("", "--env", "tic-tac-toe", "--first", code=130) == "rewardware: interrupted\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "--env or the folder of a run is needed: a game, such as connect-four"),
        ("--env CartPole-v1", "Environment CartPole-v1 has no planes for a network"),
        ("--env tic-tac-toe --simulations 0", "--simulations must be at least 1, not 0"),
        ("--env tic-tac-toe --seed -1", "--seed must be at least 0, not -1"),
        ("--env pettingzoo:tictactoe_v3", "pettingzoo:tictactoe_v3 cannot be shown as text"),
        ("nowhere", "No checkpoint at nowhere"),
    ],
)
def test_refusals(play, arguments, said):
    assert said in play("", *arguments.split(), code=2)


def test_a_run_of_another_game_or_of_none_is_refused(play, run_folder, tmp_path):
    words = f"{run_folder} is a run in tic-tac-toe, not in connect-four: omit --env"
    assert words in play("", run_folder, "--env", "connect-four", code=2)
    train = "train fixar --env Pendulum-v1 --config tiny --batch-size 12 --backend torch --steps 3 --quiet"
    assert dispatch([*train.split(), "--evaluation-episodes", "1", "--out", str(tmp_path)]) == 0
    assert "is a run of ddpg, which plays no board game" in play("", tmp_path, code=2)
