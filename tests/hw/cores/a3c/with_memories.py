"""An engine and the memories of all agents, which a bench fills and reads through ports of its own."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Out

from rewardware.hw.cores.a3c.agent_memories import AgentMemories
from rewardware.hw.cores.a3c.agent_memories_config import AgentMemoriesConfig
from rewardware.hw.cores.forwarding import forward_port
from rewardware.sim.cocotb import simulate

# The kind of memory that each of the engine's ports uses.
KINDS = {
    "parameters": "parameters",
    "activations": "activations",
    "signs": "signs",
    "errors": "errors",
    "new_activations": "activations",
    "new_signs": "signs",
    "new_errors": "errors",
}


class WithMemories(wiring.Component):
    """An engine with the memories that it reads and writes.

    Members
    -------
    The streams of the engine; for each kind of memory ``load_KIND`` (write) and ``read_KIND``; ``conflict``; for each
    port that the engine reads ``reads_NAME``, whether it does.
    """

    def __init__(self, engine):
        self.engine = engine
        self.streams = [
            name for name, member in engine.signature.members.items() if isinstance(member.signature, stream.Signature)
        ]
        self.ports = [name for name in engine.signature.members if name in KINDS]
        readers, writers = (dict.fromkeys(("parameters", "activations", "signs", "errors"), 1) for _ in range(2))
        for name in self.ports:
            (writers if name.startswith("new_") else readers)[KINDS[name]] += 1
        self.memories = AgentMemories(
            AgentMemoriesConfig(
                a3c=engine.config,
                **{f"{kind[:-1]}_readers": count for kind, count in readers.items()},
                **{f"{kind[:-1]}_writers": count for kind, count in writers.items() if kind != "parameters"},
            )
        )
        members = self.memories.signature.members
        super().__init__(
            {name: engine.signature.members[name] for name in self.streams}
            | {f"load_{kind}": Out(members[f"{kind}_writes"].signature) for kind in readers}
            | {f"read_{kind}": Out(members[f"{kind}_reads"].signature) for kind in readers}
            | {"conflict": Out(1)}
            | {f"reads_{name}": Out(1) for name in self.ports if not name.startswith("new_")}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine, m.submodules.memories = self.engine, self.memories
        m.d.comb += self.conflict.eq(self.memories.conflict)
        for name in self.streams:
            forward_port(m, self.engine, self, name)
        users = dict.fromkeys((name for name in self.memories.signature.members if name != "conflict"), 0)
        for name in self.ports:
            writes = name.startswith("new_")
            self._connect(m, f"{KINDS[name]}_{'writes' if writes else 'reads'}", users, name)
            if not writes:
                m.d.comb += getattr(self, f"reads_{name}").eq(getattr(self.engine, name).enable)
        for kind in ("parameters", "activations", "signs", "errors"):
            for port, user in ((f"{kind}_writes", f"load_{kind}"), (f"{kind}_reads", f"read_{kind}")):
                wiring.connect(m, wiring.flipped(getattr(self, user)), getattr(self.memories, port)[users[port]])
        return m

    def _connect(self, m, port, users, name):
        wiring.connect(m, getattr(self.engine, name), getattr(self.memories, port)[users[port]])
        users[port] += 1


def simulate_with_memories(engine, bench, cycles, **options):
    """Run a bench of this folder on an engine with its memories.

    Parameters
    ----------
    engine : component
        With a ``latency``, which the bench is told.
    bench : str
        Name of its module.
    cycles
        Numbers that the bench is told of the cycles of a job.
    options
        Options of :func:`simulate`.
    """
    simulate(
        WithMemories(engine),
        bench=f"tests.hw.cores.a3c.{bench}",
        parameters={"config": engine.config, "cycles": cycles, "latency": engine.latency},
        after_noise=True,
        **options,
    )
