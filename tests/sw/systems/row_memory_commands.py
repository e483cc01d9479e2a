"""Store rows and get them back: training, for a system that can do no more."""

import argparse

import numpy as np

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.device.open import open_device
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET, RowMemoryConfig


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", default="narrow")
    parser.add_argument("--rows", type=int, default=7)


def run(arguments: argparse.Namespace) -> None:
    print(f"{round_trip(load_preset(arguments.config, 'row_memory'), arguments.rows)} cycles for {arguments.rows} rows")


def round_trip(config: RowMemoryConfig, count: int) -> int:
    """Cycles of a program that loads rows and stores them."""
    encode = INSTRUCTION_SET.encode
    rows = np.arange(count * config.lanes, dtype=np.uint32).reshape(count, -1)
    with open_device("sim", config) as device:
        program = [
            encode("load", base=0, count=count),
            encode("store", wait="load", base=0, count=count),
            encode("halt"),
        ]
        device.load_program(program)
        device.send(rows)
        cycles = device.run(cycle_limit=10_000).cycles
        np.testing.assert_array_equal(device.receive(count), rows)
    return cycles


class RowMemoryBench:
    """One figure."""

    def __init__(self, configuration: str = "narrow"):
        self.configuration = configuration

    def rows(self, only):
        row = {"id": "round_trip", "unit": "cycles", "paper": None, "kind": "counted", "how": "seven rows and back"}
        found = [row | {"value": round_trip(load_preset(self.configuration, "row_memory"), 7)}]
        return [row for row in found if only is None or row["id"] in only]
