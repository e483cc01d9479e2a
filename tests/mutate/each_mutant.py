"""Loaded by a simulator before a bench: the bench runs once for each mutant, in a process of its own, and then on none.

Imports take longer than most mutants live, so they are made once for all of them.
"""

import faulthandler
import importlib
import json
import os
import resource
from pathlib import Path

from rewardware.sim.cocotb.bench import current_run

# The mutants as JSON: `variable` with which a design chooses one, `numbers`, `limit_seconds` of processor time of each,
# and `folder` for the results.
ORDER_VARIABLE = "REWARDWARE_EACH_MUTANT"


def main() -> None:
    """Return in the process of each mutant, and at last in the one that has none."""
    order = json.loads(os.environ[ORDER_VARIABLE])
    for module in os.environ["COCOTB_TEST_MODULES"].split(","):
        importlib.import_module(module)
    # A process that forks hands no clock over.
    faulthandler.cancel_dump_traceback_later()
    for number in order["numbers"]:
        place = Path(order["folder"]) / str(number)
        process = os.fork()
        if process == 0:
            _become(number, order, place)
            break
        _, status = os.waitpid(process, 0)
        place.with_suffix(".status").write_text(str(os.waitstatus_to_exitcode(status)))
    faulthandler.dump_traceback_later(current_run().timeout_s, exit=True)


def _become(number: int, order: dict, place: Path) -> None:
    """The design reads its mutant when its simulation starts, which is behind all imports."""
    seconds = order["limit_seconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    os.environ |= {order["variable"]: str(number), "COCOTB_RESULTS_FILE": str(place.with_suffix(".xml"))}
    log = os.open(os.devnull, os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)


if ORDER_VARIABLE in os.environ:
    main()
