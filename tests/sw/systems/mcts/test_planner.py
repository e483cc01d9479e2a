"""The planner: textbook UCT and PUCT with one worker, one tree on host and device with many, and what may go wrong."""

import numpy as np
import pytest

from rewardware.hw.cores.tree.config import POLICIES, REWARD_FRACTION, TreeConfig
from rewardware.sw.actors.simulation_pool import SimulationError
from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.priors import quantize_priors
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import open_tree
from rewardware.sw.systems.mcts.defaults import tree_config
from rewardware.sw.systems.mcts.planner import MCTSPlanner
from rewardware.sw.systems.mcts.planner_config import MOST_SIMULATIONS, SCHEDULES, PlannerConfig
from rewardware.sw.systems.mcts.recorder import RecordingTree

from .evaluators import Drawn, Fixed
from .line import FAIL, KILL, RIGHT, Line
from .run_games import play_games
from .textbook import textbook_search


def begun(name, seed=0):
    """An environment at the beginning of an episode, and its state."""
    environment = state_environment(name)
    environment.reset(seed)
    return environment, environment.save()


def device(**shape):
    return MCTSDevice(open_tree("reference", TreeConfig(**shape)))


def tree_of(node):
    """Visits of a node's actions and of all below."""
    return node.visits, {action: tree_of(child) for action, child in sorted(node.children.items())}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tic-tac-toe", {"simulations": 300, "exploration": 1.0}),
        ("tic-tac-toe", {"simulations": 600, "exploration": 0.7}),
        ("connect-four", {"simulations": 600, "exploration": 1.4, "seed": 2}),
        ("CartPole-v1", {"simulations": 200, "reward_scale": 2**-4, "seed": 2}),
        ("MountainCar-v0", {"simulations": 300, "reward_scale": 2**-5, "rollout_steps": 20}),
    ],
)
def test_one_worker_is_textbook_uct(name, options):
    environment, state = begun(name)
    config = PlannerConfig(workers=1, **options)
    with MCTSPlanner(environment, config, device=device(fanout=9, group=3, levels=64)) as planner:
        decision = planner.act(state)
        root, narrowest = textbook_search(environment, state, config)
        # Scores of the tree have 16 fraction bits; no choice here was nearer than some of them.
        assert narrowest > 2**-14
        assert tree_of(planner.table.root) == tree_of(root)
        assert decision.visits == tuple(root.visits) and sum(root.visits) == config.simulations


@pytest.mark.parametrize("policy", POLICIES[1:])
@pytest.mark.parametrize(
    ("name", "seed", "options"),
    [
        ("tic-tac-toe", 1, {"simulations": 120, "exploration": 1.0, "first_value": -0.25}),
        ("connect-four", 0, {"simulations": 100, "exploration": 1.5}),
        ("CartPole-v1", 86, {"simulations": 80, "reward_scale": 2**-4, "exploration": 2.0}),
        ("MountainCar-v0", 245, {"simulations": 80, "reward_scale": 2**-2, "exploration": 1.25}),
    ],
)
def test_one_worker_with_an_evaluator_is_textbook_puct(name, seed, options, policy):
    environment, state = begun(name)
    config = PlannerConfig(workers=1, **options)
    tree, evaluator = device(fanout=9, group=3, levels=64, policy=policy), Drawn(seed)
    with MCTSPlanner(environment, config, device=tree, evaluator=evaluator) as planner:
        decision = planner.act(state)
        root, narrowest = textbook_search(environment, state, config, policy, evaluator)
        # Scores of the tree are off by no more than some units of 2**-16; no choice here was that near.
        assert narrowest > 2**-12
        assert tree_of(planner.table.root) == tree_of(root)
        assert decision.visits == tuple(root.visits) and sum(root.visits) == config.simulations
        assert decision.statuses["pending"] == 1 and sum(decision.statuses.values()) == config.simulations + 1


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("name", "shape", "statuses"),
    [
        ("tic-tac-toe", {"nodes": 150}, {"inserted": 149}),
        ("connect-four", {"levels": 3, "banks": 40, "rows": 2, "nodes": 80, "reserve": 1}, {}),
        ("CartPole-v1", {"levels": 4}, {"inserted": 14}),
    ],
)
def test_host_and_tree_count_the_same_with_more_workers_than_children(name, shape, statuses, schedule):
    environment, state = begun(name)
    tree = device(fanout=9, group=3, **shape)
    config = PlannerConfig(simulations=400, workers=12, schedule=schedule, rollout_steps=9, reward_scale=2**-3)
    with MCTSPlanner(environment, config, device=tree) as planner:
        decision = planner.act(state)
        memory = tree.backend.reference.memory()
        nodes = [node for _, node in planner.table.levels()]
        assert memory.used.sum() == len(nodes) == sum(decision.depths)
        for node in nodes:
            place = divmod(node.number, tree.config.rows)
            assert memory.edges["visits"][place][: node.actions].tolist() == node.visits
            totals = (np.array(node.totals) * 2**REWARD_FRACTION).tolist()
            assert memory.edges["total"][place][: node.actions].tolist() == totals
            assert not memory.edges["in_flight"][place].any()
        assert sum(decision.visits) == sum(decision.statuses.values()) == 400
        assert decision.statuses.items() >= statuses.items()
        assert decision.statuses.keys() & {"full", "height_limit"}


@pytest.mark.parametrize("processes", [0, 2])
def test_every_node_has_the_priors_of_its_state(processes):
    environment, state = begun("tic-tac-toe")
    config = PlannerConfig(simulations=150, workers=12, processes=processes)
    tree = device(fanout=10, group=3, policy="puct")
    with MCTSPlanner(environment, config, device=tree, evaluator=Drawn()) as planner:
        assert planner.advance(planner.act(state).action)
        planner.act()
        memory = tree.backend.reference.memory()
        nodes = [node for _, node in planner.table.levels() if node.evaluated and not node.terminal]
        assert len(nodes) > 100
        for node in nodes:
            environment.restore(node.state)
            priors = quantize_priors(Drawn()(environment)[0], node.legal, environment.actions)
            place = divmod(node.number, tree.config.rows)
            assert memory.edges["prior"][place].tolist() == [*priors, 0]


def test_an_evaluator_speaks_for_who_is_to_move():
    game, state = begun("tic-tac-toe")
    with MCTSPlanner(game, PlannerConfig(simulations=1, workers=1), evaluator=Fixed([1.0] * 9, 0.5)) as planner:
        # Half a win for the second player, after the first one's move.
        assert planner.act(state).values[0] == -0.5
        # The default tree chooses by what was published.
        assert planner.device.config.policy == "puct_root"


@pytest.mark.parametrize(
    ("says", "error", "words"),
    [
        (([1.0] * 8,), SimulationError, "Priors must be 9, one for each action, not 8"),
        (([-1.0] * 9,), SimulationError, "Priors must be at least 0 and finite, not -1 for action 0"),
        (([float("nan")] * 9,), SimulationError, "Priors must be at least 0 and finite, not nan for action 0"),
        (([0.0] * 9,), SimulationError, "Priors must not be 0 for all legal actions"),
        (([1.0] * 9, 9.0), ValueError, r"Reward must be in \[-8, 8\), not 9: a sum of 9, multiplied by"),
        (([1.0] * 9, float("nan")), ValueError, r"Reward must be in \[-8, 8\), not nan"),
    ],
)
@pytest.mark.parametrize("workers", [1, 3])
def test_an_evaluator_that_is_wrong_is_an_error_and_leaves_a_planner_that_works(says, error, words, workers):
    game, state = begun("tic-tac-toe")
    config, evaluator = PlannerConfig(simulations=9, workers=workers), Fixed(*says)
    with MCTSPlanner(game, config, evaluator=evaluator) as planner:
        with pytest.raises(error, match=words):
            planner.act(state)
        evaluator.priors, evaluator.value = [1.0] * 9, 0.0
        assert sum(planner.act(state).visits) == 9


def test_evaluators_that_cannot_be_had_are_refused():
    with pytest.raises(ValueError, match="Policy of the tree must be puct, puct_root or puct_visits for an evaluator"):
        MCTSPlanner("tic-tac-toe", device=device(fanout=9, group=3), evaluator=Drawn())
    with pytest.raises(ValueError, match="Simulations must be at most 65534 with an evaluator, not 65535"):
        MCTSPlanner("tic-tac-toe", PlannerConfig(simulations=MOST_SIMULATIONS), evaluator=Drawn())
    with pytest.raises(ValueError, match="Evaluator must be one that can be pickled, such as a function or class of "):
        MCTSPlanner("tic-tac-toe", PlannerConfig(processes=1), evaluator=lambda environment: ([1.0] * 9, 0.0))


def requests(environment, state, config):
    """All requests that three searches send."""
    tree = RecordingTree(open_tree("reference", tree_config(environment)))
    with MCTSPlanner(environment, config, device=MCTSDevice(tree)) as planner:
        for _ in range(3):
            planner.act(state)
    return tree.recording.requests


def test_a_seed_decides_everything():
    environment, state = begun("connect-four")
    config = {"simulations": 60, "workers": 5}
    for schedule in SCHEDULES:
        here = requests(environment, state, PlannerConfig(schedule=schedule, seed=1, **config))
        assert requests(environment, state, PlannerConfig(schedule=schedule, seed=1, **config)) == here
        assert requests(environment, state, PlannerConfig(schedule=schedule, seed=2, **config)) != here
    # The last schedule waits for all workers: which process is the faster makes no difference.
    assert requests(environment, state, PlannerConfig(schedule=schedule, seed=1, processes=2, **config)) == here


def test_tic_tac_toe_is_never_lost_against_random_and_keeps_the_known_value():
    config = PlannerConfig(simulations=256, workers=4, schedule="synchronous", exploration=1.4)
    counts = play_games(16, config)
    assert counts["lost"] == counts["below"] == 0 and counts["moves"] > 40


@pytest.mark.parametrize(
    ("moves", "best", "wins"),
    [
        # Three of one's own above one another; then of the other's, who must be stopped.
        ([0, 1, 0, 1, 0, 1], (0,), True),
        ([1, 0, 1, 0, 6, 0], (0,), False),
        # Two in a row with both sides free: a third one makes two threats.
        ([2, 2, 3, 3], (1, 4), True),
    ],
)
def test_connect_four_sees_what_the_next_moves_decide(moves, best, wins):
    game, _ = begun("connect-four")
    for move in moves:
        game.step(move)
    config = PlannerConfig(simulations=800, workers=4, schedule="synchronous", exploration=1.0)
    with MCTSPlanner(game, config) as planner:
        decision = planner.act(game.save())
        assert decision.action in best
        assert (decision.values[decision.action] > 0.5) == wins


def test_a_tree_goes_on_below_an_action():
    game, state = begun("tic-tac-toe")
    config = PlannerConfig(simulations=200, workers=3)
    with MCTSPlanner(game, config) as planner:
        first = planner.act(state)
        child = planner.table.root.children[first.action]
        before, state_below = list(child.visits), child.state
        assert planner.advance(first.action)
        second = planner.act()
        assert sum(second.visits) == sum(before) + 200
        assert all(now >= then for now, then in zip(second.visits, before, strict=True))
        assert planner.table.root.player == 1 and planner.table.root.state == state_below
        # Values are those of the second player: the centre taken, the corners are better than the sides.
        assert second.action in (0, 2, 6, 8)
        # An action that is taken already has no node.
        assert not planner.advance(first.action)
        with pytest.raises(ValueError, match="There is no tree: a state is needed"):
            planner.act()
        planner.act(state)


def test_a_tree_without_room_for_another_search_is_left():
    game, state = begun("tic-tac-toe")
    with MCTSPlanner(game, PlannerConfig(simulations=100), device=device(fanout=9, group=3, nodes=190)) as planner:
        assert not planner.advance(planner.act(state).action)


def test_a_tree_with_much_reward_above_it_is_left():
    with MCTSPlanner(Line(), PlannerConfig(simulations=5, rollout_steps=1, reward_scale=2**-2)) as planner:
        # The places 1, 2 and 3 bring 0.25, 0.5 and 0.75.
        planner.act(0)
        kept = []
        for _ in range(3):
            kept.append(planner.advance(RIGHT))
            if kept[-1]:
                planner.act()
        assert kept == [True, True, False]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_killed_process_changes_nothing(schedule, tmp_path):
    environment = Line(tmp_path, (RIGHT, KILL))

    def search(processes):
        config = PlannerConfig(
            simulations=40, workers=4, schedule=schedule, rollout_steps=0, reward_scale=2**-4, processes=processes
        )
        with MCTSPlanner(environment, config) as planner:
            decision, memory = planner.act(0), planner.device.backend.reference.memory()
            assert not memory.edges["in_flight"].any()
            return decision, [part.tolist() for part in (memory.used, *memory.nodes.values(), *memory.edges.values())]

    killed, memory = search(processes=2)
    # The file is there now: no process dies any more.
    assert (tmp_path / "killed").exists()
    unharmed, expected = search(processes=0)
    assert sum(killed.visits) == sum(unharmed.visits) == 40
    if schedule == "synchronous":
        # Here the order of results makes no difference: the whole tree is the same.
        assert memory == expected
        assert (killed.visits, killed.values, killed.depths) == (unharmed.visits, unharmed.values, unharmed.depths)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_reward_out_of_range_is_an_error_and_leaves_a_planner_that_works(workers):
    config = PlannerConfig(simulations=9, workers=workers, rollout_steps=1, reward_scale=2.0)
    with MCTSPlanner(Line(), config) as planner:
        words = r"Reward must be in \[-8, 8\), not 10: a sum of 5, multiplied by the reward scale 2"
        with pytest.raises(ValueError, match=words):
            # Two steps from the first place on bring 1 + 2, from the second one on 2 + 3.
            planner.act(1)
        planner.environment.gain = 0.0
        assert sum(planner.act(1).visits) == 9


@pytest.mark.parametrize("processes", [0, 1])
def test_a_failed_simulation_is_an_error_and_leaves_a_planner_that_works(processes):
    config = PlannerConfig(simulations=6, workers=3, processes=processes, rollout_steps=0, reward_scale=2**-4)
    with MCTSPlanner(Line(legal=(RIGHT, FAIL)), config) as planner:
        with pytest.raises(SimulationError, match="A simulation failed with ValueError: no such way"):
            planner.act(0)
        planner.environment.legal = (RIGHT,)
        if not processes:
            assert sum(planner.act(0).visits) == 6


def test_a_closed_planner_says_so():
    game, state = begun("tic-tac-toe")
    planner = MCTSPlanner(game)
    planner.close()
    with pytest.raises(DeviceError, match="The search tree was closed"):
        planner.act(state)


def test_a_state_without_actions_is_refused():
    with MCTSPlanner("tic-tac-toe", PlannerConfig(simulations=5)) as planner:
        with pytest.raises(ValueError, match="The state has no legal action: its episode of tic-tac-toe has ended"):
            planner.act((0b0_1101_0101, 0b1_0010_1010))
        planner.act((0, 0))


def test_pong_through_processes():
    environment, state = begun("ALE/Pong-v5", seed=1)
    config = PlannerConfig(simulations=24, workers=6, processes=2, rollout_steps=5)
    with MCTSPlanner(environment, config) as planner:
        for _ in range(4):
            decision = planner.act(state)
            assert sum(decision.visits) == 24
            environment.restore(state)
            environment.step(decision.action)
            state = environment.save()


def test_games_of_the_same_rules_are_searched_alike():
    decisions = []
    for name in ("tic-tac-toe", "openspiel:tic_tac_toe", "pettingzoo:tictactoe_v3"):
        environment, state = begun(name)
        with MCTSPlanner(environment, PlannerConfig(simulations=80, workers=4)) as planner:
            decisions.append(planner.act(state))
    assert len({(decision.visits, decision.values, decision.action) for decision in decisions}) == 1


def test_more_actions_than_children_are_refused():
    with pytest.raises(ValueError, match="Actions .* must be at most 32, .*, not 81 as those of gomoku-9"):
        MCTSPlanner("gomoku-9")


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="Fanout of the tree must be at least the 9 actions of tic-tac-toe, not 6"):
        MCTSPlanner("tic-tac-toe", device=device())
    with pytest.raises(ValueError, match="Number of workers must be at most the tree's 128, not 129"):
        MCTSPlanner("tic-tac-toe", PlannerConfig(workers=129))
    with pytest.raises(ValueError, match="HalfCheetah-v5 cannot be searched: its state cannot be saved and restored"):
        MCTSPlanner("HalfCheetah-v5")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"simulations": 0}, "simulations must be at least 1, not 0"),
        ({"simulations": 65536}, "simulations must be at most 65535, not 65536"),
        ({"schedule": "lazy"}, "schedule must be relaxed or synchronous, not 'lazy'"),
        ({"reward_scale": 0.0}, r"reward_scale must be in \(0, inf\), not 0.0"),
        ({"reward_scale": float("nan")}, r"reward_scale must be in \(0, inf\), not nan"),
        ({"processes": -1}, "processes must be at least 0, not -1"),
    ],
)
def test_configurations_that_mean_nothing_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        PlannerConfig(**options)
