"""References of ``rewardware.hw.cores.layer``: the hardware's order of sums, on the host's numbers."""
