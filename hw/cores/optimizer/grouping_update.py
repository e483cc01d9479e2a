"""RMSprop of the grouping matrices: the entries that were selected, one after another."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..float.config import FloatConversionConfig
from ..float.conversion import FloatConverter
from ..pipeline import delay
from ..replicated import replicated
from ..sparse.selection import times
from .grouping_sums import grouping_word
from .grouping_update_config import GroupingUpdateConfig
from .rms_prop_config import RATES
from .rms_prop_lane import RMSpropLane

__all__ = ["GroupingUpdate", "grouping_update_errors", "grouping_update_layer"]

ADDRESS_WIDTH = 20
# Cycles from the place of an entry in its list to its number: member, block, product, address, word, number.
LOOK_UP = 6
# Of these, to the address.
ADDRESS = 4

# Where the entries of a layer's rows are, or of its columns: the first word of the rows, or of core 0's columns; words
# from one core's columns to the next one's; groups. Wider than what fits, so that what does not fit is seen.
grouping_update_layer = data.StructLayout({"grouping_base": ADDRESS_WIDTH, "core_words": ADDRESS_WIDTH, "groups": 8})
grouping_update_errors = data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})


class GroupingUpdate(wiring.Component):
    """Updates the selected entries of grouping matrices by the gradients of rows and columns, with one RMSpropLane.

    A gradient of group g comes with its place in the row list or in a core's column list, which says of which member m
    it is. Its entry is lane ``m mod lanes`` of word ``base + (m div lanes) * groups + g``; ``base`` is
    ``grouping_base``, and ``core_words`` further on for each core before that of the column.

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
        ``address_out_of_range``: an entry is behind the memory of grouping matrices, and stays as it is. ``nonfinite``:
        what is written in this cycle is infinite or NaN.
    row_read_enable, row_read_address, row_data
        The row list. The data of all memories come in the next cycle.
    column_read_enable, column_read_address, column_data : arrays of ``cores``
        The column lists.
    read_enable, read_address, weights, squares
        Words of the grouping matrices and of their mean squares.
    write_lanes : Out(lanes)
        The one that is written, if any.
    write_address, new_weight, new_square : out
    alpha, rest, rate, epsilon : In(width)
        Rates; constant while anything is under way.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingUpdateConfig):
        self._config = config
        sparse, width = config.sparse, config.rms_prop.format.width
        self._lane = replicated(RMSpropLane(config.rms_prop), name="rms_prop_lane")
        word = stream.Signature(grouping_word(config.gradient))
        words = data.ArrayLayout(width, sparse.lanes)
        address = range(sparse.grouping_words)
        super().__init__(
            {
                "rows": In(word),
                "columns": In(word).array(sparse.cores),
                "layer": In(grouping_update_layer),
                "busy": Out(1),
                "errors": Out(grouping_update_errors),
                "row_read_enable": Out(1),
                "row_read_address": Out(range(sparse.row_list)),
                "row_data": In(range(max(sparse.rows, 2))),
                "column_read_enable": Out(1).array(sparse.cores),
                "column_read_address": Out(range(sparse.column_list)).array(sparse.cores),
                "column_data": In(range(sparse.core_columns)).array(sparse.cores),
                "read_enable": Out(1),
                "read_address": Out(address),
                "weights": In(words),
                "squares": In(words),
                "write_lanes": Out(sparse.lanes),
                "write_address": Out(address),
                "new_weight": Out(width),
                "new_square": Out(width),
                **{name: In(width) for name in RATES},
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a word to the write of its first lane."""
        return 1 + LOOK_UP + self._lane.latency

    def elaborate(self, platform):
        m = Module()
        there, source, word = self._entries(m)
        # Whether there is an entry, by the cycles since its place went to the list.
        valid = [there]
        inside = Signal()
        for cycle in range(1, self.latency):
            late = Signal(name=f"valid_{cycle}")
            m.d.sync += late.eq(inside if cycle == ADDRESS + 1 else valid[-1])
            valid.append(late)
        m.d.comb += self.busy.eq(Cat(valid).any())
        address, lane = self._look_up(m, valid, source, word, inside)
        self._update(m, valid, word.sums[0], address, lane)
        return m

    def _entries(self, m):
        """Words to entries, a lane a cycle: whether there is one, whose (of a core's columns, or behind the last of
        them, of rows), and the word with its lane as the lowest."""
        config = self._config
        cores = config.sparse.cores
        word = Signal(grouping_word(config.gradient))
        source = Signal(range(cores + 1))
        rest = Signal(config.sparse.banks)
        waiting = Signal()
        sums = word.sums.as_value()
        m.d.comb += [rest.eq(word.mask >> 1), waiting.eq(rest == 0)]
        m.d.sync += [
            word.mask.eq(rest),
            word.place.eq(word.place + 1),
            sums.eq(sums >> config.gradient.format.width),
        ]
        for number, port in enumerate((*self.columns, self.rows)):
            still_waiting = Signal(name=f"waiting_behind_{number}")
            m.d.comb += [port.ready.eq(waiting), still_waiting.eq(waiting & ~port.valid)]
            with m.If(waiting & port.valid):
                m.d.sync += [word.eq(port.payload), source.eq(number)]
            waiting = still_waiting
        return word.mask[0], source, word

    def _look_up(self, m, valid, source, word, inside):
        """Reads the word that an entry is in; returns its address and the entry's lane."""
        layer, sparse = self.layer, self._config.sparse
        there = valid[0]
        m.d.comb += [
            self.row_read_enable.eq(there & (source == sparse.cores)),
            self.row_read_address.eq(word.place),
        ]
        late_source = delay(m, source, 1, "source")
        member = Signal(range(max(sparse.rows, sparse.core_columns)))
        base, first, group_first = (Signal(ADDRESS_WIDTH + 5, name=name) for name in ("base", "first", "group_first"))
        m.d.comb += [member.eq(self.row_data), base.eq(layer.grouping_base)]
        for core in range(sparse.cores):
            m.d.comb += [
                self.column_read_enable[core].eq(there & (source == core)),
                self.column_read_address[core].eq(word.place),
            ]
            with m.If(late_source == core):
                m.d.comb += member.eq(self.column_data[core])
                m.d.comb += base.eq(layer.grouping_base + (times(layer.core_words, core) if core else 0))
        block = Signal(member.shape())
        lane = Signal(range(sparse.lanes))
        product = Signal(ADDRESS_WIDTH)
        address = Signal(ADDRESS_WIDTH + 6)
        m.d.sync += [
            block.eq(member >> (sparse.lanes - 1).bit_length()),
            lane.eq(member),
            first.eq(base),
            product.eq(block * layer.groups),
            group_first.eq(first + delay(m, word.group, 2, "group")),
            address.eq(group_first + product),
        ]
        m.d.comb += [
            inside.eq(valid[ADDRESS] & (address < sparse.grouping_words)),
            self.errors.address_out_of_range.eq(valid[ADDRESS] & ~inside),
            self.read_enable.eq(inside),
            self.read_address.eq(address),
        ]
        return self.read_address, delay(m, lane, 2, "lane")

    def _update(self, m, valid, gradient, address, lane):
        """The entry's numbers to the unit, and what comes out to the memory."""
        config, unit = self._config, self._lane
        m.submodules.unit = unit
        conversion = config.conversion_depth if config.converts else 0
        gradient = delay(m, gradient, LOOK_UP - conversion, "gradient")
        if config.converts:
            m.submodules.converter = converter = FloatConverter(
                FloatConversionConfig(source=config.gradient.format, target=config.rms_prop.format, depth=conversion)
            )
            m.d.comb += converter.a.eq(gradient)
            gradient = converter.result
        late_lane = delay(m, lane, 1, "lane_of_word")
        m.d.sync += [unit.weight.eq(self.weights[late_lane]), unit.square.eq(self.squares[late_lane])]
        m.d.comb += unit.gradient.eq(gradient)
        m.d.comb += [getattr(unit, name).eq(getattr(self, name)) for name in RATES]
        after = LOOK_UP + unit.latency
        write_lane = delay(m, late_lane, after - ADDRESS - 1, "write_lane")
        m.d.comb += [
            self.write_lanes.eq(valid[after] << write_lane),
            self.write_address.eq(delay(m, address, after - ADDRESS, "write_address")),
            self.new_weight.eq(unit.new_weight),
            self.new_square.eq(unit.new_square),
            self.errors.nonfinite.eq(valid[after] & unit.nonfinite),
        ]
