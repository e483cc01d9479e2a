"""Parts that learners of an actor and critics share: the ways of observations and actions, and the end of a step."""

from amaranth.lib import wiring

from ..layer.layer_parameters import target_member
from .learner import PerceptronLearner

__all__ = ["ActorCriticLearner", "to_critic", "waiting_samples"]


class ActorCriticLearner(PerceptronLearner):
    """Takes gradient steps of an actor and critics; base of DDPG's and of SAC's learner.

    Parameters and members are those of :class:`.PerceptronLearner`.
    """

    def _to_actor(self, m, control, name, actor, more=0, start=None):
        """Observations to an actor, and once more to where they wait for its actions, ``more`` samples of them."""
        elements = self._config.observations
        numbers = self._gate(m, control, name, elements, start=start)
        depth = (waiting_samples(actor) + more) * elements
        return self._take_twice(m, name, numbers, actor.inputs[0], depth)

    def _control(self, m, control, network, parameters, backward):
        """The end of a gradient step of a network, what it takes, and its parameters to the host and from it."""
        self._end_step(m, control, network, parameters, backward)
        self._transfer(m, control, network, parameters)
        m.d.comb += parameters.rates.eq(getattr(self, f"{network.name.lower()}_rates"))
        m.d.comb += [getattr(parameters, name).eq(getattr(self, name)) for name in target_member(parameters.updates[0])]


def to_critic(m, observations, actions, critic):
    """Observations, each with its action, to a critic."""
    for source, sink in zip((observations, actions), critic.inputs, strict=True):
        wiring.connect(m, source, sink)


def waiting_samples(forward):
    """Samples on their way from the inputs of a network to their gradient."""
    first = forward.config.linear[0]
    return forward.config.waiting_samples(first.source, first.name)
