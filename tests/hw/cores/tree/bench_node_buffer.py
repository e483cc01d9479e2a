"""Nodes that come flit by flit, in turn with others, while edges, means and scores are written: all ports each cycle.

The reference is a table of nodes. Rows that nobody has written yet are not compared.
"""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.node_buffer import NodeBuffer
from rewardware.hw.cores.tree.records import edge_record, node_record
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports
from ..stimulus import noise
from .values import values

LINKS = ("child", "bank", "row", "in_flight")
# How often in a cycle: a flit is filled, an edge or node written, a mean written, scores passed, an edge chosen.
RATES = ((1.0, 0.0, 0.0, 0.5, 0.5), (1.0, 0.5, 0.4, 0.3, 0.5), (0.5, 0.5, 0.5, 0.9, 0.9), (0.2, 1.0, 1.0, 0.5, 1.0))
CYCLES = 250


class PlainBuffer:
    """Slots with a node, its edges and their scores; None is what was not written."""

    def __init__(self, config):
        self.config = config
        self.nodes = [None] * config.slots
        self.edges = [[None] * config.fanout for _ in range(config.slots)]
        self.scores = [[None] * config.fanout for _ in range(config.slots)]

    def actions(self, flit):
        return [action for action in range(self.config.fanout) if action // self.config.lanes == flit]

    def expect(self, slot):
        """Another node is to come to a slot."""
        self.nodes[slot], self.edges[slot] = None, [None] * self.config.fanout
        self.scores[slot] = [None] * self.config.fanout

    def fill(self, flit):
        slot = flit["slot"]
        for action, edge in zip(self.actions(flit["flit"]), flit["edges"], strict=False):
            self.edges[slot][action] = edge | {"visited": int(edge["visits"] > 0)}
        if flit["flit"] == self.config.flits - 1:
            self.nodes[slot] = flit["node"]

    def write(self, parts, place, new_edge, new_node):
        statistics = ("visits", "total") if self.config.policy == "uct" else ("visits", "total", "prior")
        fields = [*LINKS] * parts["links"] + [*statistics] * parts["statistics"] + ["value", "factor"] * parts["mean"]
        if fields:
            self.edges[place["slot"]][place["action"]] |= {name: new_edge[name] for name in fields}
        if parts["node"]:
            self.nodes[place["slot"]] = new_node

    def set_mean(self, place, value, factor):
        self.edges[place["slot"]][place["action"]] |= {"value": value, "factor": factor, "visited": 1}


class Stimulus:
    """Inputs of a cycle, such as a stage may give."""

    def __init__(self, config, codecs, random, plain):
        self.config, self.codecs, self.random, self.plain = config, codecs, random, plain
        # Slots whose nodes come, with the flits that are left; the next flit.
        self.coming, self.flit = {}, None

    def noise(self, port):
        return noise(self.codecs[port], self.random)

    def filled(self):
        return [slot for slot, node in enumerate(self.plain.nodes) if node is not None]

    def place(self, slot, action):
        flit, lane = divmod(action, self.config.lanes)
        return {"slot": slot, "action": action, "flit": flit, "lane": lane}

    def any_place(self):
        """Place of any edge of a node that is there, or of slot 0 while there is none."""
        slots = self.filled()
        slot = int(self.random.choice(slots)) if slots else 0
        return self.place(slot, int(self.random.integers(self.config.fanout)))

    def next_flit(self):
        """Nodes come in turn, each in the order of its flits."""
        config, random = self.config, self.random
        free = [slot for slot in range(config.slots) if slot not in self.coming]
        if free and random.random() < (1.0 if not self.coming else 0.3):
            slot = int(random.choice(free))
            self.plain.expect(slot)
            edges = [values(edge_record(config), random) for _ in range(config.lanes * config.flits)]
            node = values(node_record(config), random)
            parts = [edges[first : first + config.lanes] for first in range(0, len(edges), config.lanes)]
            self.coming[slot] = [
                {"slot": slot, "flit": flit, "node": node, "edges": part} for flit, part in enumerate(parts)
            ]
        if not self.coming:
            return None
        return self.coming[int(random.choice(list(self.coming)))][0]

    def cycle(self, rates):
        """All inputs, and what of them counts: the parts to write."""
        config, random, plain = self.config, self.random, self.plain
        fills, writes, means, passes, chooses = (random.random() < rate for rate in rates)
        self.flit = self.flit or self.next_flit()
        has_node = bool(self.filled())
        place = self.any_place()
        edge = plain.edges[place["slot"]][place["action"]]
        parts = dict.fromkeys(("links", "statistics", "mean", "node"), 0)
        if writes and has_node:
            # As selections, backups, the end of a backup and priors do, or any of them.
            parts = {name: int(random.integers(2)) for name in parts}
            # A prior is for an edge without visits.
            parts["mean"] &= not edge["visited"]
        mean = self.noise("mean") | {"valid": int(means and has_node and not parts["mean"]), "place": self.any_place()}
        written = self.noise("written") | {
            "valid": int(passes and has_node),
            "slot": self.any_place()["slot"],
            "flit": int(random.integers(config.flits)),
        }
        front = self.any_place()["slot"]
        chosen = int(random.integers(config.fanout))
        is_last = self.flit is not None and self.flit["flit"] == config.flits - 1
        writes_edge = any(parts[name] for name in ("links", "statistics", "mean"))
        meets = bool(writes_edge or mean["valid"] or (parts["node"] and is_last))
        near = self.any_place() if random.random() < 0.5 else place
        return {
            "fill": int(fills and self.flit is not None and not meets),
            "flit": self.flit or self.noise("flit"),
            "front": front,
            "choose": int(chooses and has_node and not written["valid"]),
            "chosen_edge": 1 << chosen,
            "score": self.noise("score"),
            "place": near,
            "write": parts,
            "new_place": place if any(parts.values()) else self.noise("new_place"),
            "new_edge": values(edge_record(config), random),
            "new_node": values(node_record(config), random),
            "mean": mean,
            "read": {"slot": self.any_place()["slot"], "flit": int(random.integers(config.flits))},
            "written": written,
        }, meets


def check(plain, inputs, got, message, cycle):
    """Outputs against the table."""
    front, place, read = inputs["front"], inputs["place"], inputs["read"]
    for action, score in enumerate(plain.scores[front]):
        if score is not None:
            compare(score, got["keys"][action], f"{message}, keys[{action}]", cycle)
    if plain.nodes[front] is not None:
        compare([plain.nodes[front][name] for name in ("evaluated", "terminal")],
                [got["evaluated"], got["terminal"]], f"{message}, state", cycle)  # fmt: skip
    if plain.nodes[place["slot"]] is None:
        return
    compare(plain.nodes[place["slot"]], got["node"], f"{message}, node", cycle)
    edge = plain.edges[place["slot"]][place["action"]]
    compare({name: edge[name] for name in got["edge"]}, got["edge"], f"{message}, edge", cycle)
    if plain.nodes[read["slot"]] is not None:
        for action, edge in zip(plain.actions(read["flit"]), got["edges"], strict=False):
            expected = plain.edges[read["slot"]][action]
            compare({name: expected[name] for name in edge}, edge, f"{message}, edges of action {action}", cycle)


def apply(plain, inputs):
    """Apply the changes of the inputs."""
    if inputs["fill"]:
        plain.fill(inputs["flit"])
    plain.write(inputs["write"], inputs["new_place"], inputs["new_edge"], inputs["new_node"])
    mean, written = inputs["mean"], inputs["written"]
    if mean["valid"]:
        plain.set_mean(mean["place"], mean["value"], mean["factor"])
    if written["valid"]:
        for action, score in zip(plain.actions(written["flit"]), written["scores"], strict=False):
            plain.scores[written["slot"]][action] = score
    if inputs["choose"]:
        plain.scores[inputs["front"]][inputs["chosen_edge"].bit_length() - 1] = inputs["score"]


async def follow(dut, name, config):
    ports, plain, random = (
        Ports(dut, NodeBuffer(config), name, opened=("scores", "edges", "score_pass")),
        PlainBuffer(config),
        rng(name),
    )
    stimulus = Stimulus(config, ports.codecs, random, plain)
    met = between = 0
    last_filled = None
    for cycle in range(CYCLES * len(RATES)):
        inputs, meets = stimulus.cycle(RATES[cycle // CYCLES])
        ports.set(**inputs)
        got = await ports.outputs()
        if stimulus.flit is not None:
            compare(meets, got["fill_blocked"], f"{name}, fill_blocked", cycle)
        check(plain, inputs, got, name, cycle)
        await RisingEdge(dut.clk)
        apply(plain, inputs)
        if inputs["fill"]:
            slot = inputs["flit"]["slot"]
            stimulus.coming[slot].pop(0)
            if not stimulus.coming[slot]:
                del stimulus.coming[slot]
            stimulus.flit = None
            between += last_filled not in (None, slot) and last_filled in stimulus.coming
            last_filled = slot
        met += meets
    assert met > 20, f"{name}: a write met a flit {met} times"
    assert between > 20 or config.flits == 1, f"{name}: nodes came in turn {between} times"


@cocotb.test()
async def keeps_what_is_written(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        await follow(dut, name, config)
