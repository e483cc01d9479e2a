"""References of ``rewardware.hw.cores.float.functions``: integer arithmetic on bit patterns."""
