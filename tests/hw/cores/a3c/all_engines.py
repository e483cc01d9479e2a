"""All engines, the memories of all agents and the central parameters; a bench is the dispatcher."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.a3c.agent_memories import AgentMemories
from rewardware.hw.cores.a3c.agent_memories_config import AgentMemoriesConfig
from rewardware.hw.cores.a3c.backward_engine import BackwardEngine
from rewardware.hw.cores.a3c.forward_engine import ForwardEngine
from rewardware.hw.cores.a3c.gradient_unit import GradientUnit
from rewardware.hw.cores.a3c.ports import activation_write, error_write
from rewardware.hw.cores.a3c.rms_prop_unit import RMSPropUnit
from rewardware.hw.cores.forwarding import connect_port, forward_port

# Of each kind of engine: its streams, by their names outside.
STREAMS = {
    "forward": {"jobs": "forward_jobs", "results": "results"},
    "backward": {"jobs": "backward_jobs", "done": "backward_done"},
}
UNIT_PORTS = ("done", "rates", "parameters", "squares", "nonfinite")


class AllEngines(wiring.Component):
    """Streams of all engines, the bench's writes of activations and errors, and the host's ports."""

    def __init__(self, config):
        self.config = config
        self.engines = {
            "forward": [ForwardEngine(config) for _ in range(config.forward_engines)],
            "backward": [BackwardEngine(config) for _ in range(config.backward_engines)],
        }
        self.gradients, self.update = GradientUnit(config), RMSPropUnit(config)
        members = {
            "load_activations": In(activation_write(config)),
            "load_errors": In(error_write(config)),
            "gradient_jobs": self.gradients.signature.members["jobs"],
            "conflict": Out(1),
        }
        for kind, streams in STREAMS.items():
            engines = self.engines[kind]
            for inner, outer in streams.items():
                members[outer] = engines[0].signature.members[inner].array(len(engines))
        super().__init__(members | {name: self.update.signature.members[name] for name in UNIT_PORTS})

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.gradients, m.submodules.update = self.gradients, self.update
        m.submodules.memories = memories = AgentMemories(
            AgentMemoriesConfig(
                a3c=config,
                parameter_readers=config.forward_engines + config.backward_engines,
                activation_readers=config.forward_engines + 1,
                activation_writers=config.forward_engines + 1,
                sign_readers=config.backward_engines,
                sign_writers=config.forward_engines,
                error_readers=config.backward_engines + 1,
                error_writers=config.backward_engines + 1,
            )
        )
        free = {name: iter(getattr(memories, name)) for name in memories.signature.members if name != "conflict"}
        for kind, engines in self.engines.items():
            for number, engine in enumerate(engines):
                m.submodules[f"{kind}_{number}"] = engine
                for name, member in engine.signature.members.items():
                    if outer := STREAMS[kind].get(name):
                        connect_port(m, getattr(engine, name), getattr(self, outer)[number], member.flow)
                    else:
                        port = f"{name[4:]}_writes" if name.startswith("new_") else f"{name}_reads"
                        wiring.connect(m, getattr(engine, name), next(free[port]))
        for kind in ("activations", "errors"):
            wiring.connect(m, getattr(self.gradients, kind), next(free[f"{kind}_reads"]))
            wiring.connect(m, wiring.flipped(getattr(self, f"load_{kind}")), next(free[f"{kind}_writes"]))
        wiring.connect(m, self.update.updated, next(free["parameters_writes"]))
        wiring.connect(m, self.gradients.gradients, self.update.gradients)
        wiring.connect(m, wiring.flipped(self.gradient_jobs), self.gradients.jobs)
        for name in UNIT_PORTS:
            forward_port(m, self.update, self, name)
        m.d.comb += self.conflict.eq(memories.conflict)
        return m
