"""The nodes that a stage holds: their edges in columns, and their scores."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from .config import TreeConfig
from .layouts import edge_layout, mean_layout, node_layout
from .score_pass import edge_place_layout, score_pass_layouts
from .stage_layouts import flit_layout

__all__ = ["NodeBuffer", "write_layout"]

STATISTICS = ("visits", "total")
LINKS = ("child", "bank", "row", "in_flight")


# Which parts of a node and an edge are written.
write_layout = data.StructLayout({"links": 1, "statistics": 1, "mean": 1, "node": 1})


class NodeBuffer(wiring.Component):
    """Memories of a stage's slots, in distributed RAM.

    Edge a of a node is lane ``a % lanes`` of flit ``a // lanes``. Each flit has memories of its own, so that one can
    come in while an edge of another is written. The node itself comes with each of its flits, and is written with the
    last one: flits of several nodes may come in turn.

    Latency: reads none; what is written is read from the next cycle on. Throughput: each port a word a cycle. A memory
    takes one write a cycle: ``fill``, ``write`` and ``mean`` must not meet in one (:attr:`fill_blocked` says when a
    flit has to wait), nor ``written`` and ``choose`` in one flit (:attr:`blocked`), nor ``mean`` and ``write.mean``.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    fill : In(1)
        Write the ``flit``.
    flit : In(flit_layout)
    fill_blocked : Out(1)
        The flit meets another write.
    front : In(range(slots))
        Slot to choose in.
    keys : Out(array of scores)
        Of all its edges.
    evaluated, terminal : Out
        Of it.
    choose : In(1)
        Write the score of an edge in the front slot: ``chosen_edge`` (a bit an edge) and ``score``; only if it is not
        ``blocked``.
    blocked : Out(fanout)
        Edges whose scores cannot be chosen in this cycle: a pass writes in their flit.
    place : In(edge_place_layout)
        Of the edge to read, as ``edge``, with its node, as ``node``.
    write : In(write_layout)
        Write parts of ``new_edge`` to ``new_place``, or the ``new_node``.
    mean, read, edges, written :
        Those of :class:`.ScorePass`.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        passed = score_pass_layouts(config)
        place = edge_place_layout(config)
        super().__init__(
            {
                "fill": In(1),
                "flit": In(flit_layout(config)),
                "fill_blocked": Out(1),
                "front": In(range(config.slots)),
                "keys": Out(data.ArrayLayout(signed(config.score_width), config.fanout)),
                "evaluated": Out(1),
                "terminal": Out(1),
                "choose": In(1),
                "blocked": Out(config.fanout),
                "chosen_edge": In(config.fanout),
                "score": In(signed(config.score_width)),
                "place": In(place),
                "edge": Out(edge_layout(config)),
                "node": Out(node_layout(config)),
                "write": In(write_layout),
                "new_place": In(place),
                "new_edge": In(edge_layout(config)),
                "new_node": In(node_layout(config)),
                "mean": In(passed["mean"]),
                "read": In(passed["read"]),
                "edges": Out(passed["edges"]),
                "written": In(passed["written"]),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        self._nodes(m)
        self._means(m)
        self._statistics(m)
        rows = [read(self.place.slot) for read in self._links(m, "links", LINKS)]
        self._select_edge(m, rows, LINKS)
        # The score pass reads this alone.
        in_flight = [read(self.read.slot) for read in self._links(m, "in_flight", LINKS[-1:])]
        self._select_flit(m, in_flight, LINKS[-1:])
        for flit in range(self._config.flits):
            self._scores(m, flit)
        single = self.write.links | self.write.statistics | self.write.mean
        m.d.comb += self.fill_blocked.eq(
            (self.mean.valid & (self.mean.place.flit == self.flit.flit))
            | (single & (self.new_place.flit == self.flit.flit))
            | (self.write.node & self._is_last)
        )
        return m

    def _actions(self, flit):
        """Those of a flit; the last flit may have fewer."""
        first = flit * self._config.lanes
        return range(first, min(first + self._config.lanes, self._config.fanout))

    def _memory(self, m, name, shape, *, lane_wise=False):
        """A memory of all slots: its write port, and a way to get read ports."""
        part = memory.Memory(shape=shape, depth=self._config.slots, init=[])
        m.submodules[name] = part
        port = part.write_port(granularity=1) if lane_wise else part.write_port()

        def read(address):
            reader = part.read_port(domain="comb")
            m.d.comb += reader.addr.eq(address)
            return reader.data

        return port, read

    def _lanes(self, m, name, flit, shape, place, writes, new, filled):
        """A memory of the edges of a flit, of which ``new`` is written at a place, or all by the flit that comes."""
        count = len(self._actions(flit))
        port, read = self._memory(m, f"{name}_{flit}", data.ArrayLayout(shape, count), lane_wise=True)
        written = Signal(name=f"{name}_written_{flit}")
        m.d.comb += [
            written.eq(writes & (place.flit == flit)),
            port.addr.eq(Mux(written, place.slot, self.flit.slot)),
        ]
        with m.If(written):
            m.d.comb += port.en.eq(1 << place.lane)
        with m.Elif(self.fill & (self.flit.flit == flit)):
            m.d.comb += port.en.eq((1 << count) - 1)
        for lane in range(count):
            values = {field: Mux(written, new[field], filled(self.flit.edges[lane])[field]) for field in shape.members}
            m.d.comb += [port.data[lane][field].eq(value) for field, value in values.items()]
        return read

    def _select_edge(self, m, rows, names):
        """Fields of the edge at ``place``, from its row of each flit."""
        edges = [row[lane] for row in rows for lane in range(len(row))]
        layout = data.StructLayout({name: edges[0][name].shape() for name in names})
        chosen = Signal(layout, name=f"chosen_{names[0]}")
        words = Cat(Cat(Value.cast(edge[name]) for name in names) for edge in edges)
        m.d.comb += Value.cast(chosen).eq(words.word_select(self.place.action, layout.size))
        m.d.comb += [getattr(self.edge, name).eq(chosen[name]) for name in names]

    def _select_flit(self, m, rows, names):
        """Fields that the score pass reads, from the row of each flit."""
        for lane, edge in enumerate(self.edges):
            for name in names:
                chosen = [
                    Mux(self.read.flit == flit, row[lane][name], 0) for flit, row in enumerate(rows) if lane < len(row)
                ]
                m.d.comb += getattr(edge, name).eq(reduce(or_, chosen))

    def _nodes(self, m):
        """Headers; whether a node is evaluated or terminal is read at both ends."""
        states, read_state = self._memory(m, "states", data.StructLayout({"evaluated": 1, "terminal": 1}))
        headers, read_header = self._memory(m, "headers", node_layout(self._config))
        state = read_state(self.front)
        new = Signal(node_layout(self._config))
        self._is_last = self.flit.flit == self._config.flits - 1
        m.d.comb += [
            Value.cast(new).eq(Mux(self.write.node, self.new_node, self.flit.node)),
            headers.addr.eq(Mux(self.write.node, self.new_place.slot, self.flit.slot)),
            headers.data.eq(new),
            headers.en.eq(self.write.node | (self.fill & self._is_last)),
            states.addr.eq(headers.addr),
            states.data.evaluated.eq(new.evaluated),
            states.data.terminal.eq(new.terminal),
            states.en.eq(headers.en),
            self.node.eq(read_header(self.place.slot)),
            self.evaluated.eq(state.evaluated),
            self.terminal.eq(state.terminal),
        ]

    def _means(self, m):
        """Value and factor."""
        mean = data.StructLayout({**dict(mean_layout.members), "visited": 1})
        place, new, came = Signal.like(self.new_place, name="mean_place"), Signal(mean), Signal()
        m.d.comb += [
            Value.cast(place).eq(Mux(self.write.mean, self.new_place, self.mean.place)),
            new.value.eq(Mux(self.write.mean, self.new_edge.value, self.mean.value)),
            new.factor.eq(Mux(self.write.mean, self.new_edge.factor, self.mean.factor)),
            new.visited.eq(self.mean.valid),
            came.eq(self.write.mean | self.mean.valid),
        ]

        def filled(edge):
            return {"value": edge.value, "factor": edge.factor, "visited": edge.visits.any()}

        flits = range(self._config.flits)
        reads = [self._lanes(m, "means", flit, mean, place, came, new, filled) for flit in flits]
        self._select_edge(m, [read(self.place.slot) for read in reads], ("value", "factor"))
        self._select_flit(m, [read(self.read.slot) for read in reads], ("value", "factor", "visited"))

    def _statistics(self, m):
        """Visits, total and prior."""
        names = STATISTICS if self._config.policy == "uct" else (*STATISTICS, "prior")
        reads = self._parts(m, "statistics", names, self.write.statistics)
        self._select_edge(m, [read(self.place.slot) for read in reads], names)

    def _links(self, m, name, fields):
        """Fields that selections write too; ways to get read ports, by flit."""
        return self._parts(m, name, fields, self.write.links)

    def _parts(self, m, name, fields, writes):
        """Memories of some fields of the edges; ways to get read ports, by flit."""
        edge = edge_layout(self._config)
        layout = data.StructLayout({field: edge[field].shape for field in fields})
        return [
            self._lanes(m, name, flit, layout, self.new_place, writes, self.new_edge, lambda filled: filled)
            for flit in range(self._config.flits)
        ]

    def _scores(self, m, flit):
        """Scores of one flit."""
        actions = self._actions(flit)
        layout = data.ArrayLayout(signed(self._config.score_width), len(actions))
        port, read = self._memory(m, f"scores_{flit}", layout, lane_wise=True)
        passed = Signal(name=f"passed_{flit}")
        m.d.comb += [
            passed.eq(self.written.valid & (self.written.flit == flit)),
            port.addr.eq(Mux(passed, self.written.slot, self.front)),
            port.en.eq(
                Mux(
                    passed, (1 << len(actions)) - 1, Mux(self.choose, self.chosen_edge[actions.start : actions.stop], 0)
                )
            ),
        ]
        row = read(self.front)
        m.d.comb += self.blocked[actions.start : actions.stop].eq(Mux(passed, (1 << len(actions)) - 1, 0))
        for lane, action in enumerate(actions):
            m.d.comb += [
                port.data[lane].eq(Mux(passed, self.written.scores[lane], self.score)),
                self.keys[action].eq(row[lane]),
            ]
