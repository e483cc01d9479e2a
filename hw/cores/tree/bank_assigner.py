"""Assignment of rows to levels, in gateware."""

from functools import reduce
from operator import add

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, enum, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .config import TreeConfig

__all__ = ["AssignerCommand", "BankAssigner", "assigner_request_layout", "block_layout"]


class AssignerCommand(enum.Enum, shape=2):  # type: ignore[call-arg]
    """Give a stage a block, take the blocks of a stage back, or those of all stages."""

    ASSIGN = 0
    RELEASE = 1
    CLEAR = 2


def assigner_request_layout(config: TreeConfig):
    """A command, and the stage it is about."""
    return data.StructLayout({"command": AssignerCommand, "stage": range(config.levels)})


def block_layout(config: TreeConfig):
    """A block by the number of its first node; ``given`` is 0 if none was left."""
    return data.StructLayout({"given": 1, "node": config.node_width})


class BankAssigner(ConfiguredComponent):
    """Assigns blocks of rows to stages.

    With ``next_empty`` a block is the next ``config.block`` rows, from bank 0 on.

    With ``algorithm2`` it is a bank of no stage, of these the one with the fewest conflicts, of several the last. The
    conflicts of a bank depend on its output port of the butterfly alone, so a counter stands for each port. First all
    banks are gone through: a bank of another stage counts, at each port, the layers in which the two paths share a
    wire; an empty bank is noted as the last one of its port. Then the ports are gone through.
    If no bank is left, the number of the node is 0.

    The path from input port s, the stage mod P, to output port q is, after layer x, on the wire whose bits 0 to x are
    those of q and whose bits above x are those of s.

    Latency: ``latency`` cycles from a request to its block; a request without a block takes as long as the banks are
    gone through (``scan_cycles``). Throughput: one request at a time. Blocks are not held back.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    requests : In(stream of assigner_request_layout)
    blocks : Out(stream of block_layout, always ready)
        One for each ``ASSIGN``.

    Source
    ------
    Meng's dissertation, section 3.3.2, Algorithm 2: its ``BankInfo`` is the memory of the banks' stages here;
    ``StageInfo`` is read off it.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(assigner_request_layout(config))),
                "blocks": Out(stream.Signature(block_layout(config), always_ready=True)),
            },
        )
        self._layers = (config.ports - 1).bit_length()
        # Ports beyond the last bank have none.
        self._used_ports = min(config.ports, config.banks)

    @property
    def scan_cycles(self) -> int:
        """Cycles from one request without a block to the next."""
        return 1 if self._config.bank_assignment == "next_empty" else self._config.banks + 3

    @property
    def latency(self) -> int:
        """Cycles from a request to its block."""
        return 1 if self._config.bank_assignment == "next_empty" else self.scan_cycles + self._used_ports

    def elaborate(self, platform):
        m = Module()
        if self._config.bank_assignment == "next_empty":
            self._next_empty(m)
        else:
            self._fewest_conflicts(m)
        return m

    def _next_empty(self, m):
        config, request, block = self._config, self.requests.payload, self.blocks.payload
        following = Signal(range(config.banks * config.rows + 1))
        left, assigns = Signal(), Signal()
        m.d.comb += [
            self.requests.ready.eq(1),
            left.eq(following != config.banks * config.rows),
            assigns.eq(self.requests.valid & (request.command == AssignerCommand.ASSIGN)),
        ]
        m.d.sync += [self.blocks.valid.eq(assigns), block.given.eq(left), block.node.eq(following)]
        with m.If(assigns & left):
            m.d.sync += following.eq(following + config.block)
        with m.If(self.requests.valid & (request.command == AssignerCommand.CLEAR)):
            m.d.sync += following.eq(0)

    def _fewest_conflicts(self, m):
        config = self._config
        # The stage of each bank.
        owner = data.StructLayout({"assigned": 1, "stage": range(config.levels)})
        m.submodules.owners = owners = Memory(owner, MemoryConfig(depth=config.banks))
        reader, writer = owners.reads[0], owners.write
        request = Signal.like(self.requests.payload, reset_less=True)
        bank, seen_bank = Signal(range(config.banks)), Signal(range(config.banks))
        reads, seen, counted, chooses, answers = (
            Signal(name=name) for name in ("reads", "seen", "counted", "chooses", "answers")
        )
        assigns, own = Signal(), Signal()
        m.d.comb += [
            self.requests.ready.eq(~(reads | seen | counted | chooses | answers)),
            reader.enable.eq(reads),
            reader.address.eq(bank),
            assigns.eq(request.command == AssignerCommand.ASSIGN),
            own.eq(reader.data.stage == request.stage),
        ]

        # The banks, one per cycle.
        m.d.sync += [bank.eq(bank + 1), seen.eq(reads), seen_bank.eq(bank), counted.eq(seen)]
        with m.If(bank == config.banks - 1):
            m.d.sync += reads.eq(0)
        with m.If(self.requests.valid & self.requests.ready):
            m.d.sync += [request.eq(self.requests.payload), bank.eq(0), reads.eq(1)]
        with m.If(counted & ~seen):
            m.d.sync += chooses.eq(assigns)

        is_foreign = seen & reader.data.assigned & ~own
        shared, port = self._compare(m, request.stage ^ reader.data.stage, is_foreign, seen_bank)
        conflicts = self._count(m, shared, port, restart=self.requests.ready, moves=chooses)
        digit = self._last_empty(m, seen, seen_bank, ~reader.data.assigned)
        self._choose(m, conflicts, digit, chooses, answers)

        # New contents of a bank's row.
        block = self.blocks.payload
        chosen_bank = block.node[config.row_width :]
        m.d.comb += [
            self.blocks.valid.eq(answers),
            writer.address.eq(seen_bank),
            writer.enable.eq(seen & ~assigns & (own | (request.command == AssignerCommand.CLEAR))),
        ]
        with m.If(answers):
            m.d.comb += [
                writer.address.eq(chosen_bank),
                writer.data.assigned.eq(1),
                writer.data.stage.eq(request.stage),
                writer.enable.eq(block.given),
            ]

    def _compare(self, m, difference, is_foreign, bank):
        """The layers in which another stage's path to the bank may share a wire, and the digits of the bank's port."""
        above, shared, port = Signal(self._layers), Signal(self._layers), Signal(self._layers)
        different = difference[: self._layers]
        m.d.comb += above.eq(Cat((different >> layer + 1) == 0 for layer in range(self._layers)))
        m.d.sync += [port.eq(bank[: self._layers]), shared.eq(Mux(is_foreign, above, 0))]
        return shared, port

    def _count(self, m, shared, port, *, restart, moves):
        """Conflicts of the lowest port that has not been looked at: the counters move on while one a cycle is."""
        config = self._config
        counters = [
            Signal(range(config.banks * self._layers + 1), name=f"conflicts_{q}") for q in range(self._used_ports)
        ]
        for q, counter in enumerate(counters):
            meets = [
                shared[layer] & (port[: layer + 1] == q % (1 << layer + 1)) for layer in range(self._layers)
            ]  # fmt: skip
            following = counters[q + 1] if q + 1 < len(counters) else 0
            with m.If(restart):
                m.d.sync += counter.eq(0)
            with m.Elif(moves):
                m.d.sync += counter.eq(following)
            with m.Else():
                m.d.sync += counter.eq(counter + reduce(add, meets))
        return counters[0]

    def _last_empty(self, m, seen, seen_bank, empty):
        """For each port its last empty bank, as a memory: whether there is one, and which of the port's banks."""
        count = -(-self._config.banks // self._config.ports)
        layout = data.StructLayout({"exists": 1, "digit": range(max(count, 2))})
        m.submodules.last_empty = last = Memory(layout, MemoryConfig(depth=self._config.ports, latency=0))
        writer = last.write
        first = seen_bank < self._config.ports
        m.d.comb += [
            writer.address.eq(seen_bank[: self._layers]),
            writer.data.exists.eq(empty),
            writer.data.digit.eq(seen_bank[self._layers :]),
            # The first bank of a port overwrites what is there from the request before.
            writer.enable.eq(seen & (empty | first)),
        ]
        return last.reads[0]

    def _choose(self, m, conflicts, last, chooses, answers):
        """Go through the ports; ``answers`` comes after the last of them, with the block."""
        config, block = self._config, self.blocks.payload
        q = Signal(self._layers)
        fewest = Signal.like(conflicts)
        digit = Signal.like(last.data.digit)
        better = Signal()
        m.d.comb += [
            last.address.eq(q),
            # The last bank wins among equal ones: the greater digit, or the greater port, which comes later.
            better.eq(~block.given | (conflicts < fewest) | ((conflicts == fewest) & (last.data.digit >= digit))),
        ]
        m.d.sync += answers.eq(0)
        with m.If(chooses):
            m.d.sync += q.eq(q + 1)
            with m.If(last.data.exists & better):
                m.d.sync += [
                    block.given.eq(1),
                    fewest.eq(conflicts),
                    digit.eq(last.data.digit),
                    block.node.eq(Cat(q, last.data.digit) << config.row_width),
                ]
            with m.If(q == self._used_ports - 1):
                m.d.sync += [chooses.eq(0), answers.eq(1)]
        with m.Else():
            m.d.sync += q.eq(0)
        with m.If(self.requests.ready):
            m.d.sync += [block.given.eq(0), block.node.eq(0)]
