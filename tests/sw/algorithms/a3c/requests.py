"""Services of small agents, and rollouts asked of them."""

import numpy as np

from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from rewardware.sw.algorithms.a3c.a3c_shape import A3CShape
from rewardware.sw.algorithms.a3c.reference_service import ReferenceAgentsService
from rewardware.sw.algorithms.a3c.service import AgentRequest
from rewardware.sw.algorithms.a3c.torch_service import TorchAgentsService

__all__ = ["CONFIG", "KINDS", "SHAPE", "make", "play"]

CONFIG = A3CHyperParameters(agents=3, hidden_sizes=(7, 6), rollout_steps=4, learning_rate=0.01, rms_prop_epsilon=0.01)
SHAPE = A3CShape(observation_size=5, actions=3, hidden_sizes=(7, 6))
KINDS = {"reference": ReferenceAgentsService, "torch": TorchAgentsService}


def make(kind, seed=0, config=CONFIG):
    """A service whose first parameters come from a seed."""
    return KINDS[kind](SHAPE, config, SHAPE.initial_parameters(np.random.default_rng(seed)))


def play(services, generator, rollouts):
    """Rollouts of agents side by side, asked of all services: their answers, a list for each."""
    answers = [[] for _ in services]

    def ask(requests):
        for service, told in zip(services, answers, strict=True):
            told.extend(service.serve(requests))

    def observation():
        return generator.normal(0, 1, 5).astype(np.float32)

    def acted(agent, **parts):
        return AgentRequest(agent=agent, action=int(generator.integers(3)), reward=float(generator.normal()), **parts)

    agents = range(CONFIG.agents)
    for _ in range(rollouts):
        steps = int(generator.integers(1, CONFIG.rollout_steps + 1))
        ask([AgentRequest(agent=agent, observation=observation()) for agent in agents])
        for _ in range(steps - 1):
            ask([acted(agent, observation=observation()) for agent in agents])
        order = generator.permutation(CONFIG.agents).tolist()
        # Some episodes end.
        ask([acted(agent, observation=None if agent == 1 else observation(), train=True) for agent in order])
    return answers
