"""Which nodes a stage holds, and who needs them."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..replicated import replicated
from .config import TreeConfig
from .score_pass import most_passes
from .stage_layouts import place_layout

__all__ = ["SlotTable"]

# Requests with a slot that are not in the queue: one before it, three behind it.
OUTSIDE_QUEUE = 4


class SlotName(wiring.Component):
    """Name of the node in one slot, compared with the one that is looked up.

    It stands once for each slot, as a unit of its own: tables for the comparison are found best without what is around
    it.

    Latency: none to ``matches``; a name counts from the cycle behind ``take`` on.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    node : In(place_layout)
    take : In(1)
        ``node`` is the slot's from now on.
    clear : In(1)
        The slot has no node; not together with ``take``.
    matches : Out(1)
        ``node`` is the slot's.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        super().__init__({"node": In(place_layout(config)), "take": In(1), "clear": In(1), "matches": Out(1)})

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        # No reset: a tree begins with a clear.
        name, named = Signal.like(self.node, reset_less=True), Signal(reset_less=True)
        with m.If(self.take):
            m.d.sync += [name.eq(self.node), named.eq(1)]
        with m.Elif(self.clear):
            m.d.sync += named.eq(0)
        m.d.comb += self.matches.eq(named & (Value.cast(name) == Value.cast(self.node)))
        return m


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
        names = [replicated(SlotName(self._config)) for _ in range(count)]
        # A bit a slot, as all that follows.
        recent, filled, unscored = (Signal(count, name=name) for name in ("recent", "filled_slots", "unscored"))
        hand = Signal(count, init=1)
        matches, place, takes = (Signal(count, name=name) for name in ("matches", "place", "takes"))
        m.d.comb += [
            matches.eq(Cat(name.matches for name in names)),
            self.hit.eq(matches.any()),
            place.eq(Mux(self.hit, matches, hand)),
            self.slot.eq(_number(place)),
            takes.eq(_if(self.acquire & ~self.hit, hand)),
        ]
        used = self._outstanding(
            m,
            "used",
            count + OUTSIDE_QUEUE,
            (self.acquire, self.slot, place),
            (self.release, self.released),
        )
        # The pass of a node that has come is its first one.
        of_backup = self.end_pass & ~unscored.bit_select(self.ended, 1)
        stale = self._outstanding(
            m,
            "stale",
            most_passes(self._config),
            (self.begin_pass, self.front, 1 << self.front),
            (of_backup, self.ended),
        )
        m.d.comb += [
            self.free.eq(~((used | stale | unscored | recent) & hand).any()),
            self.front_filled.eq(filled.bit_select(self.front, 1)),
            self.front_settled.eq(~(stale | unscored).bit_select(self.front, 1)),
            self.scored.eq(unscored.bit_select(self.filled, 1)),
            self.idle.eq(~(used | stale | unscored).any()),
        ]
        with m.If(~self.free | takes.any()):
            m.d.sync += hand.eq(hand.rotate_left(1))
        for number, name in enumerate(names):
            m.submodules[f"name_{number}"] = name
            m.d.comb += [name.node.eq(self.node), name.take.eq(takes[number]), name.clear.eq(self.clear)]
        m.d.sync += [
            recent.eq((recent & ~hand) | _if(self.acquire, matches)),
            filled.eq((filled & ~takes) | _if(self.fill, 1 << self.filled)),
            unscored.eq((unscored & ~_if(self.end_pass, 1 << self.ended)) | _if(self.scored_when_filled, takes)),
        ]
        return m

    def _outstanding(self, m, name, most, begins, ends):
        """Slots of which something has begun that has not ended, a bit each; what begins first ends first.

        Whatever begins has a number, and a slot's last one is kept: with its end the slot is free.
        """
        (begin, begun, begun_slots), (end, ended) = begins, ends
        outstanding = Signal(self._config.slots, name=name)
        # Numbers go round; no more than ``most`` are outstanding.
        number = range(most)
        m.submodules[f"{name}_numbers"] = numbers = memory.Memory(shape=number, depth=self._config.slots, init=[])
        write, read = numbers.write_port(), numbers.read_port(domain="comb")
        newest, oldest = Signal(number, name=f"{name}_newest"), Signal(number, name=f"{name}_oldest")
        m.d.comb += [write.addr.eq(begun), write.en.eq(begin), write.data.eq(newest), read.addr.eq(ended)]
        m.d.sync += [newest.eq(newest + begin), oldest.eq(oldest + end)]
        done = _if(end & (read.data == oldest), 1 << ended)
        m.d.sync += outstanding.eq((outstanding & ~done) | _if(begin, begun_slots))
        return outstanding


def _if(condition, bits):
    """The bits, or 0 unless the condition holds."""
    return Mux(condition, bits, 0)


def _number(slots):
    """Number of the only slot whose bit is 1."""
    width = range((len(slots) - 1).bit_length())
    return Cat(Cat(slots[number] for number in range(len(slots)) if number >> bit & 1).any() for bit in width)
