"""Commands of the elementwise unit, cycle by cycle."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import take_fields
from .elementwise_config import Combination, ElementwiseConfig
from .elementwise_layouts import ISSUED, elementwise_command, elementwise_issue_layout

__all__ = ["ElementwiseSequencer"]


class ElementwiseSequencer(ConfiguredComponent):
    """Issues the words of a command, feature by feature, and completes it when they are written.

    A command with ``wait`` begins when all before it is written, and so does one with the other gradient than the one
    before: one adder and one multiplier make both.

    Latency: one cycle from a command to its first issue, ``latency`` from its last issue to its completion. Throughput:
    ``ceil(blocks / width)`` cycles a feature, commands back to back unless one waits. Back-pressure: commands wait;
    issues wait for nothing.

    Parameters
    ----------
    config : ElementwiseConfig
    latency : int
        Cycles from the read of a word to its write.

    Members
    -------
    commands : In(stream.Signature(elementwise_command(config)))
    issue : Out(elementwise_issue_layout(config))
    completions : Out(stream.Signature(1))
        Ready must be 1.
    busy : Out(1)
    """

    def __init__(self, config: ElementwiseConfig, latency: int):
        self._latency = latency
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(elementwise_command(config))),
                "issue": Out(elementwise_issue_layout(config)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        issue, command, offered = self.issue, self.issue.command, self.commands.payload
        taken, empty, ending = Signal(), Signal(), Signal()
        strides, features = Signal(data.ArrayLayout(len(offered.a.stride), 5)), Signal.like(offered.features)
        # A bit for each cycle from issue to write: there is a word, and it is the last of its command.
        under_way, ends, nothing = Signal(self._latency), Signal(self._latency), Signal()
        m.d.comb += [
            empty.eq(offered.features == 0),
            taken.eq(self.commands.valid & self.commands.ready),
            # The completion of a command that does nothing must not meet another's.
            self.commands.ready.eq(
                (~issue.active | ending) & ~((self._must_wait(m) | empty) & (issue.active | under_way.any()))
            ),
            self.completions.valid.eq(ends[-1] | nothing),
            self.busy.eq(issue.active | under_way.any()),
        ]
        m.d.sync += [
            under_way.eq(Cat(issue.active, under_way)),
            ends.eq(Cat(ending, ends)),
            nothing.eq(taken & empty),
        ]
        self._walk(m, ending, strides, features)
        with m.If(ending):
            m.d.sync += issue.active.eq(0)
        with m.If(taken):
            words = [*(offered[name] for name in "abc"), *offered.destinations]
            places = [*issue.addresses, *issue.targets]
            held = [*(command[name] for name in "abc"), *command.destinations]
            m.d.sync += [issue.active.eq(~empty), issue.part.eq(0), features.eq(offered.features)]
            m.d.sync += [command[name].eq(offered[name]) for name in ISSUED]
            for word, place, stride, part in zip(words, places, strides, held, strict=True):
                m.d.sync += [place.eq(word.base), stride.eq(word.stride), *take_fields(part, word)]
        return m

    def _walk(self, m, ending, strides, features):
        """Part by part, and feature by feature; ``ending`` is set with the last one."""
        issue, command = self.issue, self.issue.command
        feature, last_part = Signal.like(features), Signal()
        m.d.comb += [
            last_part.eq((issue.part + 1) * self._config.width >= command.blocks),
            ending.eq(issue.active & last_part & (feature + 1 == features)),
        ]
        with m.If(issue.active & last_part):
            m.d.sync += [issue.part.eq(0), feature.eq(feature + 1)]
            for place, stride in zip([*issue.addresses, *issue.targets], strides, strict=True):
                m.d.sync += place.eq(place + stride)
        with m.Elif(issue.active):
            m.d.sync += issue.part.eq(issue.part + 1)
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += feature.eq(0)

    def _must_wait(self, m):
        """Whether the command that is offered may not begin before all others are written."""
        offered, last_gradient = self.commands.payload, Signal(3)
        gradient = offered.second >= Combination.SIGMOID_GRADIENT
        with m.If(self.commands.valid & self.commands.ready & gradient):
            m.d.sync += last_gradient.eq(offered.second)
        return offered.wait | (gradient & (offered.second != last_gradient))
