"""AlphaZero: a network that learns from games of a search that it guides."""

import contextlib
import dataclasses
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch

from ....hw.cores.checks import require_name
from ...actors.places import IN_PROCESS, PLACES
from ...algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
from ...algorithms.alphazero.alphazero_learner import AlphaZeroLearner
from ...algorithms.alphazero.elo import elo_interval
from ...algorithms.alphazero.match import MatchResult, play_match
from ...algorithms.alphazero.players import PerfectPlayer, Player, RandomPlayer, SearchPlayer, rollout_player
from ...algorithms.alphazero.position_buffer import PositionBuffer
from ...algorithms.alphazero.self_play import SelfPlay
from ...algorithms.alphazero.self_play_workers import SelfPlaySettings, SelfPlayWorkers, worker_weights
from ...core.checkpoint import (
    CheckpointError,
    backend_of,
    environment_of,
    lacking,
    prefixed,
    read_agent,
    settings_of,
    under,
    write_checkpoint,
)
from ...core.environments.board_environment import BoardEnvironment
from ...core.environments.make_state_environment import board_environment
from ...core.hardware import resolve_hardware
from ...networks.torch_networks import ModuleStateError, load_modules, save_modules
from ...search.host_search import HostSearch
from ...search.open_search import open_search
from ...search.torch_evaluator import TorchEvaluator
from .alphazero_report import AlphaZeroReport
from .network_evaluator import NetworkEvaluator, learning_device

__all__ = ["AlphaZero"]

logger = logging.getLogger(__name__)

# Seed of the openings and of the opponents of matches, the same each time.
EVALUATION_SEED = 1_000_000
# Where workers search.
WORKER_BACKENDS = ("host", "reference")
# Games of a match, if nobody says how many.
MATCH_GAMES = 20
# Games that a perfect player has played out at once.
PLAYED_OUT = ("tic-tac-toe",)
# Batches have random numbers of their own: games have others.
BATCHES = 2
# Members of a checkpoint besides its arrays.
MEMBERS = (
    "backend", "batches", "config", "env", "evaluator", "games", "hardware", "learner", "owed", "playing", "positions",
    "previous_game", "scheme", "self_play", "threads", "workers",
)  # fmt: skip


class AlphaZero:
    """Learns a game of two players from games against itself, in which a tree search chooses every move.

    A round makes a move in each of ``config.parallel_games`` games. Positions of games that ended go into a buffer, and
    for so many of them there is a gradient step. The search asks the network as it is, so that its priors and values
    are those of the last step. The same seed brings the same bits, for the same number of threads of PyTorch, and
    training goes on from a checkpoint with the same bits, games under way included.

    Parameters
    ----------
    env
        Name of a game, as ``"connect-four"``, ``"gomoku-9"``, ``"openspiel:othello"``, or a :class:`.BoardEnvironment`.
    config
        Hyper-parameters; ``None``: those that suit the game.
    backend
        Where the search tree is: ``"host"``, in C++; ``"reference"``, in plain Python; ``"rtl"``, the tree accelerator
        in the simulator; ``"lockstep"``, host and RTL, compared; ``"uart:PORT"``, a board. For the same evaluations all
        find the same.
    evaluator
        Where the network is evaluated: ``"torch"``; ``"torch:cuda"``, where it also learns; ``"engine"`` or
        ``"engine:BACKEND"``, the convolution engine; or ``"MODULE:NAME"``, a callable that gets network and environment
        and gives a :class:`.PositionEvaluator`.
    hardware
        The tree accelerator, a preset's name or a YAML file's path; ``None``: one that has room for the search.
    scheme
        Scheme of backend ``"host"``: ``"synchronous"``; with threads ``"shared"`` or ``"local"``, which are not the
        same each time.
    threads
        Threads of PyTorch, for batches and gradient steps.
    self_play
        Where games are played: ``"in-process"``; by workers with the newest weights on ``"processes"`` of this machine
        or on ``"ray"``, a cluster. The work of workers is not the same each time.
    workers
        How many of them, each with ``config.parallel_games`` games.
    **link
        Options of :func:`.open_search`, such as ``transport``, an open link to a device.

    Members
    -------
    games
        Games that have ended.
    learner
        The learner, which has the network.
    environment
        Environment of the game.
    search
        What chooses.

    Raises
    ------
    ValueError
        No such game, backend, evaluator or scheme; a game that they cannot search.

    Source: D. Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through
    self-play*, Science 362, 2018; Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, 5.2.
    """

    # In its checkpoints.
    name: ClassVar[str] = "alphazero"
    unit: ClassVar[str] = "game"

    def __init__(
        self,
        env: str | BoardEnvironment,
        config: AlphaZeroHyperParameters | None = None,
        *,
        backend: str = "host",
        evaluator: str = "torch",
        hardware: Any = None,
        scheme: str = "synchronous",
        threads: int = 1,
        self_play: str = IN_PROCESS,
        workers: int = 2,
        **link: Any,
    ):
        require_name("Self-play", self_play, PLACES)
        if self_play != IN_PROCESS and backend not in WORKER_BACKENDS:
            raise ValueError(
                f"Self-play must be {IN_PROCESS} on backend {backend!r}, not {self_play}: workers search on "
                f"{' or '.join(WORKER_BACKENDS)}"
            )
        self.environment = board_environment(env)
        suited = AlphaZeroHyperParameters.suited_to(self.environment.name)
        self.config = config = AlphaZeroHyperParameters.from_mapping(suited) if config is None else config
        self.backend, self.evaluator, self.scheme, self.suited_threads = backend, evaluator, scheme, threads
        self.place, self.workers = self_play, workers
        self.hardware = None if hardware is None else resolve_hardware(hardware, "mcts")
        # A checkpoint cannot make another game that has no name.
        self._env = env if isinstance(env, str) else None
        shape, actions = self.environment.observation_shape, self.environment.actions
        self.learner = AlphaZeroLearner(shape, actions, config, learning_device(evaluator))
        self._positions = PositionBuffer(config.buffer_size, shape, actions, self.environment.symmetries)
        self._batches = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(BATCHES,)))
        self.games = self._owed = 0
        # The network of the last evaluation, and after how many games it was.
        self._previous: tuple[int, dict[str, np.ndarray]] | None = None
        with contextlib.ExitStack() as opened:
            self._evaluator = NetworkEvaluator(evaluator, self.learner.network, self.environment)
            opened.callback(self._evaluator.close)
            options = {"hardware": self.hardware, "scheme": scheme, **link}
            self.search = open_search(backend, self.environment, self._evaluator, config.search, **options)
            opened.callback(self.search.close)
            self._self_play = self._players()
            opened.callback(self._self_play.close)
            self._opened = opened.pop_all()

    def _players(self) -> SelfPlay | SelfPlayWorkers:
        """Who plays the games."""
        if self.place == IN_PROCESS:
            return SelfPlay(self.environment, self.search, self.config)
        settings = SelfPlaySettings(
            environment=self.environment,
            config=self.config,
            make_evaluator=partial(NetworkEvaluator, self.evaluator),
            make_search=partial(open_search, self.backend, hardware=self.hardware, scheme=self.scheme),
        )
        return SelfPlayWorkers(settings, partial(worker_weights, self.learner.network), self.workers, self.place)

    def learn(self, games: int, callback: Callable[[Any, dict[str, Any]], bool | None] | None = None) -> Self:
        """Plays until at least that many games more have ended, and learns from them.

        Parameters
        ----------
        games
            How many.
        callback
            Called with the agent and the record (``game``, ``length``, ``outcome``) of each game that has ended.
            ``False`` stops after the round.
        """
        end = self.games + games
        while self.games < end:
            records = self.advance()
            if callback is not None and False in [callback(self, record) for record in records]:
                break
        return self

    def advance(self) -> list[dict[str, Any]]:
        """A move in every game, and what is learned with those that ended; their records.

        Raises
        ------
        FloatingPointError
            Training has diverged.
        """
        # Evaluations of the round before were made in other batches than after a checkpoint.
        self.search.forget_evaluations()
        records = []
        for game in self._self_play.round():
            self._positions.add(game.positions)
            self._owed += game.length * self.config.samples_per_position
            self.games += 1
            records.append({"kind": "game", "game": self.games, "length": game.length, "outcome": game.outcome})
        self._learn()
        return records

    def _learn(self) -> None:
        if self._positions.size < self.config.learning_starts or self._owed < self.config.batch_size:
            return
        while self._owed >= self.config.batch_size:
            self.learner.train(self._positions.draw(self.config.batch_size, self._batches))
            self._owed -= self.config.batch_size
        self._evaluator.renew()

    @property
    def count(self) -> int:
        """Games that have ended."""
        return self.games

    @property
    def evaluates_from(self) -> int:
        """0: the search plays better than chance whatever the network says."""
        return 0

    def evaluate(self, games: int = MATCH_GAMES, *, seed: int | None = None) -> dict[str, MatchResult]:
        """Matches of the search, without noise, against opponents by name.

        They are ``rollouts``, a plain search of as many simulations with random games; ``random``, random moves; and
        ``perfect``, where the game is played out at once. Games begin with ``config.opening_moves`` random moves.

        Parameters
        ----------
        games
            Games of each match.
        seed
            Seed of openings and opponents; ``None``: the same each time.
        """
        first = EVALUATION_SEED if seed is None else seed
        opponents: dict[str, Player] = {
            "rollouts": rollout_player(self.environment, self.config.plain_search, first),
            "random": RandomPlayer(self.environment, first),
        }
        if self.environment.name in PLAYED_OUT:
            opponents["perfect"] = PerfectPlayer(self.environment)
        return {name: self._match(opponent, games, first) for name, opponent in opponents.items()}

    def _match(self, opponent: Player, games: int, seed: int) -> MatchResult:
        """Play a match, and close the opponent."""
        self.search.forget_evaluations()
        with contextlib.closing(opponent):
            own = SearchPlayer(self.search)
            return play_match(self.environment, own, opponent, games, self.config.opening_moves, seed)

    def evaluate_for_record(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """Matches as of `evaluate`, and against ``previous``, the network of the evaluation before, which was after
        ``previous_game`` games: wins, draws, losses and score of each, under the opponent's name."""
        matches, found = self.evaluate(episodes, seed=seed), {}
        if self._previous is not None and self._previous[0] != self.games:
            found["previous_game"] = self._previous[0]
            matches["previous"] = self._match_previous(episodes, EVALUATION_SEED if seed is None else seed)
        self._previous = self.games, save_modules({"network": self.learner.network})
        return found | {
            f"{name}_{part}": value for name, match in matches.items() for part, value in match.summary().items()
        }

    def _match_previous(self, games: int, seed: int) -> MatchResult:
        """Against the network of the last evaluation, in PyTorch and with its tree on the host."""
        assert self._previous is not None
        shape, actions = self.environment.observation_shape, self.environment.actions
        network = AlphaZeroLearner(shape, actions, self.config, self.learner.device).network
        load_modules({"network": network}, self._previous[1])
        search = HostSearch(self.environment, TorchEvaluator(network), self.config.search)
        return self._match(SearchPlayer(search), games, seed)

    def baseline(self, episodes: int, seed: int | None = None) -> None:
        """There is none besides the opponents of evaluations."""

    def evaluation(
        self, episodes: int | None = None, seed: int | None = None, steps: int | None = None
    ) -> dict[str, Any]:
        """Matches as of `evaluate`, of 20 games if nobody says how many: for each opponent wins, draws and losses, the
        score and the difference of Elo, both with their bounds of 95 %.

        Raises
        ------
        ValueError
            Games are to be cut off.
        """
        if steps is not None:
            raise ValueError(f"Games of {self.name} go on to their end: omit --steps {steps}")
        matches = self.evaluate(MATCH_GAMES if episodes is None else episodes, seed=seed)
        return {
            "matches": {
                name: {**match.summary(), "elo_interval": list(elo_interval(match))} for name, match in matches.items()
            },
            "counters": self.counters(),
        }

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """Lines that say what `evaluation` came to."""
        lines = []
        for name, match in outcome["matches"].items():
            low, high = (100 * bound for bound in match["score_interval"])
            weakest, strongest = match["elo_interval"]
            lines.append(
                f"against {name:8}  {match['wins']} won, {match['draws']} drawn, {match['losses']} lost: "
                f"{100 * match['score']:.0f} % of the points ({low:.0f} to {high:.0f} %), "
                f"Elo {weakest:+.0f} to {strongest:+.0f}"
            )
        return [*lines, f"{self.config.simulations} simulations a move on both sides, after {self.games} games"]

    def film(self, path: Path, seed: int | None = None) -> None:
        """Refuses: games are shown as text."""
        raise ValueError("Games of alphazero are not filmed: omit --video; rewardware play shows a board")

    def statistics(self) -> dict[str, float] | None:
        """Means over the learner's last steps of ``loss``, ``policy_loss``, ``value_loss`` and ``entropy``;
        ``gradient_steps``, ``played_positions`` and ``moves`` so far. ``None`` before the first step."""
        told = self.learner.statistics()
        return told and {**told, **self._counts()}

    def _counts(self) -> dict[str, int]:
        return {
            "gradient_steps": self.learner.steps,
            "played_positions": self._positions.added,
            "moves": self._self_play.moves,
        }

    def counters(self) -> dict[str, Any]:
        """Gradient steps, positions and moves; what the search of this process has counted since it was opened; of
        workers how many were started again."""
        restarts = {} if isinstance(self._self_play, SelfPlay) else {"restarts": self._self_play.restarts}
        return {**self._counts(), **self.search.counters(), **restarts}

    def about(self) -> dict[str, Any]:
        """Description of the agent for a run's summary."""
        return {
            "algorithm": self.name,
            "backend": self.backend,
            "evaluator": self.evaluator,
            "scheme": self.scheme,
            "self_play": self.place,
            "env": self.environment.name,
            "seed": self.config.seed,
            "config": self.config.to_mapping(),
            "hardware": None if self.hardware is None else dataclasses.asdict(self.hardware),
        }

    def report(self) -> AlphaZeroReport:
        """The report, which makes sense of its records."""
        return AlphaZeroReport(self.about())

    def save(self, path: Path | str) -> None:
        """Writes everything that training depends on into one file; from it, training goes on bit-identically."""
        parts: dict[str, Any] = {"learner": self.learner, "positions": self._positions, "playing": self._self_play}
        arrays: dict[str, np.ndarray] = {}
        rest: dict[str, Any] = {}
        for name, part in parts.items():
            own, rest[name] = part.state()
            arrays |= prefixed(name, own)
        if self._previous is not None:
            arrays |= prefixed("previous", self._previous[1])
        about = {
            **self.about(),
            **rest,
            "agent": self.name,
            "env": self._env,
            "games": self.games,
            "owed": self._owed,
            "batches": self._batches.bit_generator.state,
            "previous_game": None if self._previous is None else self._previous[0],
            "threads": self.suited_threads,
            "workers": self.workers,
        }
        write_checkpoint(path, arrays, about)

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: str | BoardEnvironment | None = None,
        *,
        backend: str | None = None,
        evaluator: str | None = None,
        **settings: Any,
    ) -> "AlphaZero":
        """The agent a checkpoint holds, ready to go on or to play.

        Parameters
        ----------
        path
            Path of the checkpoint.
        env
            ``None``: by the name in the checkpoint.
        backend, evaluator
            ``None``: those of the checkpoint; the processor evaluates, with a warning, where its GPU is not.
        **settings
            Others of the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another game; or it names an evaluator of a module,
            which a file alone does not import.
        ValueError
            There is no such backend or evaluator.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        with settings_of(path):
            config = AlphaZeroHyperParameters.from_mapping(about["config"])
            hardware = None if about["hardware"] is None else resolve_hardware(about["hardware"], "mcts")
        own = {name: about[name] for name in ("scheme", "self_play", "threads", "workers")}
        agent = cls(
            environment_of(path, about, env),
            config,
            backend=backend_of(path, about, backend),
            evaluator=_evaluator_of(path, about, evaluator),
            **{"hardware": hardware, **own, **settings},
        )
        with contextlib.ExitStack() as opened:
            opened.callback(agent.close)
            agent._restore(path, arrays, about)
            opened.pop_all()
        return agent

    def _restore(self, path: Path | str, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> None:
        try:
            self.learner.restore(under("learner", arrays), about["learner"])
            self._positions.restore(under("positions", arrays), about["positions"])
            if (self.place == IN_PROCESS) == (about["self_play"] == IN_PROCESS):
                self._self_play.restore(under("playing", arrays), about["playing"])
            else:
                logger.warning("Games under way are forgotten: they were played %s", about["self_play"])
        except KeyError as error:
            raise lacking(path, about, error.args[0]) from error
        except (ModuleStateError, ValueError) as error:
            raise CheckpointError(f"{path} is of another game: {error}") from None
        self.games, self._owed = about["games"], about["owed"]
        self._batches.bit_generator.state = about["batches"]
        if about["previous_game"] is not None:
            self._previous = about["previous_game"], under("previous", arrays)
        self._evaluator.renew()

    def close(self) -> None:
        """Lets go of search and evaluator."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _evaluator_of(path: Path | str, about: dict[str, Any], given: str | None) -> str:
    """The evaluator given, else that of the checkpoint, but none of a module: a file alone runs no code."""
    evaluator = about["evaluator"]
    if given is None and evaluator.partition(":")[0] not in ("torch", "engine"):
        raise CheckpointError(
            f"{path} is of a run with evaluator {evaluator!r}: give the evaluator, this one or another"
        )
    if given is None and evaluator.startswith("torch:cuda") and not torch.cuda.is_available():
        logger.warning("PyTorch finds no GPU here, where the run has been on one: the processor evaluates")
        return "torch"
    return given or str(evaluator)
