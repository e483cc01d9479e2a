"""References of ``rewardware.hw.cores.learner``: whole gradient steps."""
