"""The nodes that a stage holds: their edges in columns, and their scores."""

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

    Edge a of a node is lane ``a % lanes`` of flit ``a // lanes``. Each lane has memories of its own, in which flits lie
    behind each other. The node itself comes with each of its flits, and is written with the last one: flits of several
    nodes may come in turn.

    Latency: reads none; what is written is read from the next cycle on. Throughput: each port a word a cycle. A memory
    takes one write a cycle: ``fill`` must not meet ``write`` or ``mean`` (:attr:`fill_blocked` says when a flit has to
    wait), nor ``written`` meet ``choose``, nor ``mean`` meet ``write.mean``.

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
        Write the score of an edge in the front slot: ``chosen_edge`` (a bit an edge) and ``score``; only while nothing
        is ``written``.
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
        self._writes_edge = self.write.links | self.write.statistics
        self._nodes(m)
        self._means(m)
        self._statistics(m)
        self._select_edge(m, self._parts(m, "links", LINKS, self.write.links), LINKS)
        # The score pass reads this alone.
        in_flight = self._parts(m, "in_flight", LINKS[-1:], self.write.links)
        self._read_flit(m, in_flight, LINKS[-1:])
        self._scores(m)
        m.d.comb += self.fill_blocked.eq(
            self.mean.valid | self._writes_edge | self.write.mean | (self.write.node & self._is_last)
        )
        return m

    def _memory(self, m, name, shape, depth, *, lane_wise=False):
        """A memory: its write port, and a way to get read ports."""
        part = memory.Memory(shape=shape, depth=depth, init=[])
        m.submodules[name] = part
        port = part.write_port(granularity=1) if lane_wise else part.write_port()

        def read(address):
            reader = part.read_port(domain="comb")
            m.d.comb += reader.addr.eq(address)
            return reader.data

        return port, read

    def _address(self, place):
        """Of a slot's flit in the memories of edges."""
        return Cat(place.slot, place.flit) if self._config.flits > 1 else place.slot

    def _lanes(self, m, name, shape, place, writes, came, new, filled):
        """A memory of each lane, of which ``new`` is written at a place, or all by the flit that comes.

        Ways to get read ports, by lane. ``came`` is 1 where something else than a flit is written.
        """
        address = Signal(len(self._address(place)), name=f"{name}_address")
        m.d.comb += address.eq(Mux(came, self._address(place), self._address(self.flit)))
        # Flits lie behind each other, each in as many rows as a slot's number can name.
        depth = self._config.flits << len(self.front)
        reads = []
        for lane in range(self._config.lanes):
            port, read = self._memory(m, f"{name}_{lane}", shape, depth)
            edge = filled(self.flit.edges[lane])
            m.d.comb += [
                port.addr.eq(address),
                port.en.eq(Mux(came, writes & (place.lane == lane), self.fill)),
                *(port.data[field].eq(Mux(came, new[field], edge[field])) for field in shape.members),
            ]
            reads.append(read)
        return reads

    def _select_edge(self, m, reads, names):
        """Fields of the edge at ``place``."""
        rows = [read(self._address(self.place)) for read in reads]
        layout = data.StructLayout({name: rows[0][name].shape() for name in names})
        chosen = Signal(layout, name=f"chosen_{names[0]}")
        words = Cat(Cat(Value.cast(row[name]) for name in names) for row in rows)
        m.d.comb += Value.cast(chosen).eq(words.word_select(self.place.lane, layout.size))
        m.d.comb += [getattr(self.edge, name).eq(chosen[name]) for name in names]

    def _read_flit(self, m, reads, names):
        """Fields that the score pass reads."""
        for edge, read in zip(self.edges, reads, strict=True):
            row = read(self._address(self.read))
            m.d.comb += [getattr(edge, name).eq(row[name]) for name in names]

    def _nodes(self, m):
        """Headers; whether a node is evaluated or terminal is read at both ends."""
        slots = self._config.slots
        states, read_state = self._memory(m, "states", data.StructLayout({"evaluated": 1, "terminal": 1}), slots)
        headers, read_header = self._memory(m, "headers", node_layout(self._config), slots)
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

        reads = self._lanes(m, "means", mean, place, came, came, new, filled)
        self._select_edge(m, reads, ("value", "factor"))
        self._read_flit(m, reads, ("value", "factor", "visited"))

    def _statistics(self, m):
        """Visits, total and prior."""
        names = STATISTICS if self._config.policy == "uct" else (*STATISTICS, "prior")
        self._select_edge(m, self._parts(m, "statistics", names, self.write.statistics), names)

    def _parts(self, m, name, fields, writes):
        """Memories of some fields of the edges; ways to get read ports, by lane."""
        edge = edge_layout(self._config)
        layout = data.StructLayout({field: edge[field].shape for field in fields})
        came = self._writes_edge
        return self._lanes(m, name, layout, self.new_place, writes, came, self.new_edge, lambda filled: filled)

    def _scores(self, m):
        """Scores: all of a slot are read at once, so each flit has a memory of its own."""
        passes, config = self.written.valid, self._config
        address = Signal.like(self.front, name="score_address")
        m.d.comb += address.eq(Mux(passes, self.written.slot, self.front))
        new = [Mux(passes, score, self.score) for score in self.written.scores]
        for flit in range(config.flits):
            actions = range(flit * config.lanes, min((flit + 1) * config.lanes, config.fanout))
            layout = data.ArrayLayout(signed(config.score_width), len(actions))
            port, read = self._memory(m, f"scores_{flit}", layout, config.slots, lane_wise=True)
            chosen = self.chosen_edge[actions.start : actions.stop]
            passed = (self.written.flit == flit).replicate(len(actions))
            row = read(self.front)
            m.d.comb += [
                port.addr.eq(address),
                port.en.eq(Mux(passes, passed, Mux(self.choose, chosen, 0))),
            ]
            m.d.comb += [port.data[lane].eq(new[lane]) for lane in range(len(actions))]
            m.d.comb += [self.keys[action].eq(row[lane]) for lane, action in enumerate(actions)]
