"""The mathematics of training, on any backend: DDPG, DQN, SAC, replay buffers, the loop of training with actors."""
