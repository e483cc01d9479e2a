"""The search in C++ against the one in plain Python, and what happens when something fails."""

import _thread
import signal
import threading
import time

import numpy as np
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.host_search import HostSearch
from rewardware.sw.search.position_evaluator import EvaluationError, UniformEvaluator
from rewardware.sw.search.reference_search import ReferenceSearch
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.search.tree_search import SearchError

from .evaluators import HashEvaluator, found, some_states

THREADED = ("shared", "local")


class Stranger(BoardGame):
    """A game that C++ does not know."""


class Rewarding(BoardGame):
    """Every move brings its player something."""

    def step(self, action):
        reward, ended = super().step(action)
        return reward + (action % 5 - 2) / 8, ended


def agree(one, other):
    assert [found(result) for result in one] == [found(result) for result in other]


@pytest.mark.parametrize("kind", [BoardGame, Stranger, Rewarding])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("tic-tac-toe", {"simulations": 400, "workers": 1}),
        ("tic-tac-toe", {"simulations": 333, "workers": 9, "virtual_loss": 0.0}),
        ("connect-four", {"simulations": 150, "workers": 4, "levels": 5, "exploration": 0.7}),
        ("gomoku-7", {"simulations": 101, "workers": 16, "first_value": -0.5}),
        ("gomoku", {"simulations": 60, "workers": 255, "exploration": 5.0}),
        ("gomoku-19", {"simulations": 5, "workers": 2, "levels": 2}),
    ],
)
def test_rounds_are_those_of_the_reference(kind, name, settings):
    """Several positions at once, with noise, whoever plays the game."""
    game, config = kind(name), SearchConfig(**settings)
    states = some_states(game, 4, 2)
    noise = list(np.random.default_rng(3).dirichlet(np.full(game.actions, 0.3), len(states)))
    mine, theirs = HashEvaluator(), HashEvaluator()
    with HostSearch(game, mine, config, cached=0) as search:
        results = search.search(states, noise)
        agree(results, ReferenceSearch(game, theirs, config).search(states, noise))
        assert mine.batches == theirs.batches
        counters = search.counters()
    assert counters["batches"] == len(mine.batches) and counters["positions"] == sum(mine.batches)
    assert counters["searches"] == len(states) and counters["remembered"] == 0


@pytest.mark.parametrize("scheme", THREADED)
@pytest.mark.parametrize("kind", [BoardGame, Stranger, Rewarding])
@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "gomoku-7"])
def test_one_worker_is_the_reference(scheme, kind, name):
    game, config = kind(name), SearchConfig(simulations=200, workers=1, levels=9)
    states = some_states(game, 3, 4)
    with HostSearch(game, HashEvaluator(), config, scheme=scheme) as search:
        agree(search.search(states), ReferenceSearch(game, HashEvaluator(), config).search(states))


@pytest.mark.parametrize("scheme", THREADED)
@pytest.mark.parametrize(("workers", "batch", "evaluators"), [(2, 2, 1), (8, 3, None), (16, 16, 1), (16, 1, 4)])
def test_many_workers_lose_nothing(scheme, workers, batch, evaluators):
    """Whoever comes first: each simulation is backed up once, and each new position is evaluated once."""
    game = BoardGame("connect-four")
    config = SearchConfig(simulations=500, workers=workers)
    evaluator = HashEvaluator()
    with HostSearch(game, evaluator, config, scheme=scheme, batch=batch, evaluators=evaluators, cached=0) as search:
        (result,) = search.search([game.save()])
        counters = search.counters()
    assert result.visits.sum() == 500
    assert sum(evaluator.batches) == result.evaluations == counters["positions"] <= result.nodes <= 501
    assert max(evaluator.batches) <= batch
    assert counters["select_nanoseconds"] > 0 and counters["backup_nanoseconds"] > 0


class Lost(HashEvaluator):
    """Finds positions of one player as bad as a reward can be."""

    def evaluate(self, planes, legal):
        priors, values = super().evaluate(planes, legal)
        return priors, np.where(planes[:, 2, 0, 0] > 0, np.float32(-8), values)


def test_the_least_reward_has_no_opposite():
    """A value of -8 to one player is the largest number below 8 to the other."""
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=60, workers=3)
    reference = ReferenceSearch(game, Lost(), config).search([game.save()])
    with HostSearch(game, Lost(), config) as search:
        agree(search.search([game.save()]), reference)


def test_a_shared_tree_fills_its_batches():
    """All threads wait for one batch of all of them."""
    game, evaluator = BoardGame("gomoku"), HashEvaluator()
    config = SearchConfig(simulations=320, workers=16)
    with HostSearch(game, evaluator, config, scheme="shared") as search:
        search.search([game.save()])
    # The root; then full batches, but for nodes on which two threads meet.
    assert len(evaluator.batches) <= 1 + 320 // 16 + 4


@pytest.mark.parametrize("scheme", ("synchronous", *THREADED))
def test_what_was_evaluated_is_remembered(scheme):
    game, evaluator = BoardGame("tic-tac-toe"), HashEvaluator()
    config = SearchConfig(simulations=300, workers=1)
    with HostSearch(game, evaluator, config, scheme=scheme) as search:
        (first,) = search.search([game.save()])
        asked = len(evaluator.batches)
        (again,) = search.search([game.save()])
        # All but the root, whose priors may have noise.
        assert len(evaluator.batches) == asked + 1
        assert found(first) == found(again)
        assert search.counters()["remembered"] >= first.evaluations - 1
        search.forget_evaluations()
        search.search([game.save()])
        assert len(evaluator.batches) > asked + 2
    agree([first], ReferenceSearch(game, HashEvaluator(), config).search([game.save()]))


def test_few_positions_are_remembered():
    """Two generations of half the room each; a search that remembers little is the same."""
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=300, workers=3)
    evaluators = HashEvaluator(), HashEvaluator()
    results = []
    for evaluator, cached in zip(evaluators, (1, 10_000), strict=True):
        with HostSearch(game, evaluator, config, cached=cached) as search:
            results.append(search.search([game.save()]))
    agree(*results)
    assert sum(evaluators[0].batches) > sum(evaluators[1].batches)


def several(scheme):
    """Three evaluators, where there are threads."""
    return {"batch": 2, "evaluators": 3} if scheme in THREADED else {}


class Failing(UniformEvaluator):
    """Fails in a batch."""

    def __init__(self, error, batch=3):
        self.error, self.left = error, batch

    def evaluate(self, planes, legal):
        self.left -= 1
        if self.left == 0:
            raise self.error
        return super().evaluate(planes, legal)


@pytest.mark.parametrize("scheme", ("synchronous", *THREADED))
def test_an_evaluator_that_dies(scheme):
    """The search ends with its reason, whatever other evaluators do, and the next one is as if nothing had been."""
    game, config = BoardGame("gomoku-6"), SearchConfig(simulations=200, workers=8)
    evaluator = Failing(RuntimeError("out of memory"))
    with HostSearch(game, evaluator, config, scheme=scheme, **several(scheme)) as search:
        with pytest.raises(SearchError, match="The evaluator failed with RuntimeError: out of memory"):
            search.search([game.save()])
        (result,) = search.search([game.save()])
    assert result.visits.sum() == 200


@pytest.fixture
def interruptible():
    """A shell that starts the suite in the background has it ignore interruptions."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("scheme", ("synchronous", *THREADED))
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c(scheme):
    """A real interruption from another thread, in the middle of a search that would take minutes."""
    game, config = BoardGame("gomoku-6"), SearchConfig(simulations=60_000, workers=4)

    class Slow(UniformEvaluator):
        begun = threading.Event()

        def evaluate(self, planes, legal):
            self.begun.set()
            time.sleep(0.01)
            return super().evaluate(planes, legal)

    def interrupt():
        Slow.begun.wait()
        _thread.interrupt_main()

    with HostSearch(game, Slow(), config, scheme=scheme, cached=0, **several(scheme)) as search:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            search.search([game.save()])
        assert search.search([game.save()], simulations=8)[0].visits.sum() == 8


@pytest.mark.parametrize("after", (False, True), ids=("before the thread runs", "after the thread runs"))
@pytest.mark.parametrize("scheme", THREADED)
def test_ctrl_c_while_threads_start(scheme, after, monkeypatch):
    """A thread that starts late evaluates nothing for the next search, which has one of its number."""
    game, config = BoardGame("gomoku-6"), SearchConfig(simulations=200, workers=4)
    start, started, late = threading.Thread.start, [], []

    def interrupted(thread):
        started.append(thread)
        if len(started) == 1 or after:
            start(thread)
        else:
            late.append(thread)
        if len(started) == 2:
            raise KeyboardInterrupt

    with HostSearch(game, HashEvaluator(), config, scheme=scheme, cached=0, **several(scheme)) as search:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", interrupted)
            with pytest.raises(KeyboardInterrupt):
                search.search([game.save()])
        assert len(started) == 2 and not started[0].is_alive()
        for thread in late:
            start(thread)
        for thread in started:
            thread.join(10)
            assert not thread.is_alive()
        assert search.search([game.save()])[0].visits.sum() == 200


@pytest.mark.parametrize("scheme", THREADED)
def test_an_evaluator_that_hangs(scheme):
    """A limit ends the search as soon as the evaluator comes back."""
    game, config = BoardGame("gomoku-6"), SearchConfig(simulations=100, workers=4)

    class Hangs(UniformEvaluator):
        calls = 0

        def evaluate(self, planes, legal):
            self.calls += 1
            if self.calls == 3:
                time.sleep(0.5)
            return super().evaluate(planes, legal)

    with (
        HostSearch(game, Hangs(), config, scheme=scheme, batch=2, evaluators=1, limit=0.1) as search,
        pytest.raises(SearchError, match=r"No evaluation came within 0\.1"),
    ):
        search.search([game.save()])


@pytest.mark.parametrize("scheme", ("synchronous", *THREADED))
def test_a_game_that_fails(scheme):
    class Fails(BoardGame):
        def step(self, action):
            if action == 4 and self._stones[0]:
                raise OSError("the board fell from the table")
            return super().step(action)

    game, config = Fails("tic-tac-toe"), SearchConfig(simulations=200, workers=4)
    with (
        HostSearch(game, HashEvaluator(), config, scheme=scheme) as search,
        pytest.raises(OSError, match="the board fell from the table"),
    ):
        search.search([game.save()])


@pytest.mark.parametrize("scheme", ("synchronous", *THREADED))
def test_numbers_that_are_none(scheme):
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=50, workers=2)
    with HostSearch(game, HashEvaluator(100.0), config, scheme=scheme) as search:
        with pytest.raises(ValueError, match=r"Reward must be in \[-8, 8\), not"):
            search.search([game.save()])
    wrong = Failing(None)
    wrong.evaluate = lambda planes, legal: (np.zeros(legal.shape), np.zeros(len(legal)))
    with HostSearch(game, wrong, config, scheme=scheme) as search, pytest.raises(EvaluationError):
        search.search([game.save()])


class Hesitating(BoardGame):
    """Gives other threads their turn in the middle of a step."""

    def restore(self, state):
        super().restore(state)
        time.sleep(0)


@pytest.mark.parametrize("scheme", THREADED)
def test_threads_do_not_share_a_position(scheme):
    """All of them step the one environment that there is."""
    game, config = Hesitating("connect-four"), SearchConfig(simulations=300, workers=8)
    with HostSearch(game, HashEvaluator(), config, scheme=scheme) as search:
        (result,) = search.search([game.save()])
    assert result.visits.sum() == 300


@pytest.mark.parametrize("scheme", THREADED)
def test_a_game_that_ends_inside_a_batch(scheme):
    """Next to the end most selections need no evaluation, and a batch never fills."""
    game, evaluator = BoardGame("tic-tac-toe"), HashEvaluator()
    game.restore((0b001010011, 0b100100100 | 0b000001000))
    left = game.legal_actions().bit_count()
    assert left
    with HostSearch(game, evaluator, SearchConfig(simulations=300, workers=8), scheme=scheme) as search:
        (result,) = search.search([game.save()])
    assert result.visits.sum() == 300


def test_what_cannot_be():
    game, evaluator, config = BoardGame("tic-tac-toe"), UniformEvaluator(), SearchConfig(workers=4)
    for options, text in (
        ({"batch": 2}, "batch= and evaluators= are for the schemes with threads"),
        ({"evaluators": 2}, "batch= and evaluators= are for the schemes with threads"),
        ({"scheme": "leaf"}, "Scheme must be one of synchronous, shared, local, not 'leaf'"),
        ({"scheme": "local", "batch": 5}, "Batch must be from 1 to the 4 workers, not 5"),
        ({"scheme": "shared", "evaluators": 0}, "Evaluators must be from 1 to the 4 workers, not 0"),
        ({"cached": -1}, "Cached positions must be at least 0, not -1"),
        ({"limit": 0}, "Limit must be above 0 seconds, not 0"),
    ):
        with pytest.raises(ValueError, match=text):
            HostSearch(game, evaluator, config, **options)
    with HostSearch(game, evaluator, config) as search:
        assert search.search([]) == []
        with pytest.raises(ValueError, match="has no legal action"):
            search.search([(0b101101010, 0b010010101)])


@pytest.mark.parametrize("scheme", ("synchronous", *THREADED))
def test_a_closed_search(scheme):
    game = BoardGame("tic-tac-toe")
    search = HostSearch(game, UniformEvaluator(), SearchConfig(workers=2), scheme=scheme)
    search.close()
    for use in (lambda: search.search([game.save()]), search.counters, search.forget_evaluations):
        with pytest.raises(SearchError, match="The search was closed"):
            use()
    search.close()
