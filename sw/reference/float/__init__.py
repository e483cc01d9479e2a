"""References of ``rewardware.hw.cores.float``: integer arithmetic on bit patterns."""
