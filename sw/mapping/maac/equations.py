"""The paper's model of MAAC's accelerator: its equations 3 to 6, as printed.

Source: S. Wiggins, Y. Meng, M. A. Iyer, V. Prasanna, "A Heterogeneous Acceleration System for Attention-Based
Multi-Agent Reinforcement Learning", 2024, sections IV and V.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ....hw.cores.checks import require_integer

__all__ = ["PaperModel", "agent_updates_per_second"]

# Sub-stages of attention that an experience fills and drains in equation 5.
SUB_STAGES = 4


@dataclass(frozen=True, kw_only=True)
class PaperModel:
    """Seconds that stages take for an experience, and an iteration with them.

    Parameters
    ----------
    agents : int
        N, at least 2.
    frequency : float
        Hertz.
    bandwidth : float or None
        Weights that external memory gives in a second; None: all weights are kept on chip, and T_LoadW is 0.

    Raises
    ------
    TypeError, ValueError
        Agents that are no integer, or fewer than 2; a frequency or bandwidth that is not above 0.
    """

    agents: int
    frequency: float
    bandwidth: float | None = None

    def __post_init__(self) -> None:
        require_integer("Agents", self.agents, 2)
        for name in ("frequency", "bandwidth"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name.capitalize()} must be above 0, not {value}")

    def load_seconds(self, inputs: int, outputs: int) -> float:
        """T_LoadW: the weights of a layer from external memory."""
        return 0.0 if self.bandwidth is None else inputs * outputs / self.bandwidth

    def linear_seconds(self, inputs: int, outputs: int, *, parallel_agents: int, units: int) -> float:
        """Equation 4: the forward or backward stage of a layer.

        Parameters
        ----------
        inputs, outputs : int
            F_in and F_out.
        parallel_agents, units : int
            PF_A and PF_F.
        """
        compute = (self.agents / parallel_agents) * inputs * (outputs / units) / self.frequency
        return max(compute, self.load_seconds(inputs, outputs))

    def attention_seconds(self, inputs: int, outputs: int, *, parallel_heads: int) -> float:
        """Equation 5: attention, whose slowest sub-stage encodes keys and values.

        Parameters
        ----------
        inputs, outputs : int
            F_in and F_out of that encoding.
        parallel_heads : int
            PF_H.
        """
        compute = inputs * (outputs / parallel_heads) / self.frequency
        return (self.agents + SUB_STAGES) * max(compute, self.load_seconds(inputs, outputs))

    def total_seconds(self, stages: Sequence[float], batch: int) -> float:
        """Equation 3: an iteration of ``batch`` experiences through stages that each take so many seconds."""
        return max(stages) * (len(stages) + batch)


def agent_updates_per_second(agents: int, batch: int, seconds: float) -> float:
    """Equation 6, APS: gradient updates of agents per second, from the time of an iteration."""
    return agents * batch / seconds
