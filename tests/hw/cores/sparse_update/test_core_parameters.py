"""The parameters of a core against the references of their update and of the conversion."""

import pytest

from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse_update.core_parameters import CoreParameters
from rewardware.hw.cores.sparse_update.core_parameters_config import CoreParametersConfig
from rewardware.hw.cores.sparse_update.weight_update_config import WeightUpdateConfig
from rewardware.sim.cocotb import simulate

from .variants import PARTS

SCALARS = {"binary16": 41, "binary32": 33}
VARIANTS = {
    name: CoreParametersConfig(
        update=WeightUpdateConfig(sparse=sparse, rms_prop=lane, interval=8), scalars=SCALARS[name]
    )
    for name, (sparse, lane) in PARTS.items()
}


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_parameters(config):
    simulate(
        CoreParameters(config),
        bench="tests.hw.cores.sparse_update.bench_core_parameters",
        parameters={"config": config, "layers": 12},
        after_noise=True,
    )


def test_bad_configuration():
    with pytest.raises(TypeError, match="^Update must be of the kind WeightUpdateConfig, not 3$"):
        CoreParametersConfig(update=3)
    with pytest.raises(ValueError, match="^Scalars must be from 2 to 1048576, not 1$"):
        CoreParametersConfig(scalars=1)
    with pytest.raises(ValueError, match="^Parameter latency must be 1, not 3$"):
        CoreParametersConfig(update=WeightUpdateConfig(sparse=SparseConfig(parameter_latency=3)))
    with pytest.raises(ValueError, match="^Parameter latency must be more than 1, not 1$"):
        CoreParametersConfig(update=WeightUpdateConfig(rms_prop=PARTS["binary32"][1]))
