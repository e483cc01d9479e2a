"""Which nodes a stage holds, and who needs them."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .config import TreeConfig
from .score_pass import most_passes
from .stage_layouts import place_layout

__all__ = ["SlotTable"]

# Requests with a slot that are not in the queue: one before it, three behind it.
OUTSIDE_QUEUE = 4


class SlotTable(wiring.Component):
    """Names of the nodes in a stage's slots, with the requests and score passes that need each of them.

    A node is looked up by comparing its name with all of them. One that is not there takes the candidate: a hand goes
    round the slots, past those that somebody needs and past those that were hit since it came by last.

    Latency: outputs follow inputs in the same cycle; what a strobe changes is seen in the next one.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    node : In(place_layout)
        To look up.
    hit : Out(1)
        It is there, or on its way.
    slot : Out(range(slots))
        The one it has, or else the candidate.
    free : Out(1)
        The candidate can be taken.
    acquire : In(1)
        A request needs the node: it takes its slot, or the candidate, which must be free.
    scored_when_filled : In(1)
        Of a node that takes the candidate: whether its scores are to be made when it comes.
    release, released : In
        A request no longer needs this slot; they come in the order in which slots were acquired.
    fill, filled : In
        The node of this slot has come.
    scored : Out(1)
        Of the slot ``filled``: ``scored_when_filled`` as it was given.
    begin_pass : In(1)
        A backup of the node of the front slot will make new scores.
    end_pass, ended : In
        The scores of this slot have been written. Passes of backups end in the order in which they began, behind that
        of their node when it came.
    front : In(range(slots))
    front_filled, front_settled : Out(1)
        Whether the node of this slot has come; and whether no scores of it are to be written any more.
    clear : In(1)
        Forget all nodes; only while ``idle``.
    idle : Out(1)
        Nobody needs any slot.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        slot = range(config.slots)
        super().__init__(
            {
                "node": In(place_layout(config)),
                "hit": Out(1),
                "slot": Out(slot),
                "free": Out(1),
                "acquire": In(1),
                "scored_when_filled": In(1),
                "release": In(1),
                "released": In(slot),
                "fill": In(1),
                "filled": In(slot),
                "scored": Out(1),
                "begin_pass": In(1),
                "end_pass": In(1),
                "ended": In(slot),
                "front": In(slot),
                "front_filled": Out(1),
                "front_settled": Out(1),
                "clear": In(1),
                "idle": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        count = self._config.slots
        names = [Signal(place_layout(self._config), name=f"name_{number}") for number in range(count)]
        named, recent, filled, unscored = (
            Signal(count, name=name) for name in ("named", "recent", "filled_slots", "unscored")
        )
        matches = Signal(count)
        hand = Signal(range(count))
        taken = Signal()
        index = Signal(range(count))
        for number in range(count):
            with m.If(matches[number]):
                m.d.comb += index.eq(number)
        m.d.comb += [
            self.hit.eq(matches.any()),
            self.slot.eq(Mux(self.hit, index, hand)),
            taken.eq(self.acquire & ~self.hit),
        ]
        used = self._outstanding(
            m, "used", count + OUTSIDE_QUEUE, (self.acquire, self.slot), (self.release, self.released)
        )
        # The pass of a node that has come is its first one.
        of_backup = self.end_pass & ~unscored.bit_select(self.ended, 1)
        stale = self._outstanding(
            m, "stale", most_passes(self._config), (self.begin_pass, self.front), (of_backup, self.ended)
        )
        m.d.comb += [
            self.free.eq(~(used | stale | unscored | recent).bit_select(hand, 1)),
            self.front_filled.eq(filled.bit_select(self.front, 1)),
            self.front_settled.eq(~(stale | unscored).bit_select(self.front, 1)),
            self.scored.eq(unscored.bit_select(self.filled, 1)),
            self.idle.eq(~(used | stale | unscored).any()),
        ]
        with m.If(~self.free | taken):
            m.d.sync += hand.eq(Mux(hand == count - 1, 0, hand + 1))
        for number, name in enumerate(names):
            takes = Signal(name=f"takes_{number}")
            m.d.comb += [
                matches[number].eq(named[number] & (Value.cast(name) == Value.cast(self.node))),
                takes.eq(taken & (hand == number)),
            ]
            with m.If(self.end_pass & (self.ended == number)):
                m.d.sync += unscored[number].eq(0)
            with m.If(self.fill & (self.filled == number)):
                m.d.sync += filled[number].eq(1)
            with m.If(takes):
                m.d.sync += [
                    name.eq(self.node),
                    named[number].eq(1),
                    filled[number].eq(0),
                    unscored[number].eq(self.scored_when_filled),
                ]
            with m.If(self.acquire & matches[number]):
                m.d.sync += recent[number].eq(1)
            with m.Elif(hand == number):
                m.d.sync += recent[number].eq(0)
        with m.If(self.clear):
            m.d.sync += named.eq(0)
        return m

    def _outstanding(self, m, name, most, begins, ends):
        """Slots of which something has begun that has not ended, a bit each; what begins first ends first.

        Whatever begins has a number, and a slot's last one is kept: with its end the slot is free.
        """
        (begin, begun), (end, ended) = begins, ends
        outstanding = Signal(self._config.slots, name=name)
        # Numbers go round; no more than ``most`` are outstanding.
        number = range(most)
        m.submodules[f"{name}_numbers"] = numbers = memory.Memory(shape=number, depth=self._config.slots, init=[])
        write, read = numbers.write_port(), numbers.read_port(domain="comb")
        newest, oldest = Signal(number, name=f"{name}_newest"), Signal(number, name=f"{name}_oldest")
        m.d.comb += [write.addr.eq(begun), write.en.eq(begin), write.data.eq(newest), read.addr.eq(ended)]
        m.d.sync += [newest.eq(newest + begin), oldest.eq(oldest + end)]
        for slot in range(self._config.slots):
            with m.If(end & (read.data == oldest) & (ended == slot)):
                m.d.sync += outstanding[slot].eq(0)
            with m.If(begin & (begun == slot)):
                m.d.sync += outstanding[slot].eq(1)
        return outstanding
