"""The nodes that a stage holds: their edges in columns, and their scores."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .config import TreeConfig
from .layouts import edge_layout, mean_layout, node_layout
from .stage_layouts import flit_layout
from .stage_ports import EdgePort, PassPort, ScorePort

__all__ = ["NodeBuffer"]

STATISTICS = ("visits", "total")
LINKS = ("child", "bank", "row", "in_flight")


class NodeBuffer(ConfiguredComponent):
    """Memories of a stage's slots, in distributed RAM.

    Edge a of a node is lane ``a % lanes`` of flit ``a // lanes``. Each lane has memories of its own, in which flits lie
    one after another. The node itself comes with each of its flits, and is written with the last one: flits of several
    nodes may come in turn.

    Latency: reads none; what is written is read from the next cycle on. Throughput: each port a word a cycle. A memory
    takes one write a cycle: ``fill`` must not meet ``write`` or ``mean`` (``fill_blocked`` says when a flit has to
    wait), nor ``written`` meet ``choose``, nor ``mean`` meet ``write.mean``.

    ::

        flits of the bank -.                                  .-> edge, node (Update)
        new edge, node ----+-> links, statistics, means, -----+-> edges of a flit (ScorePass)
        mean --------------'   headers, a lane for each edge  `-> state (Choice)
        scores ------------------> scores of each flit ---------> keys (Choice)

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
    scores : In(ScorePort)
        Its ``choose`` only while nothing is ``written``.
    edges : In(EdgePort)
    score_pass : In(PassPort)
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "fill": In(1),
                "flit": In(flit_layout(config)),
                "fill_blocked": Out(1),
                "scores": In(ScorePort(config)),
                "edges": In(EdgePort(config)),
                "score_pass": In(PassPort(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        write, writes_edge, is_last = self.edges.write, Signal(), Signal()
        m.d.comb += [
            writes_edge.eq(write.links | write.statistics),
            is_last.eq(self.flit.flit == self._config.flits - 1),
            self.fill_blocked.eq(self.score_pass.mean.valid | writes_edge | write.mean | (write.node & is_last)),
        ]
        self._nodes(m, is_last)
        self._means(m)
        statistics = STATISTICS if self._config.policy == "uct" else (*STATISTICS, "prior")
        for name, fields, writes in (
            ("statistics", statistics, write.statistics),
            ("links", LINKS, write.links),
            # The score pass reads this alone.
            ("in_flight", LINKS[-1:], write.links),
        ):
            edge = edge_layout(self._config)
            part = self._columns(m, name, data.StructLayout({field: edge[field].shape for field in fields}))
            self._write_edge(m, part, name, self.edges.new_place, writes_edge, writes, self.edges.new_edge)
            if name == "in_flight":
                self._read_flit(m, part.reads[0], fields)
            else:
                self._read_edge(m, part.reads[0], fields)
        self._scores(m)
        return m

    def _address(self, place):
        """The row of a slot's flit in the memories of edges."""
        return Cat(place.slot, place.flit) if self._config.flits > 1 else place.slot

    def _columns(self, m, name, layout, readers=1):
        """A memory of some fields of all edges, a lane for each edge of a flit."""
        # Flits lie one after another, each in as many rows as a slot's number can name.
        depth = self._config.flits << len(self.scores.front)
        config = MemoryConfig(depth=depth, lanes=self._config.lanes, readers=readers, latency=0)
        m.submodules[name] = part = Memory(data.ArrayLayout(layout, self._config.lanes), config)
        return part

    def _write_edge(self, m, part, name, place, comes, writes, new):
        """Writes ``new`` at a place while it comes, and the flit's edges otherwise."""
        address = Signal.like(part.write.address, name=f"{name}_address")
        m.d.comb += [
            address.eq(Mux(comes, self._address(place), self._address(self.flit))),
            part.write.address.eq(address),
        ]
        for lane, (row, edge) in enumerate(zip(part.write.data, self.flit.edges, strict=True)):
            m.d.comb += part.write.enable[lane].eq(Mux(comes, writes & (place.lane == lane), self.fill))
            for field, _ in row.shape():
                filled = edge.visits.any() if field == "visited" else edge[field]
                m.d.comb += row[field].eq(Mux(comes, new[field], filled))

    def _read_edge(self, m, port, fields):
        """Fields of the edge at ``place``."""
        layout = port.data.shape().elem_shape
        chosen = Signal(layout, name=f"chosen_{fields[0]}")
        m.d.comb += [
            port.address.eq(self._address(self.edges.place)),
            Value.cast(chosen).eq(Value.cast(port.data).word_select(self.edges.place.lane, layout.size)),
        ]
        m.d.comb += [self.edges.edge[field].eq(chosen[field]) for field in fields]

    def _read_flit(self, m, port, fields):
        """Fields that the score pass reads."""
        m.d.comb += port.address.eq(self._address(self.score_pass.read))
        for edge, row in zip(self.score_pass.edges, port.data, strict=True):
            m.d.comb += [edge[field].eq(row[field]) for field in fields]

    def _nodes(self, m, is_last):
        """Headers; whether a node is evaluated or terminal is read at both ends."""
        config = MemoryConfig(depth=self._config.slots, latency=0)
        m.submodules.states = states = Memory(data.StructLayout({"evaluated": 1, "terminal": 1}), config)
        m.submodules.headers = headers = Memory(node_layout(self._config), config)
        new, (state,), (header,) = Signal(node_layout(self._config)), states.reads, headers.reads
        m.d.comb += [
            Value.cast(new).eq(Mux(self.edges.write.node, self.edges.new_node, self.flit.node)),
            headers.write.address.eq(Mux(self.edges.write.node, self.edges.new_place.slot, self.flit.slot)),
            headers.write.data.eq(new),
            headers.write.enable.eq(self.edges.write.node | (self.fill & is_last)),
            states.write.address.eq(headers.write.address),
            states.write.data.evaluated.eq(new.evaluated),
            states.write.data.terminal.eq(new.terminal),
            states.write.enable.eq(headers.write.enable),
            header.address.eq(self.edges.place.slot),
            self.edges.node.eq(header.data),
            state.address.eq(self.scores.front),
            self.scores.evaluated.eq(state.data.evaluated),
            self.scores.terminal.eq(state.data.terminal),
        ]

    def _means(self, m):
        """Value and factor, and whether there has been a visit."""
        layout = data.StructLayout({**dict(mean_layout.members), "visited": 1})
        place, new, comes = Signal.like(self.edges.new_place, name="mean_place"), Signal(layout), Signal()
        m.d.comb += [
            Value.cast(place).eq(Mux(self.edges.write.mean, self.edges.new_place, self.score_pass.mean.place)),
            new.value.eq(Mux(self.edges.write.mean, self.edges.new_edge.value, self.score_pass.mean.value)),
            new.factor.eq(Mux(self.edges.write.mean, self.edges.new_edge.factor, self.score_pass.mean.factor)),
            new.visited.eq(self.score_pass.mean.valid),
            comes.eq(self.edges.write.mean | self.score_pass.mean.valid),
        ]
        means = self._columns(m, "means", layout, readers=2)
        self._write_edge(m, means, "means", place, comes, comes, new)
        self._read_edge(m, means.reads[0], ("value", "factor"))
        self._read_flit(m, means.reads[1], ("value", "factor", "visited"))

    def _scores(self, m):
        """Scores: all of a slot are read at once, so each flit has a memory of its own."""
        passes, config = self.score_pass.written.valid, self._config
        address = Signal.like(self.scores.front, name="score_address")
        m.d.comb += address.eq(Mux(passes, self.score_pass.written.slot, self.scores.front))
        new = [Mux(passes, score, self.scores.score) for score in self.score_pass.written.scores]
        for flit in range(config.flits):
            actions = range(flit * config.lanes, min((flit + 1) * config.lanes, config.fanout))
            m.submodules[f"scores_{flit}"] = scores = Memory(
                data.ArrayLayout(signed(config.score_width), len(actions)),
                MemoryConfig(depth=config.slots, lanes=len(actions), latency=0),
            )
            chosen = self.scores.chosen_edge[actions.start : actions.stop]
            passed = (self.score_pass.written.flit == flit).replicate(len(actions))
            m.d.comb += [
                scores.write.address.eq(address),
                scores.write.enable.eq(Mux(passes, passed, Mux(self.scores.choose, chosen, 0))),
                scores.reads[0].address.eq(self.scores.front),
            ]
            for lane, action in enumerate(actions):
                key = self.scores.keys[action]
                m.d.comb += [scores.write.data[lane].eq(new[lane]), key.eq(scores.reads[0].data[lane])]
