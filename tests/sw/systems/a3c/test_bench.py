"""The rows of A3C's bench: on a small device, with short measurements."""

import dataclasses
import multiprocessing
import os
from types import SimpleNamespace

import numpy as np
import pytest

from rewardware.hw.cores.a3c.cycles import backward_cycles, forward_cycles
from rewardware.hw.soc.presets import load_preset
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from rewardware.sw.algorithms.a3c.a3c_shape import A3CShape
from rewardware.sw.algorithms.a3c.service import AgentRequest
from rewardware.sw.algorithms.a3c.torch_service import TorchAgentsService
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.environments.byte_environment import ByteEnvironment
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.core.worker_process import WorkerProcess
from rewardware.sw.measurement import tool_cache
from rewardware.sw.systems.a3c.bench import deployment, explorations, host_times, rates, resources, system
from rewardware.sw.systems.a3c.bench.figures import A3CBench
from rewardware.sw.systems.a3c.bench.torch_agents import SharedAgents, TorchAgent, explorations_per_second

SMALL = load_preset("small", "a3c")
SHAPE = A3CShape(observation_size=4, actions=2, hidden_sizes=(10, 7))
CONFIG = A3CHyperParameters(hidden_sizes=(10, 7))
GAME = "CartPole-v1"


def test_rows_are_those_of_the_specification(capsys):
    assert list(A3CBench().ids()) == [
        "gflops", "engine_util", "eps_device", "eps_system", "eps_vs_cpu", "dsp", "lut", "m_star_saving",
        "waiting_drop",
    ]  # fmt: skip
    assert dispatch(["bench", "a3c", "--only", "eps"]) == 2
    assert "must name figures of gflops, " in capsys.readouterr().err
    assert dispatch(["bench", "a3c", "--config", "small"]) == 2
    assert "Each figure of a3c has a configuration of its own" in capsys.readouterr().err


def test_counted_rows_on_a_small_device(monkeypatch):
    monkeypatch.setattr(rates, "PRESET", "small")
    counted = explorations.count_explorations(SMALL, SMALL.agents)
    assert counted.explorations == explorations.COUNTED * SMALL.agents == 15
    assert explorations.count_explorations.__wrapped__(SMALL, SMALL.agents) == counted
    # By hand: 6 forward passes, 5 backward without the first layer, and 5 gradients of 4-10-7-3.
    assert SMALL.exploration_products == 6 * 131 + 5 * (70 + 21) + 5 * 131
    rows = {row["id"]: row for row in A3CBench().rows(["gflops", "engine_util", "eps_device"])}
    products = SMALL.exploration_products / counted.cycles_each
    assert rows["gflops"]["value"] == round(2 * products * 0.2, 1)
    assert rows["engine_util"]["value"] == round(100 * products / (4 * 6), 1)
    assert rows["eps_device"]["value"] == round(200e6 / counted.cycles_each)
    assert {row["kind"] for row in rows.values()} == {"counted"}
    assert all(f"{counted.compared} numbers compared" in rows[name]["how"] for name in rows)


def test_wrong_numbers_are_no_figure(monkeypatch):
    class Wrong(explorations.ReferenceAgentsService):
        def serve(self, requests):
            return [
                answer if answer.value is None else dataclasses.replace(answer, value=-answer.value)
                for answer in super().serve(requests)
            ]

    monkeypatch.setattr(explorations, "ReferenceAgentsService", Wrong)
    with pytest.raises(LockstepError, match="value"):
        explorations.count_explorations.__wrapped__(SMALL, 2)


def test_times_of_a_device_are_those_of_its_engines():
    paper = load_preset("paper", "a3c")
    times = system.device_times(paper)
    assert times["forward"] == forward_cycles(paper) / 200e6 and times["backward"] == backward_cycles(paper, 5) / 200e6
    # The optimiser is the slower one where it takes a word in 4 cycles.
    assert system.device_times(dataclasses.replace(paper, interval=4))["update"] == 4 * paper.words / 200e6


def test_more_engines_are_not_slower():
    def rate(**engines):
        hardware = dataclasses.replace(SMALL, **engines)
        return 300 / system.simulate(hardware, (2e-7, 1e-6), 1e-7, agents=9, explorations=300).seconds

    engines = {"forward_engines": 1, "backward_engines": 1}
    one, forward, backward = (
        rate(**{**engines, **more}) for more in ({}, {"forward_engines": 2}, {"backward_engines": 2})
    )
    assert one < forward and one <= backward
    # One gradient unit, whatever there is before it.
    assert rate(forward_engines=16, backward_engines=16) <= 1 / system.device_times(SMALL)["update"]


@pytest.fixture
def short(monkeypatch):
    """Rows of measurements that take seconds: CartPole, the small device, few processes."""
    for module in (system, deployment):
        monkeypatch.setattr(module, "GAME", GAME)
        monkeypatch.setattr(module, "PRESET", "small")
        monkeypatch.setattr(module, "SECONDS", 0.2)
    for name, value in {"PROCESSES": 2, "TRIED": (1, 2), "TURNS": 1, "PASSES": 1}.items():
        monkeypatch.setattr(system, name, value)
    monkeypatch.setattr(deployment, "AGENTS", 3)
    monkeypatch.setattr(deployment, "EXPLORATIONS", 30)
    caches = system._system, system._systems, deployment._chosen
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_the_rate_of_environments_and_device(short):
    (rate,) = A3CBench().rows(["eps_system"])
    assert (rate["unit"], rate["kind"], rate["paper"]) == ("explorations/s", "model", 638)
    assert rate["value"] > 0
    assert "discrete-event simulation of 2 agents of CartPole-v1: t_e " in rate["how"]
    assert f"t_f {forward_cycles(SMALL) / 200:.1f} us on 2 engines" in rate["how"]
    assert not multiprocessing.active_children()


def test_the_rate_over_that_of_pytorch(short, monkeypatch):
    """With rates made up, of which the second is the better one, and a step of 10 ms: agents hardly meet."""
    steps = host_times.StepTimes((0.01,) * 400, 0.0, 2)
    monkeypatch.setattr(system, "measure_steps", lambda *arguments: steps)
    monkeypatch.setattr(system, "measure_interaction", lambda hardware: 0.001)
    monkeypatch.setattr(
        "rewardware.sw.systems.a3c.bench.torch_agents.explorations_per_second",
        lambda env, shape, config, processes, seconds: 8.0 * processes,
    )
    (against,) = A3CBench().rows(["eps_vs_cpu"])
    # A step takes 12 ms with both ways, five of them 60; engines take microseconds.
    expected = 2 / (5 * 0.012) / 16
    assert expected == pytest.approx(2.083, abs=1e-3) and against["value"] == pytest.approx(expected, abs=0.01)
    assert (against["unit"], against["kind"], against["paper"]) == ("times", "model", 1.83)
    assert "33 explorations/s over 16 of PyTorch with 2 processes" in against["how"]
    assert "(by their number 1: 8, 2: 16)" in against["how"]


def test_rows_of_the_deployment(short):
    saved, drop = A3CBench().rows(["m_star_saving", "waiting_drop"])
    assert {row["unit"] for row in (saved, drop)} == {"%"} and {row["kind"] for row in (saved, drop)} == {"model"}
    assert (saved["paper"], drop["paper"]) == (62.5, 32.2)
    assert saved["value"] in (0, 33.3, 66.7)
    assert "of 3, of each kind (paper: 6)" in saved["how"] and "(paper: 2.8)" in drop["how"]


def test_nobody_who_waits_is_said(short, monkeypatch):
    """With environments that take nearly all time, and then with some that take about half."""

    def measured(seconds):
        return lambda *arguments: host_times.StepTimes((seconds,), 0.0, 3)

    monkeypatch.setattr(deployment, "AGENTS", 1)
    monkeypatch.setattr(deployment, "measure_steps", measured(1.0))
    (drop,) = A3CBench().rows(["waiting_drop"])
    assert drop["value"] == 0 and drop["how"].startswith("nobody waits for training at ratio 1, so nothing can drop; ")
    deployment._chosen.cache_clear()
    monkeypatch.setattr(deployment, "AGENTS", 3)
    (drop,) = A3CBench().rows(["waiting_drop"])
    assert drop["how"].startswith("hardly anybody waits, for environments take nearly all time; ")
    deployment._chosen.cache_clear()
    monkeypatch.setattr(deployment, "AGENTS", 8)
    monkeypatch.setattr(deployment, "EXPLORATIONS", 160)
    monkeypatch.setattr(deployment, "measure_steps", measured(6e-5))
    monkeypatch.setattr(deployment, "measure_interaction", lambda hardware: 0.0)
    (drop,) = A3CBench().rows(["waiting_drop"])
    chosen = deployment._chosen()[0]
    assert drop["value"] == round(chosen.waiting_drop_percent, 1) and drop["how"].startswith("eta* = ")


def test_resources_are_those_of_the_whole_device(monkeypatch):
    """With a synthesis made up: what is asked of it, and what is told."""
    asked = []

    def synthesise(verilog, top, target, **options):
        asked.append((top, target, options))
        total = Resources(lut=3036.4, ff=5.0, dsp=28.0, bram=1.0)
        return SimpleNamespace(result=SimpleNamespace(total=total))

    monkeypatch.setattr(tool_cache, "synthesise_once", synthesise)
    monkeypatch.setattr(
        "rewardware.sw.measurement.elaboration.elaborate_design",
        lambda name, preset: SimpleNamespace(name=name, verilog=preset),
    )
    resources._synthesised.cache_clear()
    lut, dsp = (resources.device_resource(resource, "small") for resource in ("lut", "dsp"))
    resources._synthesised.cache_clear()
    assert asked == [("a3c", "xc7", {"depth": 1, "netlist": False})]
    assert (lut["value"], lut["unit"], lut["paper"]) == (3036, "LUT6", 228_475)
    assert (dsp["value"], dsp["unit"], dsp["paper"]) == (28, "DSP48E1", 689)
    assert lut["kind"] == dsp["kind"] == "synthesised"
    assert "1.0 % of xc7vx485t" in lut["how"] and "preset small" in dsp["how"]


def test_steps_of_environments_at_once():
    found = host_times.measure_steps(GAME, 2, 0.2)
    assert found.processes == 2 and len(found.seconds) > 20 and min(found.seconds) > 0
    # Random episodes of CartPole are short.
    assert 0 < found.beginnings < 1
    assert f"2 processes at once on {os.cpu_count()} cores" in str(found)
    assert not multiprocessing.active_children()


def test_a_process_that_fails_is_told_and_none_is_left():
    with pytest.raises(RuntimeError, match="A process of the bench ended with exit code 1 before it answered"):
        host_times.measure_steps("NoSuchGame-v0", 2, 0.1)
    assert not multiprocessing.active_children()
    with pytest.raises(RuntimeError, match="A process of the bench ended with exit code 1"):
        explorations_per_second("NoSuchGame-v0", SHAPE, CONFIG, 2, 0.1)
    assert not multiprocessing.active_children()


def _never_answers(link):
    link.recv()


def test_a_process_that_does_not_answer_is_not_waited_for():
    worker = WorkerProcess(_never_answers, 5)
    worker.start()
    with pytest.raises(RuntimeError, match=r"has not answered for 0\.1 seconds"):
        host_times.require_message(worker, 0.1)
    worker.stop()


def test_bytes_there_and_back():
    # A header with the reward, four numbers of an observation; a header with two probabilities, then the value.
    assert host_times.packet_bytes(SMALL) == (2 * 16, 16)
    assert host_times.packet_bytes(load_preset("paper", "a3c")) == ((1 + 8) * 64, 64)
    assert 0 < host_times.measure_interaction(SMALL, 20) < 1
    assert not multiprocessing.active_children()


def test_agents_on_pytorch_train_as_the_service_does():
    """Rollout after rollout of one agent: actions and parameters."""
    config = dataclasses.replace(CONFIG, agents=1, learning_rate=0.01)
    shared = SharedAgents.of(SHAPE, 1)
    environment = ByteEnvironment(GAME, 3)
    agent = TorchAgent(SHAPE, config, shared, environment, 3)
    initial = SHAPE.initial_parameters(np.random.default_rng(0))
    service = TorchAgentsService(SHAPE, config, initial)
    steps = []
    step = environment.step

    def recorded(action):
        before = environment.observation
        steps.append((before, int(action), *step(action)))
        return steps[-1][2:]

    environment.step = recorded
    for _ in range(30):
        steps.clear()
        agent.explore()
        for number, (before, action, after, reward, terminated, _) in enumerate(steps):
            if not number:
                service.serve([AgentRequest(agent=0, observation=before)])
            last = number == len(steps) - 1
            service.serve(
                [
                    AgentRequest(
                        agent=0,
                        action=action,
                        reward=reward,
                        observation=None if terminated else after,
                        train=last,
                    )
                ]
            )
        row = np.concatenate([values.ravel() for values in service.parameters().values()])
        assert np.allclose(shared.parameters.numpy(), row, rtol=1e-4, atol=1e-6)
    assert environment.episode > 0
    assert not np.allclose(row, np.concatenate([values.ravel() for values in initial.values()]))


def test_processes_share_what_they_learn():
    rate = explorations_per_second(GAME, SHAPE, CONFIG, 2, 0.3)
    assert rate > 1
    assert not multiprocessing.active_children()


def test_processes_end_with_the_one_that_asked(monkeypatch):
    """Processes end as with Ctrl-C while the bench counts."""

    def interrupted(seconds):
        raise KeyboardInterrupt

    began = multiprocessing.active_children()
    monkeypatch.setattr("rewardware.sw.systems.a3c.bench.torch_agents.time.sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        explorations_per_second(GAME, SHAPE, CONFIG, 2, 60)
    assert multiprocessing.active_children() == began == []
