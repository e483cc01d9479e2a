"""Issue slots at random; the memories answer as they do, and what is broadcast comes straight from their contents."""

from collections import defaultdict

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.vector.matrix_config import Product
from rewardware.hw.cores.vector.matrix_layouts import issue_slot_layout
from rewardware.hw.cores.vector.operand_fetch import OperandFetch
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

from ..side_by_side import Ports
from ..stimulus import noise

ISSUE_SLOTS = 4000
# Cycles in which memories answer, and a register.
ANSWER = 2
READS = ("row_list", "column_list", "activations", "errors", "weights")
NO_READS = dict.fromkeys((f"read_{name}" for name in READS), 0) | {"out_of_range": 0}


class Memories:
    """Contents at random: words of (block, VPU), weights of (bank, row)."""

    def __init__(self, config, random):
        self.config, self.random = config, random
        shape = config.blocks, config.cluster_vpus
        self.lists = {name: self.features(config.list_rows) for name in ("row_list", "column_list")}
        self.activations = self.words(config.cores, config.activation_rows, *shape)
        self.errors = self.words(config.error_rows, *shape)
        self.weights = random.integers(0, 1 << config.format.width, (config.weight_banks, config.weight_rows))
        self.ports = {f"read_{name}": features for name, features in self.lists.items()}
        self.ports |= {f"read_activations__{bank}": words.tolist() for bank, words in enumerate(self.activations)}
        self.ports |= {f"read_errors__{port}": self.errors.tolist() for port in range(config.error_ports)}
        self.ports |= {f"read_weights__{bank}": weights.tolist() for bank, weights in enumerate(self.weights)}

    def features(self, count):
        """First and last one among them."""
        ends = [0, self.config.features - 1]
        return [
            int(self.random.choice([*ends, *self.random.integers(self.config.features, size=4)])) for _ in range(count)
        ]

    def words(self, *shape):
        return self.random.integers(0, 1 << self.config.vector_width, shape, np.uint64)

    def answer(self, ports, asked):
        """Data of the next cycle; of what was not asked for, anything."""
        data = {port: noise(ports.codecs[port], self.random) for port in ports.codecs if port.endswith("data")}
        for port, rows in self.ports.items():
            row = asked[f"{port}__address"]
            if asked[f"{port}__enable"]:
                # Past the end is only what out_of_range tells of, and weights never are.
                assert row < len(rows) or asked["out_of_range"], f"{port} of row {row}"
                if row < len(rows):
                    data[f"{port}__data"] = rows[row]
        return data


def reads(config, got):
    """The ports of each memory that ask for something, a bit each."""
    ports = {"activations": config.cores, "errors": config.error_ports, "weights": config.weight_banks}
    return {f"read_{name}": got[f"read_{name}__enable"] for name in ("row_list", "column_list")} | {
        f"read_{name}": sum(got[f"read_{name}__{port}__enable"] << port for port in range(count))
        for name, count in ports.items()
    }


class IssueSlots:
    """Issue slots at random, and what they must lead to."""

    def __init__(self, config, random, memories, latency):
        self.config, self.random, self.memories, self.latency = config, random, memories, latency
        self.codec = codec_of(issue_slot_layout(config))
        self.reads = defaultdict(lambda: dict(NO_READS))
        self.broadcasts = defaultdict(dict)
        self.product = Product.FORWARD

    def _base(self, rows, offset):
        """A base to add to an offset, for an address at either end of so many rows, between, or one past."""
        address = int(self.random.choice([0, rows - 1, rows, *self.random.integers(rows, size=17)]))
        return min(max(address - offset, 0), (1 << (rows - 1).bit_length()) - 1)

    def next(self, cycle):
        """The issue slot of a cycle."""
        config, random = self.config, self.random
        if random.random() < 0.1:
            self.product = Product(int(random.integers(len(Product))))
        product, issue = self.product, noise(self.codec, random)
        active = int(random.random() < 0.9)
        present = int(active and random.random() < 0.8)
        slot = issue["slot"]
        slot["place"] = int(random.integers(config.features if product == Product.GRADIENT else config.list_rows))
        issue |= {"product": int(product), "active": active, "present": present}
        self._add_weights(issue, cycle)
        self._add_operand(issue, cycle)
        self._add_errors(issue, cycle)
        return issue

    def _inner(self, issue):
        """The inner feature of an issue slot, and the list it is in."""
        place = issue["slot"]["place"]
        name = {Product.FORWARD: "row_list", Product.BACKWARD: "column_list"}.get(self.product)
        return (self.memories.lists[name][place] if name else place), name

    def _add_operand(self, issue, cycle):
        config, random, slot = self.config, self.random, issue["slot"]
        feature, name = self._inner(issue)
        slot["owned"] = int(random.integers(-(-(feature + 1) // config.cores), config.features + 1))
        slot["ones"] = int(random.random() < 0.2)
        bank, local = divmod(feature, slot["owned"])
        backward = self.product == Product.BACKWARD
        rows, offset = (config.error_rows, feature) if backward else (config.activation_rows, local)
        slot["base"] = self._base(rows, offset)
        row, zeros = slot["base"] + offset, np.zeros((config.blocks, config.cluster_vpus), int)
        words = self.broadcasts[cycle + self.latency]
        reads = self.reads[cycle + self.latency - ANSWER]
        if not issue["present"]:
            words["words"] = zeros.tolist()
            return
        if name:
            self.reads[cycle][f"read_{name}"] = 1
        if backward:
            reads["read_errors"] |= 1
        elif slot["ones"]:
            one = sum(config.format.one << config.format.width * lane for lane in range(4))
            words["words"] = (zeros + one).tolist()
            return
        else:
            reads["read_activations"] = 1 << bank
        if row < rows:
            memory = self.memories.errors if backward else self.memories.activations[bank]
            words["words"] = memory[row].tolist()
        else:
            reads["out_of_range"] = 1

    def _add_errors(self, issue, cycle):
        """Only gradients have error slots."""
        config = self.config
        reads = self.reads[cycle + self.latency - ANSWER]
        zeros = np.zeros((config.blocks, config.cluster_vpus), int).tolist()
        words = [zeros] * config.error_ports
        for port, error in enumerate(issue["errors"]):
            if self.product != Product.GRADIENT or self.random.random() < 0.2:
                error["count"] = 0 if issue["active"] else error["count"]
            error["feature"] = int(self.random.integers(config.features))
            error["base"] = self._base(config.error_rows, error["feature"])
            row = error["base"] + error["feature"]
            if not (issue["active"] and error["count"]):
                continue
            reads["read_errors"] |= 1 << port
            if row < config.error_rows:
                words[port] = self.memories.errors[row].tolist()
            else:
                reads["out_of_range"], words[port] = 1, None
        if self.product == Product.BACKWARD and issue["present"]:
            words[0] = None
        self.broadcasts[cycle + self.latency]["errors"] = words

    def _add_weights(self, issue, cycle):
        config, random, slot = self.config, self.random, issue["slot"]
        gradient, backward = self.product == Product.GRADIENT, self.product == Product.BACKWARD
        slot["pitch"] = int(random.integers(-(-config.features // config.weight_banks) + 1))
        ahead = slot["pitch"] * np.arange(config.weight_banks) * backward
        last = int(config.weight_rows - ahead[-1]) - 1
        slot["weights"] = int(random.choice([0, last, random.integers(last + 1)]))
        weights = self.broadcasts[cycle + self.latency]
        if not issue["present"]:
            weights["weights"] = [0] * config.weight_banks
        elif not gradient:
            self.reads[cycle + self.latency - ANSWER]["read_weights"] = (1 << config.weight_banks) - 1
            banks = (np.arange(config.weight_banks) + issue["step"]) % config.weight_banks
            weights["weights"] = self.memories.weights[banks, slot["weights"] + ahead].tolist()


@cocotb.test()
async def broadcasts_what_the_memories_have(dut):
    config, random = parameters()["config"], rng("issue slots")
    unit = OperandFetch(config)
    ports, memories = Ports(dut, unit, "fetch"), Memories(config, random)
    issues = IssueSlots(config, random, memories, unit.latency)
    await clock_and_reset(dut)
    # The contents of the registers before the first issue slot do not matter.
    data = {}
    for cycle in range(ISSUE_SLOTS):
        ports.set(issue=issues.next(cycle), **data)
        got = await ports.outputs()
        got |= reads(config, got)
        for port, expected in issues.reads[cycle].items():
            compare(expected, got[port], f"{port} of cycle", cycle)
        for port, expected in issues.broadcasts[cycle].items():
            seen = got[f"broadcast__{port}"]
            if port == "errors":
                seen = [None if word is None else word_got for word, word_got in zip(expected, seen, strict=True)]
            compare(expected, seen, f"{port} of cycle", cycle)
        await RisingEdge(dut.clk)
        data = memories.answer(ports, got)
