"""Random traffic through an interconnect: how much passes, how long it takes, and that nothing goes wrong.

python -m tests.hw.cores.tree.run_traffic butterfly4 --stages 32 --banks 128 --requests 10000000
"""

import argparse

import numpy as np

from rewardware.hw.cores.tree.interconnect_config import InterconnectConfig
from rewardware.sim.harness.vectors import evaluate
from tests.hw.cores.tree.traffic import Traffic

# In 256ths: how often stages request, how often banks and stages do not take what comes.
PHASES = ((255, 0, 0), (64, 0, 0), (32, 0, 0), (255, 128, 0), (255, 0, 128))
SETTLE_CYCLES = 500
DRAIN_CYCLES = 1000


def run_phases(config, cycles):
    """Requests sent and answers received until each cycle of each phase; between phases everything arrives."""
    load, bank_stall, stage_stall = (
        np.concatenate(
            [
                np.append(np.full(cycles, phase[column]), np.full(DRAIN_CYCLES, 0 if column == 0 else phase[column]))
                for phase in PHASES
            ]
        )
        for column in range(3)
    )
    got = evaluate(Traffic(config), {"load": load, "bank_stall": bank_stall, "stage_stall": stage_stall})
    if got["failed"][-1]:
        raise AssertionError("An answer came to another stage, from another bank, or not in order")
    sent, received = (got[name].reshape(len(PHASES), -1) for name in ("sent", "received"))
    if (sent[:, -1] != received[:, -1]).any():
        raise AssertionError(f"{sent[:, -1]} requests were sent, {received[:, -1]} answered")
    return sent, received


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("interconnect")
    parser.add_argument("--stages", type=int, default=32)
    parser.add_argument("--banks", type=int, default=128)
    parser.add_argument("--concentration", type=int, default=1, help="stages that share a port (default %(default)s)")
    parser.add_argument("--requests", type=int, default=1_000_000, help="at least so many (default %(default)s)")
    arguments = parser.parse_args()
    config = InterconnectConfig(
        stages=arguments.stages,
        banks=arguments.banks,
        interconnect=arguments.interconnect,
        concentration=arguments.concentration,
    )
    total = 0
    # The state at the end of a run is not kept: longer ones, until one is long enough.
    cycles = 5000
    while total < arguments.requests:
        sent, received = run_phases(config, cycles)
        total = int(sent[-1, -1])
        cycles = int(cycles * max(arguments.requests / total * 1.02, 1))
    print(f"{total} requests sent and answered, in {sent.size} cycles")
    print(
        "| requests offered | banks stall | stages stall | answers a cycle and stage | cycles from request to answer |"
    )
    print("| ---: | ---: | ---: | ---: | ---: |")
    length = sent.shape[1] - DRAIN_CYCLES
    for (load, bank_stall, stage_stall), out, back in zip(PHASES, sent, received, strict=True):
        rate = (back[length - 1] - back[SETTLE_CYCLES]) / (length - 1 - SETTLE_CYCLES)
        under_way = (out - back)[SETTLE_CYCLES:length].mean()
        shares = " | ".join(f"{share / 256:.2f}" for share in (load, bank_stall, stage_stall))
        print(f"| {shares} | {rate / config.stages:.3f} | {under_way / rate:.1f} |")


if __name__ == "__main__":
    main()
