"""How many agents a part holds: what Yosys makes of the memories of one of them, and of those that all share."""

import dataclasses
from dataclasses import dataclass

from .....hw.cores.a3c.config import LARGEST_AGENTS, A3CConfig
from .....hw.soc.target.parts import Part
from ....mapping.a3c.agents import agents_that_fit

__all__ = ["AgentsOnPart", "agents_on_part"]


@dataclass(frozen=True, kw_only=True)
class AgentsOnPart:
    """Block memories of a part, in its family's units, and who takes them.

    Parameters
    ----------
    part, unit
        Names of the part, and of what is counted.
    holds, shared, each
        What there is, what the RMSProp unit takes with the central parameters, and what an agent takes.
    """

    part: str
    unit: str
    holds: float
    shared: float
    each: float

    @property
    def agents(self) -> int:
        """N_l; at most the agents of one accelerator."""
        return min(agents_that_fit(self.holds, self.shared, self.each), LARGEST_AGENTS)

    def __str__(self) -> str:
        return (
            f"{self.part} has {self.holds:g} {self.unit}, of which the RMSProp unit takes {self.shared:g} and an agent "
            f"{self.each:g}"
        )


def agents_on_part(part: Part, config: A3CConfig) -> AgentsOnPart:
    """N_l of a part, by its block memories: all other resources go to engines, whose number does not follow from the
    agents'.

    An agent takes a copy of the parameters, and activations, their signs and errors of a rollout. Units are synthesised
    once and kept in the cache.

    Parameters
    ----------
    part
    config
        The network, rollouts and words; its agents and engines do not matter.

    Raises
    ------
    ValueError
        A family in place of a part, or a part that holds no agent.
    """
    from .....hw.cores.a3c.agent_memories import AgentMemories
    from .....hw.cores.a3c.agent_memories_config import AgentMemoriesConfig
    from .....hw.cores.a3c.rms_prop_unit import RMSPropUnit
    from .....hw.cores.verilog.emit import emit
    from ....measurement.tool_cache import synthesise_once

    if part.holds is None:
        raise ValueError(f"--part must be a part, not the family {part.name}")
    one = dataclasses.replace(config, agents=1)
    units = {"agent_memories": AgentMemories(AgentMemoriesConfig(a3c=one)), "rms_prop_unit": RMSPropUnit(one)}
    blocks = {
        name: synthesise_once(emit(unit, name), name, part.target.name).result.total.bram
        for name, unit in units.items()
    }
    found = AgentsOnPart(
        part=part.name,
        unit=part.target.units["bram"],
        holds=part.holds.bram,
        shared=blocks["rms_prop_unit"],
        each=blocks["agent_memories"],
    )
    if not found.agents:
        raise ValueError(f"--part must hold at least one agent: {found}")
    return found
