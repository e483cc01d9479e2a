"""First steps of a newcomer, from an installed package in an empty folder: ``make try-dist``, which no test runs.

It imports nothing of the repository: the paths of README and of the examples are its arguments.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path


def run(*command: str) -> None:
    print("$", *command, flush=True)
    subprocess.run(command, check=True)


def main(readme: Path, examples: Path) -> None:
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

    for name in ("own_environment.py", "own_hardware.yaml"):
        shutil.copy(examples / name, name)
    run(sys.executable, "own_environment.py")
    run(rewardware, "train", "pearl", "--env", "own_environment:Corridor-v0", "--config", "small",
        "--backend", "lockstep", "--steps", "300", "--learning-starts", "100", "--out", "corridor")  # fmt: skip
    run(rewardware, "eval", "corridor", "--import", "own_environment", "--episodes", "2")

    for system in ("pearl", "fixar"):
        run(rewardware, "package", system, "--config", "small", "--out", f"{system}-verilog")
    run(rewardware, "list")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
