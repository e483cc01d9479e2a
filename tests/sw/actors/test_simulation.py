"""A step and a rollout, and who runs them: nothing lost, nothing twice, whoever dies."""

import os
import signal
import time
import traceback
from dataclasses import replace

import pytest

from rewardware.sw.actors.simulation import SimulationTask, simulate
from rewardware.sw.actors.simulation_pool import InProcessPool, ProcessPool, SimulationError
from rewardware.sw.core.environments.make_state_environment import state_environment

from ..systems.mcts.line import FAIL, KILL, PATIENCE, RIGHT, WAIT, Line


def task(number=0, state=0, action=RIGHT, reward=0.0, rollout_steps=3):
    return SimulationTask(number, number % 7, state, action, reward, rollout_steps, (4, number))


def numbers_of(results):
    return sorted(result.number for result in results)


def all_of(pool):
    found = []
    while pool.outstanding:
        found += pool.collect_sim_tasks()
    return found


def test_a_simulation_steps_once_and_rolls_out():
    result = simulate(Line(), task(state=2, reward=10.0))
    assert (result.state, result.reward, result.total, result.steps) == (3, 13.0, 13.0 + 4 + 5 + 6, 4)
    assert (result.terminal, result.legal, result.player) == (False, 1, 0)
    # A rollout ends with the episode; a step that ends it needs none.
    assert simulate(Line(), task(state=6)).total == 7 + 8 + 9
    last = simulate(Line(), task(state=8))
    assert (last.terminal, last.legal, last.total, last.steps) == (True, 0, 9.0, 1)
    # Without an action the rollout begins where the state is.
    stays = simulate(Line(), task(state=2, action=None, reward=1.0))
    assert (stays.state, stays.reward, stays.total) == (2, 1.0, 1.0 + 3 + 4 + 5)
    assert simulate(Line(), task(state=2, rollout_steps=0)).total == 3.0


def test_rewards_are_those_of_the_first_player():
    game = state_environment("tic-tac-toe")
    # The second player wins with 5.
    result = simulate(game, task(state=(0b1_0000_0011, 0b0_0001_1000), action=5))
    assert (result.terminal, result.reward, result.player) == (True, -1.0, 0)
    # The first one with 2.
    assert simulate(game, task(state=(0b0_0000_0011, 0b0_0001_1000), action=2)).reward == 1.0


def test_rollouts_draw_every_legal_action_and_no_other():
    class Seen(Line):
        actions, mask = 9, 0b101100100

        def legal_actions(self):
            return self.mask

        def step(self, action):
            drawn.append(action)
            return 0.0, False

    drawn = []
    simulate(Seen(), task(action=None, rollout_steps=300))
    assert {action: drawn.count(action) > 50 for action in drawn} == {2: True, 5: True, 6: True, 8: True}
    Seen.mask, drawn = 0b111111111, []
    simulate(Seen(), task(action=None, rollout_steps=300))
    assert set(drawn) == set(range(9))


def test_a_state_without_actions_must_be_an_end():
    environment = Line()
    environment.legal_actions = lambda: 0
    with pytest.raises(ValueError, match="line has no legal action in a state in which the episode has not ended"):
        simulate(environment, task())


def test_processes_find_what_this_one_finds():
    environment = state_environment("ALE/Pong-v5")
    environment.reset(3)
    tasks = [task(number, environment.save(), number % 6, rollout_steps=5) for number in range(7)]
    here = InProcessPool(environment)
    with ProcessPool(environment, 2) as there:
        for pool in (here, there):
            pool.assign_exp_sim_tasks(tasks)
        expected = {result.number: replace(result, seconds=0.0) for result in all_of(here)}
        assert {result.number: replace(result, seconds=0.0) for result in all_of(there)} == expected


def test_a_process_that_dies_in_the_middle_of_a_task_loses_and_repeats_nothing(tmp_path):
    with ProcessPool(Line(tmp_path), 2) as pool:
        first = set(pool.process_ids)
        tasks = [task(number, number % 4, KILL if number in (0, 5) else RIGHT) for number in range(20)]
        pool.assign_exp_sim_tasks(tasks)
        results = all_of(pool)
        assert (tmp_path / "killed").exists()
        assert numbers_of(results) == list(range(20))
        assert {result.number: result.state for result in results} == {n: n % 4 + 1 for n in range(20)}
        assert len(set(pool.process_ids) & first) == 1


def test_a_process_killed_from_outside_is_replaced_too(tmp_path):
    with ProcessPool(Line(tmp_path), 1) as pool:
        pool.assign_exp_sim_tasks([task(0, action=WAIT), task(1)])
        end = time.monotonic() + PATIENCE
        while not (tmp_path / "waiting").exists() and time.monotonic() < end:
            time.sleep(0.01)
        (process,) = pool.process_ids
        os.kill(process, signal.SIGKILL)
        (tmp_path / "gate").touch()
        assert numbers_of(all_of(pool)) == [0, 1]
        # And one that has nothing to do.
        os.kill(pool.process_ids[0], signal.SIGKILL)
        pool.assign_exp_sim_tasks([task(2)])
        assert numbers_of(all_of(pool)) == [2]


def test_a_task_that_takes_too_long_is_given_up(tmp_path):
    with ProcessPool(Line(tmp_path), 1, limit=2.0) as pool:
        pool.assign_exp_sim_tasks([task(3, action=WAIT), task(4)])
        with pytest.raises(
            SimulationError, match="Simulation 3 was given up: 3 processes ended, or took more than 2 s"
        ):
            all_of(pool)
        assert numbers_of(all_of(pool)) == [4]


@pytest.mark.parametrize("processes", [0, 1])
def test_an_error_of_the_environment_is_told_once(processes):
    pool = ProcessPool(Line(), processes) if processes else InProcessPool(Line())
    try:
        pool.assign_exp_sim_tasks([task(0, action=FAIL), task(1)])
        with pytest.raises(SimulationError, match="A simulation failed with ValueError: no such way") as raised:
            all_of(pool)
        # Where it was raised is told even if that was in another process.
        told = "\n".join(raised.value.__notes__) if processes else "".join(traceback.format_exception(raised.value))
        assert "line.py" in told
        assert numbers_of(all_of(pool)) == [1]
        with pytest.raises(RuntimeError, match="No simulation is outstanding"):
            pool.collect_sim_tasks()
    finally:
        pool.close()


def test_what_is_cancelled_never_comes(tmp_path):
    with ProcessPool(Line(tmp_path), 1) as pool:
        pool.assign_exp_sim_tasks([task(0, action=WAIT), task(1)])
        pool.cancel()
        assert pool.outstanding == 0
        pool.assign_exp_sim_tasks([task(2)])
        assert numbers_of(all_of(pool)) == [2]


def test_a_closed_pool_has_no_processes_and_takes_nothing(tmp_path):
    pool = ProcessPool(Line(tmp_path), 2)
    processes = pool.process_ids
    pool.assign_exp_sim_tasks([task(0, action=WAIT)])
    pool.close()
    pool.close()
    assert pool.process_ids == [] and pool.outstanding == 0
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    with pytest.raises(RuntimeError, match="The pool of simulations is closed"):
        pool.assign_exp_sim_tasks([task(1)])


@pytest.mark.parametrize(
    ("processes", "limit", "words"),
    [(0, 1.0, "Number of processes must be at least 1, not 0"), (1, 0.0, "Limit must be above 0 seconds, not 0.0")],
)
def test_pools_that_could_do_nothing_are_refused(processes, limit, words):
    with pytest.raises(ValueError, match=words):
        ProcessPool(Line(), processes, limit=limit)
