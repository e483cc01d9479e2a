"""An environment of your own, learned with prioritised replay on the RTL, which Verilator simulates.

`own_hardware.yaml` beside this file describes the accelerator. Its simulator is built once and kept.
"""

from pathlib import Path

import gymnasium
import numpy as np

from rewardware import DQN, DQNConfig


class Corridor(gymnasium.Env):
    """Five steps to the left earn a reward, five to the right end the episode without one."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return self._observation(), {}

    def step(self, action):
        self.place += 1 if action else -1
        return self._observation(), float(self.place == -5), abs(self.place) == 5, False, {}

    def _observation(self):
        return np.array([self.place / 5, 1.0], np.float32)


# The command line finds it by this name: `rewardware train pearl --env own_environment:Corridor-v0`.
gymnasium.register("Corridor-v0", Corridor)

if __name__ == "__main__":
    hardware = Path(__file__).with_name("own_hardware.yaml")
    config = DQNConfig(hidden_sizes=(32, 32), learning_starts=100, exploration_steps=300, target_update_interval=50)
    # In lockstep every answer of the RTL is compared with the reference's; "rtl" alone is faster.
    with DQN(Corridor(), config, hardware=hardware, backend="lockstep", evaluation_env=Corridor()) as agent:
        print("return before", agent.evaluate(10).mean())
        agent.learn(400)
        print("return after", agent.evaluate(10).mean())
        print(agent.counters()["replay_lockstep_compared"], "answers of the RTL compared, all equal")
