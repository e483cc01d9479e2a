"""Fixtures and options of all tests."""

import argparse
import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

from rewardware.sim.verilator.build import OPTIMISATION_VARIABLE

# How long an example takes says how busy the machine is, not whether what is tested is right.
settings.register_profile("busy machines", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machines")

# Tests run side by side: a core for each, not all cores for all. Before anything imports PyTorch.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests simulate few cycles: what is compiled faster ends sooner.
os.environ.setdefault(OPTIMISATION_VARIABLE, "1")


def _number_of_rows(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a number of tests, 0 for all, not {text!r}")
    return int(text)


def pytest_addoption(parser):
    parser.addoption(
        "--processor-time",
        type=_number_of_rows,
        metavar="N",
        help="print the N tests and files that take most processor time (0 for all), and what it goes into",
    )


def pytest_configure(config):
    if os.environ.get("CI") and not shutil.which("iverilog"):
        raise pytest.UsageError("Icarus Verilog must be installed where CI is set (Debian: apt-get install iverilog)")
    if config.option.processor_time is not None:
        from tests.processor_time import ProcessorTime

        config.pluginmanager.register(ProcessorTime(config, config.option.processor_time))


def pytest_report_header():
    """Say at the beginning which checks of exported Verilog this machine leaves out."""
    if shutil.which("iverilog"):
        return []
    return ["Icarus Verilog: not installed, its checks of exported Verilog are left out"]
