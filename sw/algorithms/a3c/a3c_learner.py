"""A3C on the host: from what comes of environments to requests, from answers to actions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...actors.agent_environment import AgentEnvironments, Arrival
from .a3c_hyper_parameters import A3CHyperParameters
from .a3c_shape import A3CShape, Arrays
from .order import ServiceOrder
from .policy import draw
from .service import AgentAnswer, AgentRequest, AgentsService, rates_of

__all__ = ["A3CLearner", "MakeService"]

MakeService = Callable[[A3CShape, A3CHyperParameters, Arrays], AgentsService]

COUNTED = ("begun", "steps", "updates", "dropped")


@dataclass
class _Agent:
    """An agent's rollout under way, and where its actions come from."""

    generator: np.random.Generator
    observations: list[np.ndarray] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)

    def forget(self) -> None:
        """Begin another rollout."""
        self.observations, self.actions, self.rewards = [], [], []


class A3CLearner:
    """Agents that are served as their environments come.

    An agent is trained behind ``rollout_steps`` steps, or at the end of an episode; the next rollout begins in the
    state in which the one before was cut. Where an episode was truncated, the value of its last state stands for what
    would have followed.

    Parameters
    ----------
    shape
        Sizes of the network.
    config
        Hyper-parameters; first parameters and draws come from its seed.
    make_service
        Makes what infers and trains, from shape, configuration and the first parameters.
    environments
        Environments of the agents.

    Members
    -------
    service
        What infers and trains.
    order
        Order in which agents were served.
    steps
        Environment steps taken.
    updates
        Done so far.
    dropped
        Steps of rollouts that were lost with their environments.
    begun
        Whether environments were asked for their first episodes.
    """

    def __init__(
        self,
        shape: A3CShape,
        config: A3CHyperParameters,
        make_service: MakeService,
        environments: AgentEnvironments,
    ):
        self.shape, self.config, self.environments = shape, config, environments
        weights, *draws = np.random.SeedSequence(config.seed).spawn(1 + config.agents)
        self.service = make_service(shape, config, shape.initial_parameters(np.random.default_rng(weights)))
        self._agents = [_Agent(np.random.default_rng(seed)) for seed in draws]
        # Agents whose rollouts begin in a state that has come already.
        self._waiting: dict[int, np.ndarray] = {}
        self.order = ServiceOrder()
        self.steps = self.updates = self.dropped = 0
        self.begun = False
        self._told: dict[str, float] = {}

    def round(self) -> list[dict[str, Any]]:
        """Serve everything that has come, at least one agent.

        Returns
        -------
        A record for each environment step: ``step``, ``reward``; at the end of an episode ``return``, ``length``.

        Raises
        ------
        EnvironmentFailure
            An environment failed: everything is as before its step.
        FloatingPointError
            A probability is no number: training has diverged.
        """
        if not self.begun:
            self._begin()
        waiting = list(self._waiting)
        arrivals = self.environments.arrivals(wait=not waiting)
        return self._serve(arrivals, [*waiting, *(arrival.agent for arrival in arrivals)])

    def _begin(self) -> None:
        for agent in range(self.config.agents):
            self.environments.begin(agent)
        self.begun = True

    def _serve(self, arrivals: list[Arrival], agents: list[int]) -> list[dict[str, Any]]:
        """Serve agents in that order, whose environments have come, or whose rollouts begin; records as of `round`."""
        if self.config.anneal_steps:
            self.service.set_rates(rates_of(self.config, self.steps))
        came = {arrival.agent: arrival for arrival in arrivals}
        requests = {
            agent: AgentRequest(agent=agent, observation=self._waiting.pop(agent))
            if agent in self._waiting
            else self._request(came[agent])
            for agent in agents
        }
        answers = self.service.serve(list(requests.values()))
        lost = {arrival.agent: arrival.lost for arrival in arrivals}
        self.order.add([answer.agent for answer in answers], lost)
        records = []
        for answer in answers:
            arrival = came.get(answer.agent)
            if arrival is not None and arrival.reward is not None:
                records.append(self._record(arrival))
            self._go_on(answer, requests[answer.agent], arrival)
        return records

    def _request(self, arrival: Arrival) -> AgentRequest:
        own = self._agents[arrival.agent]
        if arrival.reward is None:
            if arrival.lost:
                self.dropped += len(own.rewards)
                own.forget()
            return AgentRequest(agent=arrival.agent, forget=arrival.lost > 0, observation=arrival.observation)
        own.rewards.append(self.config.learned_reward(arrival.reward))
        return AgentRequest(
            agent=arrival.agent,
            action=own.actions[-1],
            reward=own.rewards[-1],
            observation=None if arrival.terminated else arrival.observation,
            train=arrival.ends or len(own.rewards) == self.config.rollout_steps,
        )

    def _record(self, arrival: Arrival) -> dict[str, Any]:
        self.steps += 1
        record: dict[str, Any] = {"step": self.steps, "reward": arrival.reward}
        if arrival.ends:
            record |= {"return": arrival.episode_return, "length": arrival.episode_length}
        return record

    def _go_on(self, answer: AgentAnswer, request: AgentRequest, arrival: Arrival | None) -> None:
        """Steps of an agent after an answer."""
        own = self._agents[answer.agent]
        if answer.trained:
            own.forget()
            self.updates += 1
            self._told |= answer.report
            assert arrival is not None
            if arrival.ends:
                self.environments.begin(answer.agent)
            else:
                self._waiting[answer.agent] = arrival.observation
            return
        assert answer.probabilities is not None and request.observation is not None
        if not np.isfinite(answer.probabilities).all():
            raise FloatingPointError(
                f"Probabilities of agent {answer.agent} after {self.updates} updates must be finite, not "
                f"{answer.probabilities.tolist()}: training has diverged"
            )
        self._tell(answer)
        action = draw(answer.probabilities, own.generator)
        own.observations.append(request.observation)
        own.actions.append(action)
        self.environments.step(answer.agent, action)

    def _tell(self, answer: AgentAnswer) -> None:
        assert answer.probabilities is not None and answer.value is not None
        some = answer.probabilities[answer.probabilities > 0].astype(np.float64)
        self._told |= {"entropy": float(-(some * np.log(some)).sum()), "value": answer.value}

    def replay(self, order: ServiceOrder) -> None:
        """Do again what was done in that order, from the beginning.

        The environments must be :class:`.InProcessEnvironments`; whatever was then lost is lost again.
        """
        environments: Any = self.environments
        self._begin()
        for call in order.calls():
            for agent, lost in call:
                if lost:
                    environments.lose(agent, lost)
            agents = [agent for agent, _ in call]
            self._serve(environments.arrivals(of=agents), agents)

    def statistics(self) -> dict[str, float] | None:
        """``entropy`` and ``value`` of the last answers; what the service says about the last update, such as
        ``advantage``; the learning rate. ``None`` before the first update."""
        if not self.updates:
            return None
        return {**self._told, "learning_rate": self.config.learning_rate_at(self.steps)}

    def counters(self) -> dict[str, Any]:
        """Updates; environments that were lost, and steps of rollouts dropped with them; what the service counts."""
        lost = {"restarts": self.environments.restarts, "dropped": self.dropped}
        return {"updates": self.updates, **lost, **self.service.counters()}

    def save(self) -> Arrays:
        """The service's parameters."""
        return self.service.save()

    def load(self, arrays: Arrays) -> None:
        """Take back what `save` gave."""
        self.service.load(arrays)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Rollouts under way, random numbers, counts and the order so far: arrays and plain numbers."""
        arrays = {"order": self.order.array()}
        arrays |= {f"waiting/{agent}": observation for agent, observation in self._waiting.items()}
        for agent, own in enumerate(self._agents):
            if own.observations:
                arrays[f"observations/{agent}"] = np.stack(own.observations)
        rest = {name: getattr(self, name) for name in COUNTED}
        agents = [
            {"actions": own.actions, "rewards": own.rewards, "generator": own.generator.bit_generator.state}
            for own in self._agents
        ]
        return arrays, {**rest, "agents": agents, "waiting": list(self._waiting), "told": self._told}

    def restore(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        """Take back what `state` gave, behind `load`; the service is asked again for rollouts under way."""
        self.order = ServiceOrder(arrays["order"])
        for name in COUNTED:
            setattr(self, name, rest[name])
        self._told = dict(rest["told"])
        self._waiting = {agent: arrays[f"waiting/{agent}"] for agent in rest["waiting"]}
        for agent, (own, about) in enumerate(zip(self._agents, rest["agents"], strict=True)):
            own.generator.bit_generator.state = about["generator"]
            own.observations = list(arrays.get(f"observations/{agent}", ()))
            own.actions, own.rewards = list(about["actions"]), list(about["rewards"])
            self._ask_again(agent, own)

    def _ask_again(self, agent: int, own: _Agent) -> None:
        """Repeat the requests to the service for the rollout under way."""
        for number, observation in enumerate(own.observations):
            action, reward = (own.actions[number - 1], own.rewards[number - 1]) if number else (None, 0.0)
            self.service.serve([AgentRequest(agent=agent, action=action, reward=reward, observation=observation)])

    def close(self) -> None:
        """Let go of service and environments."""
        try:
            self.service.close()
        finally:
            self.environments.close()
