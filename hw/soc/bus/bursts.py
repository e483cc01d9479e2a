"""Cuts transfers into bursts."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent

__all__ = ["BurstGenerator", "beats_layout"]


def beats_layout(config):
    """Payload of a burst: ``address`` of its first beat, counted in beats, and the number of ``beats``."""
    return data.StructLayout(
        {"address": unsigned(config.beat_address_width), "beats": unsigned(config.burst_beats.bit_length())}
    )


class BurstGenerator(ConfiguredComponent):
    """Cuts a run of beats into bursts: each ends at a multiple of ``burst_beats``, or with the run.

    Every burst but the first and last has therefore ``burst_beats``, and none crosses a page of 4 KiB. A burst is
    offered when all of its beats are ``available``, or fewer and no more will be.

    Latency: two cycles from ``begin`` to the first burst. Throughput: a burst every two cycles, which is a beat a cycle
    from bursts of two beats. Back-pressure: a burst that is offered stays.

    Parameters
    ----------
    config : DataMoverConfig

    Members
    -------
    begin : :py:`In(1)`, address : :py:`In(beat_address_width)`
        One cycle: a run begins at that beat.
    available : :py:`In(beat_count_width)`
        Beats of the run that are in no burst yet. When a burst is taken, its owner has them less in the next cycle.
    final : :py:`In(1)`
        No more become available.
    room : :py:`In(1)`
        One burst more may be under way.
    bursts : :py:`Out(stream.Signature(beats_layout(config)))`
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "begin": In(1),
                "address": In(config.beat_address_width),
                "available": In(config.beat_count_width),
                "final": In(1),
                "room": In(1),
                "bursts": Out(stream.Signature(beats_layout(config))),
            },
        )
        # Where the next burst begins: for proofs.
        self.position = Signal(config.beat_address_width)

    @property
    def latency(self):
        """Cycles from ``begin`` to the first burst, where its beats are available."""
        return 2

    def elaborate(self, platform):
        m = Module()
        within = self.config.burst_beats.bit_length() - 1
        burst = self.bursts.payload
        position = self.position
        up_to_end = Signal(range(self.config.burst_beats + 1))
        whole = Signal()
        m.d.comb += [
            up_to_end.eq(self.config.burst_beats - position[:within]),
            whole.eq(self.available >= up_to_end),
        ]
        with m.If(self.begin):
            m.d.sync += position.eq(self.address)
        with m.If(self.bursts.valid):
            with m.If(self.bursts.ready):
                m.d.sync += self.bursts.valid.eq(0)
                # A multiple follows a whole burst; nothing of this run follows another one.
                m.d.sync += [position[:within].eq(0), position[within:].eq(position[within:] + 1)]
        with m.Elif(self.room & ~self.begin & (whole | (self.final & self.available.any()))):
            m.d.sync += [
                self.bursts.valid.eq(1),
                burst.address.eq(position),
                burst.beats.eq(Mux(whole, up_to_end, self.available[: within + 1])),
            ]
        return m
