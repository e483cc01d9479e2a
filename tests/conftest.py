"""What holds for all tests."""

import os

from hypothesis import HealthCheck, settings

from rewardware.sim.verilator.build import OPTIMISATION_VARIABLE

# How long an example takes says how busy the machine is, not whether what is tested is right.
settings.register_profile("busy machines", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machines")

# Tests run side by side: a core for each, not all cores for all. Before anything imports PyTorch.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests simulate few cycles: what is compiled faster ends sooner.
os.environ.setdefault(OPTIMISATION_VARIABLE, "1")
