"""The comparators of the sparse data encoder: bit vectors of groups, and the lists of their features."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..bits import lowest
from ..component import ConfiguredComponent
from ..memory.ports import WritePort
from .config import SparseConfig
from .index_reader import indexes_layout
from .max_index import index_word
from .selection import place_of_block

__all__ = ["BitVectorGenerator", "list_start_layout", "requested_group_layout", "tuple_layout"]


def list_start_layout(config):
    """Where the lists of a layer begin. ``transposed``: its rows are listed, else the columns of each core."""
    return data.StructLayout(
        {"transposed": 1, "row_base": range(config.row_list), "column_base": range(config.column_list)}
    )


def requested_group_layout(config):
    """A group; ``fresh``: the first time, so that its list and its tuple are to be put out."""
    return data.StructLayout({"group": range(config.groups), "fresh": 1})


def tuple_layout(config):
    """The tuple of a group: bit vector, and for each core where its non-zero indexes begin and how many they are (the
    workload). ``transposed``: those of the rows, in place 0."""
    return data.StructLayout(
        {
            "transposed": 1,
            "group": range(config.groups),
            "vector": config.positions,
            "starts": data.ArrayLayout(range(max(config.row_list, config.column_list) + 1), config.cores),
            "counts": data.ArrayLayout(range(config.positions + 1), config.cores),
        }
    )


class BitVectorGenerator(ConfiguredComponent):
    """Compares a group with the indexes of all columns (or rows) at once, and lists the features that are equal.

    ::

        indexes ──> comparators ──> bit vector ──> lowest block ──> lowest lane ──> row list, column lists
        group ────────┘                 └────────────────────────────────────────> tuple

    Latency: the bit vector is there one cycle after the group, its first feature in the next but one, the tuple one
    cycle after the last feature. Throughput: a group of n features takes n + 2 cycles.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    starts : stream, in, always ready
        ``list_start_layout``: a layer begins; nothing is compared with any more.
    compared : stream, in, always ready
        ``indexes_layout``: indexes to compare with.
    groups : stream, in
        ``requested_group_layout``
    row_list : Out(WritePort)
        Transposed: the rows of the groups.
    column_lists : Out(WritePort).array(cores)
        Otherwise: the own columns of each core.
    tuples : stream, out, always ready
        ``tuple_layout``
    busy : Out(1)
        A group is under way.

    Source
    ------
    LearningGroup, III-B, figure 5 (OSEL).
    """

    def __init__(self, config: SparseConfig):
        super().__init__(
            config,
            {
                "starts": In(stream.Signature(list_start_layout(config), always_ready=True)),
                "compared": In(stream.Signature(indexes_layout(config), always_ready=True)),
                "groups": In(stream.Signature(requested_group_layout(config))),
                "row_list": Out(WritePort(range(config.rows), config.row_list)),
                "column_lists": Out(WritePort(range(config.core_columns), config.column_list)).array(config.cores),
                "tuples": Out(stream.Signature(tuple_layout(config), always_ready=True)),
                "busy": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        captured = Signal()
        fresh = Signal()
        blocks = self._compare(m, captured)
        # Blocks with a match that are still to be listed; the matches of the current one.
        waiting, current = Signal(config.position_blocks), Signal(config.lanes)
        block = Signal(range(config.position_blocks))
        rest = Signal(config.lanes)
        following = lowest(m, waiting, "following")
        vector = Cat(registered for _, registered in blocks)
        m.d.comb += [
            self.groups.ready.eq(~self.busy),
            captured.eq(self.groups.valid & self.groups.ready),
            rest.eq(current & (current - 1)),
        ]
        m.d.sync += self.tuples.valid.eq(0)
        with m.If(captured):
            m.d.sync += [
                self.busy.eq(1),
                fresh.eq(self.groups.payload.fresh),
                self.tuples.payload.group.eq(self.groups.payload.group),
                waiting.eq(Cat(match.any() for match, _ in blocks)),
            ]
        with m.Elif(self.busy):
            m.d.sync += current.eq(rest)
            with m.If(rest == 0):
                m.d.sync += [
                    current.eq(vector.word_select(following, config.lanes)),
                    block.eq(following),
                    waiting.eq(waiting & (waiting - 1)),
                ]
                with m.If(waiting == 0):
                    m.d.sync += [self.busy.eq(0), self.tuples.valid.eq(fresh), current.eq(0)]
        m.d.comb += self.tuples.payload.vector.eq(vector)
        self._list(m, (current != 0) & fresh, block, lowest(m, current, "lane"), captured)
        return m

    def _compare(self, m, captured):
        """``(matches with the group that is offered, the same of the captured one)`` of each block of comparators."""
        config = self.config
        word = self.compared.payload
        blocks = []
        for block in range(config.position_blocks):
            indexes = Signal(index_word(config), name=f"compared_{block}", reset_less=True)
            valid = Signal(config.lanes, name=f"compared_valid_{block}")
            match = Signal(config.lanes, name=f"match_{block}")
            registered = Signal(config.lanes, name=f"matches_{block}", reset_less=True)
            m.d.comb += match.eq(
                Cat(valid[lane] & (indexes[lane] == self.groups.payload.group) for lane in range(config.lanes))
            )
            with m.If(self.starts.valid):
                m.d.sync += valid.eq(0)
            with m.If(self.compared.valid & (word.block == block)):
                m.d.sync += [indexes.eq(word.indexes), valid.eq(Cat(lane < word.count for lane in range(config.lanes)))]
            with m.If(captured):
                m.d.sync += registered.eq(match)
            blocks.append((match, registered))
        return blocks

    def _list(self, m, listing, block, lane, captured):
        """A feature to the list of its owner; where a group's features began, and how many they are."""
        config, start, found = self.config, self.starts.payload, self.tuples.payload
        core, core_block = place_of_block(m, config, block, "place")
        transposed = found.transposed
        owner = Signal.like(core)
        m.d.comb += owner.eq(Mux(transposed, 0, core))
        ends = [Signal(found.starts[core].shape(), name=f"end_{core}") for core in range(config.cores)]
        for number, (end, port) in enumerate(zip(ends, self.column_lists, strict=True)):
            here = Signal(name=f"lists_{number}")
            m.d.comb += [
                here.eq(listing & (owner == number)),
                port.enable.eq(here & ~transposed),
                port.address.eq(end),
                port.data.eq(core_block * Const(config.lanes) + lane),
                found.counts[number].eq(end - found.starts[number]),
            ]
            with m.If(captured):
                m.d.sync += found.starts[number].eq(end)
            with m.If(here):
                m.d.sync += end.eq(end + 1)
            with m.If(self.starts.valid):
                m.d.sync += end.eq(start.column_base)
        m.d.comb += [
            self.row_list.enable.eq(listing & transposed),
            self.row_list.address.eq(ends[0]),
            self.row_list.data.eq(block * Const(config.lanes) + lane),
        ]
        with m.If(self.starts.valid):
            m.d.sync += transposed.eq(start.transposed)
            with m.If(start.transposed):
                m.d.sync += ends[0].eq(start.row_base)
