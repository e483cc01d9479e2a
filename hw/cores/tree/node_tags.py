"""Tags of the nodes that a stage holds, and who needs each of them."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..replicated import replicated
from .config import TreeConfig
from .score_pass import most_passes
from .stage_layouts import place_layout
from .stage_ports import FrontPort, LookupPort

__all__ = ["NodeTags"]

# Requests with a slot that are not in the queue: one before it, three after it.
OUTSIDE_QUEUE = 4


class NodeTag(ConfiguredComponent):
    """Tag of the node in one slot, compared with the node that is looked up: one entry of a content-addressed memory.

    It stands once for each slot, as a unit of its own: synthesis finds the LUTs of the comparison best without what is
    around it.

    Latency: 1 cycle to ``matches``; a tag counts from the cycle after ``take`` on. No back-pressure.

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
        ``node`` was the slot's in the cycle before.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(config, {"node": In(place_layout(config)), "take": In(1), "clear": In(1), "matches": Out(1)})

    def elaborate(self, platform):
        m = Module()
        # No reset: a tree begins with a clear.
        tag, valid = Signal.like(self.node, reset_less=True), Signal(reset_less=True)
        with m.If(self.take):
            m.d.sync += [tag.eq(self.node), valid.eq(1)]
        with m.Elif(self.clear):
            m.d.sync += valid.eq(0)
        m.d.sync += self.matches.eq(valid & (Value.cast(tag) == Value.cast(self.node)))
        return m


class NodeTags(ConfiguredComponent):
    """Tags of a stage's slots, a fully associative cache of nodes, with the requests and score passes that need each.

    A node is looked up by comparing it with all tags, in the cycle before a request acquires its slot. One that is not
    there takes the candidate, which CLOCK replacement chooses: a hand goes round the slots, past those that somebody
    needs and past those that were referenced since it came by last.

    Latency: 1 cycle from ``lookup.node`` to what is known of it; other outputs follow inputs in the same cycle. The
    next cycle shows what a strobe changes. No back-pressure.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    lookup : In(LookupPort)
    release, released : In
        A request no longer needs this slot; they come in the order in which slots were acquired.
    fill, filled : In
        The node of this slot has come.
    scored : Out(1)
        ``scored_when_filled`` of the slot ``filled``, as it was given.
    end_pass, ended : In
        The scores of this slot have been written. Passes of backups end in the order in which they began, after that
        of their node when it came.
    front : In(FrontPort)
    clear : In(1)
        Forget all nodes; only while ``idle``.
    idle : Out(1)
        Nobody needs any slot.
    """

    def __init__(self, config: TreeConfig):
        slot = range(config.slots)
        super().__init__(
            config,
            {
                "lookup": In(LookupPort(config)),
                "release": In(1),
                "released": In(slot),
                "fill": In(1),
                "filled": In(slot),
                "scored": Out(1),
                "end_pass": In(1),
                "ended": In(slot),
                "front": In(FrontPort(config)),
                "clear": In(1),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        count = self._config.slots
        tags = [replicated(NodeTag(self._config)) for _ in range(count)]
        # One bit per slot, as in all that follows.
        referenced, filled, unscored = (Signal(count, name=name) for name in ("referenced", "filled_slots", "unscored"))
        hand = Signal(count, init=1)
        matches, place, takes = (Signal(count, name=name) for name in ("matches", "place", "takes"))
        m.d.comb += [
            matches.eq(Cat(tag.matches for tag in tags)),
            self.lookup.hit.eq(matches.any()),
            place.eq(Mux(self.lookup.hit, matches, hand)),
            self.lookup.slot.eq(_number(place)),
            takes.eq(_if(self.lookup.acquire & ~self.lookup.hit, hand)),
        ]
        used = self._outstanding(
            m,
            "used",
            count + OUTSIDE_QUEUE,
            (self.lookup.acquire, self.lookup.slot, place),
            (self.release, self.released),
        )
        # The pass of a node that has come is its first one.
        of_backup = self.end_pass & ~unscored.bit_select(self.ended, 1)
        stale = self._outstanding(
            m,
            "stale",
            most_passes(self._config),
            (self.front.begin_pass, self.front.front, 1 << self.front.front),
            (of_backup, self.ended),
        )
        free = Signal()
        # A candidate that is free stays so until it is taken.
        m.d.sync += self.lookup.free.eq(free & ~takes.any())
        m.d.comb += [
            free.eq(~((used | stale | unscored | referenced) & hand).any()),
            self.front.filled.eq(filled.bit_select(self.front.front, 1)),
            self.front.settled.eq(~(stale | unscored).bit_select(self.front.front, 1)),
            self.scored.eq(unscored.bit_select(self.filled, 1)),
            self.idle.eq(~(used | stale | unscored).any()),
        ]
        with m.If(~free | takes.any()):
            m.d.sync += hand.eq(hand.rotate_left(1))
        for number, tag in enumerate(tags):
            m.submodules[f"tag_{number}"] = tag
            m.d.comb += [tag.node.eq(self.lookup.node), tag.take.eq(takes[number]), tag.clear.eq(self.clear)]
        m.d.sync += [
            referenced.eq((referenced & ~hand) | _if(self.lookup.acquire, matches)),
            filled.eq((filled & ~takes) | _if(self.fill, 1 << self.filled)),
            unscored.eq((unscored & ~_if(self.end_pass, 1 << self.ended)) | _if(self.lookup.scored_when_filled, takes)),
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
        m.submodules[f"{name}_numbers"] = numbers = Memory(number, MemoryConfig(depth=self._config.slots, latency=0))
        write, (read,) = numbers.write, numbers.reads
        newest, oldest = Signal(number, name=f"{name}_newest"), Signal(number, name=f"{name}_oldest")
        m.d.comb += [write.address.eq(begun), write.enable.eq(begin), write.data.eq(newest), read.address.eq(ended)]
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
