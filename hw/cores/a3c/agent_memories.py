"""The memories of all agents, and the crossbars that give them to the engines."""

from functools import reduce

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import connect_port
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .agent_memories_config import AgentBanksConfig, AgentMemoriesConfig
from .ports import AgentRead, AgentWrite, word_layout

__all__ = ["AgentBanks", "AgentMemories"]


class AgentBanks(ConfiguredComponent):
    """A memory of one kind for each agent, with one read and one write port, and crossbars in front of them.

    A user says whose memory it means with each access. An agent is in one place at a time, so two users never mean one
    port in one cycle; where they do, the first one has it and ``conflict`` tells it. A read in the cycle of a write to
    the same row gives nothing defined.

    ::

        users --> (agent) --> bank --> multiplexer (agent of the cycle before) --> register --> user

    Latency: ``READ_LATENCY`` cycles from a read to its data; a write is read from the next cycle on. Throughput: a read
    and a write a cycle for each agent. No back-pressure.

    Parameters
    ----------
    shape : shape-like
        A row.
    config : AgentBanksConfig

    Members
    -------
    reads : In(AgentRead).array(readers)
    writes : In(AgentWrite).array(writers)
    conflict : Out(1)
        Two users mean the read port, or the write port, of one agent in this cycle.
    """

    def __init__(self, shape, config: AgentBanksConfig):
        self._shape = shape
        read = AgentRead(shape, config.agents, config.depth)
        write = AgentWrite(shape, config.agents, config.depth, broadcast=config.broadcast)
        super().__init__(
            config,
            {
                "reads": In(read).array(config.readers),
                "writes": In(write).array(config.writers),
                "conflict": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        rows, conflicts = [], []
        for agent in range(config.agents):
            memory = Memory(self._shape, MemoryConfig(depth=config.depth, hazard="never"))
            m.submodules[f"bank_{agent}"] = memory
            read, write = memory.reads[0], memory.write
            readers = self._means(m, "reads", agent)
            writers = self._means(m, "writes", agent)
            m.d.comb += [read.enable.eq(readers.any()), write.enable.eq(writers.any())]
            for port, enables, users, fields in (
                (read, readers, self.reads, ("address",)),
                (write, writers, self.writes, ("address", "data")),
            ):
                for field in fields:
                    values = [Value.cast(getattr(user, field)) for user in users]
                    m.d.comb += Value.cast(getattr(port, field)).eq(_first(enables, values))
            rows.append(Value.cast(read.data))
            conflicts += [_several(readers), _several(writers)]
        m.d.comb += self.conflict.eq(Cat(conflicts).any())
        for number, user in enumerate(self.reads):
            self._answer(m, number, user, rows)
        return m

    def _means(self, m, kind, agent):
        """A bit for each user: whether it reads, or writes, an agent's memory."""
        users = getattr(self, kind)
        means = Signal(len(users), name=f"{kind}_{agent}")
        for bit, user in zip(means, users, strict=True):
            here = user.agent == agent if self._config.agents > 1 else Const(1)
            if kind == "writes" and self._config.broadcast:
                here |= user.broadcast
            m.d.comb += bit.eq(user.enable & here)
        return means

    def _answer(self, m, number, user, rows):
        """The row of the agent that was read."""
        arrives, agent = Signal(name=f"arrives_{number}"), Signal.like(user.agent, name=f"agent_{number}")
        chosen = Signal(len(rows[0]), name=f"chosen_{number}")
        answer = Signal(len(rows[0]), name=f"answer_{number}", reset_less=True)
        m.d.sync += [arrives.eq(user.enable), agent.eq(user.agent)]
        with m.Switch(agent):
            for bank, row in enumerate(rows[:-1]):
                with m.Case(bank):
                    m.d.comb += chosen.eq(row)
            with m.Default():
                m.d.comb += chosen.eq(rows[-1])
        with m.If(arrives):
            m.d.sync += answer.eq(chosen)
        m.d.comb += Value.cast(user.data).eq(answer)


class AgentMemories(ConfiguredComponent):
    """Parameters, activations, their signs and errors of all agents, for engines that have an agent at a time.

    See :class:`AgentBanks` for latency, throughput and what must not happen.

    Parameters
    ----------
    config : AgentMemoriesConfig

    Members
    -------
    parameters_reads : In(parameter_read).array(parameter_readers)
    parameters_writes : In(parameter_write).array(parameter_writers)
    activations_reads, signs_reads, errors_reads : In(AgentRead).array(readers)
    activations_writes, signs_writes, errors_writes : In(AgentWrite).array(writers)
    conflict : Out(1)
        Two users mean one port of an agent's memory in this cycle.
    """

    def __init__(self, config: AgentMemoriesConfig):
        word = word_layout(config.a3c)
        self._banks = {
            name: AgentBanks(unsigned(config.a3c.width) if name == "signs" else word, banks)
            for name, banks in config.banks.items()
        }
        ports = {
            f"{name}_{kind}": banks.signature.members[kind]
            for name, banks in self._banks.items()
            for kind in ("reads", "writes")
        }
        super().__init__(config, ports | {"conflict": Out(1)})

    def elaborate(self, platform):
        m = Module()
        for name, banks in self._banks.items():
            m.submodules[name] = banks
            for kind in ("reads", "writes"):
                connect_port(m, getattr(banks, kind), getattr(self, f"{name}_{kind}"), In)
        m.d.comb += self.conflict.eq(Cat(banks.conflict for banks in self._banks.values()).any())
        return m


def _first(enables, values):
    """The value of the first user that is enabled; the last one's where nobody is: that costs no logic."""
    choices = zip(reversed(enables[:-1]), reversed(values[:-1]), strict=True)
    return reduce(lambda others, choice: Mux(choice[0], choice[1], others), choices, values[-1])


def _several(enables):
    """Whether more than one is set."""
    return Cat(one & other for number, one in enumerate(enables) for other in enables[:number]).any()
