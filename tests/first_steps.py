"""What a newcomer does first, from an installed package in an empty folder: ``make try-dist``, which no test runs.

It imports nothing of the repository: README's path is its argument.
"""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

OWN_ENVIRONMENT = '''
import gymnasium
import numpy as np


class Corridor(gymnasium.Env):
    """Walk to the right."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return self.observation(), {}

    def step(self, action):
        self.place += 1 if action else -1
        return self.observation(), float(self.place == 5), abs(self.place) == 5, False, {}

    def observation(self):
        return np.array([self.place / 5, 1.0], np.float32)


gymnasium.register("Corridor-v0", Corridor)
'''


def run(*command: str) -> None:
    print("$", *command, flush=True)
    subprocess.run(command, check=True)


def main(readme: Path) -> None:
    installed = importlib.util.find_spec("rewardware")
    assert installed is not None and installed.origin is not None
    assert Path(sys.prefix) in Path(installed.origin).parents, f"{installed.origin} is not of this environment"
    assert not list(Path.cwd().iterdir()), f"{Path.cwd()} is not empty"
    scripts = Path(sys.executable).parent
    rewardware = str(scripts / "rewardware")

    snippets = re.findall(r"^```python\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert snippets, f"{readme} has no Python"
    Path("quick_start.py").write_text("\n".join(snippets), encoding="utf-8")
    run(sys.executable, "quick_start.py")

    Path("corridor.py").write_text(OWN_ENVIRONMENT, encoding="utf-8")
    run(rewardware, "train", "pearl", "--env", "corridor:Corridor-v0", "--config", "small", "--backend", "lockstep",
        "--steps", "300", "--learning-starts", "100", "--out", "corridor")  # fmt: skip
    run(rewardware, "eval", "corridor", "--import", "corridor", "--episodes", "2")

    for system in ("pearl", "fixar"):
        run(rewardware, "package", system, "--config", "small", "--out", f"{system}-verilog")
    run(rewardware, "list")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
