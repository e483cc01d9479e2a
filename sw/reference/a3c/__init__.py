"""References of ``rewardware.hw.cores.a3c``: networks, losses and updates of many agents, on the host's numbers."""
