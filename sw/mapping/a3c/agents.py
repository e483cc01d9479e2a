"""How many agents should be deployed.

Source: Ge et al., "A FPGA Accelerator of Distributed A3C Algorithm with Optimal Resource Deployment", 2024, equation 1.
"""

__all__ = ["agents_that_fit", "optimal_agents"]


def optimal_agents(experience: int, reward: int, limit: int) -> int:
    """N_o, the number of agents to deploy: the larger of the two that saturate, or as many as there can be.

    The paper's cases leave some out, as ``N_e > N_l > N_r``; what can be deployed is deployed there as well.

    Parameters
    ----------
    experience
        N_e, from which on more agents bring no more explorations per second.
    reward
        N_r, from which on more agents bring no more reward in as many steps.
    limit
        N_l, how many the part holds.

    Raises
    ------
    ValueError
        One of them is below 1.
    """
    for name, value in (("N_e", experience), ("N_r", reward), ("N_l", limit)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    return min(max(experience, reward), limit)


def agents_that_fit(budget: float, shared: float, each: float) -> int:
    """N_l: how many agents a part holds beside what they share, of whatever resource runs out first; 0 for none.

    Parameters
    ----------
    budget, shared, each
        Amounts of the resource: what there is, what the engines take, and what an agent takes.
    """
    if each <= 0:
        raise ValueError(f"An agent must take some of the resource, not {each:g}")
    return max(int((budget - shared) // each), 0)
