"""The loss of MAAC's critics."""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.stream_expression import stream_expression
from ..checks import require_integer
from ..component import ConfiguredComponent
from ..float.config import FloatLaneConfig
from ..float.expression import Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.logarithm import FloatLogarithm
from ..stream.connect import connect_field, connect_handshake
from ..stream.element_choice import ElementChoice
from ..stream.join import StreamJoin
from ..stream.one_hot import OneHot
from ..stream.ways import buffer_to, fork_stream
from .categorical_sampler import choice_layout

__all__ = ["AttentiveCriticLoss", "outcome_layout", "verdict_layout"]

# Samples whose parts wait for those of other ways.
WAITING = 4


def outcome_layout(config: FloatLaneConfig, count: int):
    """Layout of a sample besides its values: the action that was taken, and its outcome."""
    width = config.format.width
    return data.StructLayout({"action": range(max(count, 2)), "reward": width, "discount": width})


def verdict_layout(config: FloatLaneConfig):
    """The value of the action that was taken, and how far it is from what it should have been."""
    return data.StructLayout(dict.fromkeys(("value", "error"), config.format.width))


class AttentiveCriticLoss(ConfiguredComponent):
    """Computes each sample's error of the soft value, and the derivative of the loss by the values::

        target = reward + discount * (next_values[next action] - log(its probability) * entropy_share)
        error = values[action] - target
        derivative = slope * error

    A sample is an agent's part of an experience. The discount is 0 where nothing follows. Derivatives by values of
    actions that were not taken are +0.

    Number format: ``config.format``; every operation is rounded, in the order written.

    ::

        values ------> of the action ------.
        outcomes -> wait ------------------+-> error, derivative -+-> OneHot -> errors
        next_values -> of the next action -+                      `-----------> verdicts
        choices -> probability ------------'

    Latency: that of its parts. Throughput: a sample in ``count + 1`` cycles. Back-pressure: a sample is worked on while
    there is room for what comes out.

    Parameters
    ----------
    config : FloatLaneConfig
    count : int
        Actions, 2 to 4096.

    Members
    -------
    values : In(stream of width)
        The critic's of action 0 of a sample, then 1, and so on.
    next_values : In(stream of width)
        The target critic's at the next observations.
    outcomes : In(stream of ``outcome_layout(config, count)``)
    choices : In(stream of ``choice_layout(config, count)``)
        The actions that the target policies have drawn.
    entropy_share : In(width)
        Worth of a unit of entropy, 1 / reward scale; constant while a step is under way, as is the next.
    slope : In(width)
        2 / experiences of the batch.
    errors : Out(stream of width)
    verdicts : Out(stream of ``verdict_layout(config)``)

    Source
    ------
    S. Iqbal and F. Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning", ICML 2019, equations 6 and 7.
    """

    def __init__(self, config: FloatLaneConfig, count: int):
        require_integer("Count", count, 2, 4096)
        self._count = count
        self._logarithm = FloatLogarithm(FloatFunctionConfig(format=config.format))
        width = config.format.width
        elements = stream.Signature(width)
        super().__init__(
            config,
            {
                "values": In(elements),
                "next_values": In(elements),
                "outcomes": In(stream.Signature(outcome_layout(config, count))),
                "choices": In(stream.Signature(choice_layout(config, count))),
                "entropy_share": In(width),
                "slope": In(width),
                "errors": Out(elements),
                "verdicts": Out(stream.Signature(verdict_layout(config))),
            },
        )

    @property
    def count(self):
        """Actions."""
        return self._count

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other."""
        return self._count + 1

    def elaborate(self, platform):
        m = Module()
        config, count = self._config, self._count
        width = config.format.width
        names = ("value", "following", "reward", "discount", "chance")
        m.submodules.parts = parts = StreamJoin(data.StructLayout(dict.fromkeys(names, width)))
        outcomes = fork_stream(m, "outcomes", wiring.flipped(self.outcomes), 4)
        choices = fork_stream(m, "choices", wiring.flipped(self.choices))
        self._choose(m, "value", self.values, outcomes[0], parts.i.value)
        self._choose(m, "next_value", self.next_values, choices[0], parts.i.following)
        buffer_to(m, "reward", outcomes[1], parts.i.reward, WAITING, "reward")
        buffer_to(m, "discount", outcomes[2], parts.i.discount, WAITING, "discount")
        buffer_to(m, "probability", choices[1], parts.i.chance, WAITING, "probability")
        computed = stream_expression(m, "error", config, parts.o, self._compute)
        slope, told = fork_stream(m, "computed", computed.o)
        m.submodules.derivatives = derivatives = OneHot(width, count)
        computing = self._logarithm.latency + 3 * (config.multiplier_depth + config.adder_depth)
        buffer_to(m, "action", outcomes[3], derivatives.places, WAITING - -computing // self.cycles, "action")
        connect_field(m, slope, "derivative", derivatives.values)
        wiring.connect(m, derivatives.o, wiring.flipped(self.errors))
        m.d.comb += [self.verdicts.payload[name].eq(told.payload[name]) for name in ("value", "error")]
        connect_handshake(m, told, self.verdicts)
        return m

    def _choose(self, m, name, elements, choices, sink):
        """The value of the action that was chosen."""
        m.submodules[name] = choice = ElementChoice(elements.payload.shape(), self._count)
        wiring.connect(m, wiring.flipped(elements), choice.elements)
        connect_field(m, choices, "action", choice.places)
        wiring.connect(m, choice.o, sink)

    def _compute(self, expression, parts):
        logarithm = expression.apply("logarithm", self._logarithm, Number(parts.chance, 0))
        entropy = expression.multiply("entropy", logarithm, self.entropy_share)
        following = expression.subtract("following", Number(parts.following, 0), entropy)
        discounted = expression.multiply("discounted", Number(parts.discount, 0), following)
        target = expression.add("target", Number(parts.reward, 0), discounted)
        value = Number(parts.value, 0)
        error = expression.subtract("difference", value, target)
        return {"value": value, "error": error, "derivative": expression.multiply("derivative", self.slope, error)}
