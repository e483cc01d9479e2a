"""RMSprop of the grouping matrices: the entries that were selected, one after another."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.config import FloatConversionConfig
from ..float.conversion import FloatConverter
from ..layouts import layout_without, take_fields
from ..memory.ports import ReadPort, WritePort
from ..optimizer.float_lane import rates_layout
from ..optimizer.rms_prop_config import RATES, RMS_PROP
from ..optimizer.rms_prop_lane import RMSpropLane
from ..pipeline import delay
from ..replicated import replicated
from ..sparse.selection import times
from .grouping_sums import grouping_word
from .grouping_update_config import GroupingUpdateConfig

__all__ = ["GroupingUpdate", "grouping_update_errors", "grouping_update_layer"]

ADDRESS_WIDTH = 20
# Cycles from the place of an entry in its list to its number: member, block, product, address, word, number.
LOOK_UP = 6
# The part of these up to the address.
ADDRESS = 4

# Where the entries of a layer's rows are, or of its columns: the first word of the rows, or of core 0's columns; words
# from one core's columns to the next one's; groups. Wider than what fits, so that what does not fit is seen.
grouping_update_layer = data.StructLayout({"grouping_base": ADDRESS_WIDTH, "core_words": ADDRESS_WIDTH, "groups": 8})
grouping_update_errors = data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})


class GroupingUpdate(ConfiguredComponent):
    """Updates the selected entries of grouping matrices by the gradients of rows and columns, with one RMSpropLane.

    A gradient of group g comes with its place in the row list or in a core's column list, which says of which member m
    it is. Its entry is lane ``m mod lanes`` of word ``base + (m div lanes) * groups + g``; ``base`` is
    ``grouping_base``, and ``core_words`` further on for each core before that of the column.

    ::

        rows, columns ──> a lane a cycle ──┬──> list ──> member ──> address, lane ──> weight, mean square ──┐
                                           └──> gradient ──> conversion ────────────────────────────────────┴──> lane

    Number format: gradients are converted from that of the sums to that of the lane, exactly where it is wider; then
    see :class:`.RMSpropLane`.

    Latency: ``latency`` cycles from the cycle in which a word is taken to the write of its first lane. Throughput: an
    entry a cycle; a word is taken when the one before has left, those of the first core first. Entries under way are
    all different ones.

    Parameters
    ----------
    config : GroupingUpdateConfig

    Members
    -------
    rows : stream, in
        ``grouping_word``
    columns : streams, in, array of ``cores``
        ``grouping_word``
    layer : In, ``grouping_update_layer``
        Constant while anything is under way.
    busy : Out(1)
        An entry is under way.
    errors : out, ``grouping_update_errors``
        ``address_out_of_range``: an entry is past the memory of grouping matrices, and stays as it is. ``nonfinite``:
        what is written in this cycle is infinite or NaN.
    row_list : Out(ReadPort)
    column_lists : Out(ReadPort).array(cores)
    weights, squares : Out(ReadPort)
        Words of the grouping matrices and of their mean squares.
    new_weights, new_squares : Out(WritePort)
        The same, with an enable for each lane, of which one is set at most.
    rates : In(rates_layout)
        Constant while anything is under way.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingUpdateConfig):
        sparse, number = config.sparse, config.rms_prop.format
        self._lane = replicated(RMSpropLane(config.rms_prop), name="rms_prop_lane")
        word = stream.Signature(grouping_word(config.gradient))
        row, depth = data.ArrayLayout(number.width, sparse.lanes), sparse.grouping_words
        super().__init__(
            config,
            {
                "rows": In(word),
                "columns": In(word).array(sparse.cores),
                "layer": In(grouping_update_layer),
                "busy": Out(1),
                "errors": Out(grouping_update_errors),
                "row_list": Out(ReadPort(range(sparse.rows), sparse.row_list)),
                "column_lists": Out(ReadPort(range(sparse.core_columns), sparse.column_list)).array(sparse.cores),
                "weights": Out(ReadPort(row, depth)),
                "squares": Out(ReadPort(row, depth)),
                "new_weights": Out(WritePort(row, depth, sparse.lanes)),
                "new_squares": Out(WritePort(row, depth, sparse.lanes)),
                "rates": In(rates_layout(RMS_PROP, number)),
            },
        )

    @property
    def latency(self):
        """Cycles from a word to the write of its first lane."""
        return 1 + LOOK_UP + self._lane.latency

    def elaborate(self, platform):
        m = Module()
        there, source, word = self._entries(m)
        # Whether there is an entry, by the cycles since its place went to the list.
        valid, inside = [there], Signal()
        for cycle in range(1, self.latency):
            late = Signal(name=f"valid_{cycle}")
            m.d.sync += late.eq(inside if cycle == ADDRESS + 1 else valid[-1])
            valid.append(late)
        m.d.comb += self.busy.eq(Cat(valid).any())
        member, base = self._member(m, there, source, word.place)
        lane = self._look_up(m, valid[ADDRESS], delay(m, word.group, 2, "group"), member, base, inside)
        self._update(m, valid[LOOK_UP + self._lane.latency], self._gradient(m, word.sums[0]), lane)
        return m

    def _entries(self, m):
        """Words to entries, a lane a cycle: whether there is one, whose it is (number of a core, of its columns; after
        the last of them, of rows), and the word with its lane as the lowest."""
        config = self.config
        mask = Signal(config.sparse.banks)
        word = Signal(layout_without(grouping_word(config.gradient), "mask"), reset_less=True)
        source = Signal(range(config.sparse.cores + 1), reset_less=True)
        rest = Signal(config.sparse.banks)
        waiting = Signal()
        sums = word.sums.as_value()
        m.d.comb += [rest.eq(mask >> 1), waiting.eq(rest == 0)]
        m.d.sync += [
            mask.eq(rest),
            word.place.eq(word.place + 1),
            sums.eq(sums >> config.gradient.format.width),
        ]
        earlier: list[Value] = []
        for number, port in enumerate((*self.columns, self.rows)):
            m.d.comb += port.ready.eq(waiting & ~Cat(earlier).any())
            earlier.append(port.valid)
            with m.If(port.ready & port.valid):
                m.d.sync += [mask.eq(port.payload.mask), *take_fields(word, port.payload), source.eq(number)]
        return mask[0], source, word

    def _member(self, m, there, source, place):
        """The member that an entry is of, and where those of its source begin, both a cycle later."""
        cores = self.config.sparse.cores
        late_source = delay(m, source, 1, "source")
        member = Signal(range(max(self.config.sparse.rows, self.config.sparse.core_columns)))
        base = Signal(ADDRESS_WIDTH + 5)
        m.d.comb += [member.eq(self.row_list.data), base.eq(self.layer.grouping_base)]
        for number, port in enumerate((*self.column_lists, self.row_list)):
            m.d.comb += [port.enable.eq(there & (source == number)), port.address.eq(place)]
            if number < cores:
                with m.If(late_source == number):
                    m.d.comb += member.eq(port.data)
                    m.d.comb += base.eq(
                        self.layer.grouping_base + (times(self.layer.core_words, number) if number else 0)
                    )
        return member, base

    def _look_up(self, m, valid, group, member, base, inside):
        """Reads the word that an entry is in; returns the entry's lane, with the address."""
        sparse = self.config.sparse
        first, group_first = (
            Signal(ADDRESS_WIDTH + 5, name=name, reset_less=True) for name in ("first", "group_first")
        )
        block, lane = Signal(member.shape(), reset_less=True), Signal(range(sparse.lanes), reset_less=True)
        product = Signal(ADDRESS_WIDTH, reset_less=True)
        address = Signal(ADDRESS_WIDTH + 6, reset_less=True)
        m.d.sync += [
            block.eq(member >> (sparse.lanes - 1).bit_length()),
            lane.eq(member),
            first.eq(base),
            product.eq(block * self.layer.groups),
            group_first.eq(first + group),
            address.eq(group_first + product),
        ]
        m.d.comb += [
            inside.eq(valid & (address < sparse.grouping_words)),
            self.errors.address_out_of_range.eq(valid & ~inside),
        ]
        for port in (self.weights, self.squares):
            m.d.comb += [port.enable.eq(inside), port.address.eq(address)]
        return delay(m, lane, 2, "lane")

    def _gradient(self, m, total):
        """The gradient of an entry in the format of the lane, when the entry's numbers are there."""
        config = self.config
        if not config.converts:
            return delay(m, total, LOOK_UP, "gradient")
        conversion = FloatConversionConfig(
            source=config.gradient.format, target=config.rms_prop.format, depth=config.conversion_depth
        )
        m.submodules.converter = converter = FloatConverter(conversion)
        m.d.comb += converter.a.eq(delay(m, total, LOOK_UP - config.conversion_depth, "gradient"))
        return converter.result

    def _update(self, m, written, gradient, lane):
        """The entry's numbers to the unit, and what comes out to the memories."""
        unit = self._lane
        m.submodules.unit = unit
        late_lane = delay(m, lane, 1, "lane_of_word")
        address = delay(m, self.weights.address, LOOK_UP + unit.latency - ADDRESS, "write_address")
        enable = written << delay(m, late_lane, LOOK_UP + unit.latency - ADDRESS - 1, "write_lane")
        m.d.sync += [unit.weight.eq(self.weights.data[late_lane]), unit.square.eq(self.squares.data[late_lane])]
        m.d.comb += [
            unit.gradient.eq(gradient),
            *(getattr(unit, name).eq(self.rates[name]) for name in RATES),
            self.errors.nonfinite.eq(written & unit.nonfinite),
        ]
        for port, number in ((self.new_weights, unit.new_weight), (self.new_squares, unit.new_square)):
            m.d.comb += [
                port.enable.eq(enable),
                port.address.eq(address),
                *(entry.eq(number) for entry in port.data),
            ]
