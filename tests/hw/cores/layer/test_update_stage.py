"""The optimiser's pass over a layer against the references of its lanes."""

from dataclasses import replace

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.layer.config import BINARY32_LANE, LayerConfig
from rewardware.hw.cores.layer.parameter_array import ParameterArray
from rewardware.hw.cores.layer.ports import parameter_read, parameter_write
from rewardware.hw.cores.layer.update_stage import UpdateStage, update_lane
from rewardware.hw.cores.layer.update_stage_config import UpdateStageConfig
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


class UpdatedLayer(wiring.Component):
    """An update stage and its memories, each behind ports for single parameters."""

    OUTSIDE = ("start", "done", "rates", "nonfinite")

    def __init__(self, stage):
        self.stage = stage
        names = ("weights", "gradients", *(f"state_{index}" for index in range(len(stage.state))))
        layer = stage.config.layer
        super().__init__(
            {name: stage.signature.members[name] for name in self.OUTSIDE}
            | {f"{name}_read": In(parameter_read(layer)) for name in names}
            | {f"{name}_write": In(parameter_write(layer)) for name in names}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.stage = stage = self.stage
        for name in self.OUTSIDE:
            forward_port(m, stage, self, name)
        ports = {"weights": (stage.weights, stage.new_weights), "gradients": (stage.gradients, None)}
        for index, port in enumerate(zip(stage.state, stage.new_state, strict=True)):
            ports[f"state_{index}"] = port
        for name, (read, write) in ports.items():
            m.submodules[name] = memory = ParameterArray(stage.config.layer)
            wiring.connect(m, read, memory.update)
            wiring.connect(m, wiring.flipped(getattr(self, f"{name}_read")), memory.host_read)
            wiring.connect(m, wiring.flipped(getattr(self, f"{name}_write")), memory.host_write)
            if write is not None:
                wiring.connect(m, write, memory.new_words)
        return m


@pytest.mark.parametrize(
    ("inputs", "outputs", "units", "optimizer", "interval", "arithmetic"),
    [
        # One lane has nothing to do in every second turn.
        (2, 5, 3, "adam", 2, BINARY32_LANE),
        (3, 4, 4, "adam", 1, BRAIN),
        (1, 7, 7, "sgd", 3, BRAIN),
    ],
    ids=["turns", "all at once", "descent"],
)
def test_update_stage(inputs, outputs, units, optimizer, interval, arithmetic):
    layer = LayerConfig(inputs=inputs, outputs=outputs, units=units, arithmetic=arithmetic)
    config = UpdateStageConfig(layer=layer, optimizer=optimizer, interval=interval)
    assert config.lanes == -(-units // interval)
    stage = UpdateStage(config)
    simulate(
        UpdatedLayer(stage),
        bench="tests.hw.cores.layer.bench_update_stage",
        parameters={"config": config, "cycles": stage.cycles},
        after_noise=True,
    )


def test_lanes_are_one_module_only_if_they_are_equal():
    layer = LayerConfig(inputs=2, outputs=3, units=1, arithmetic=BRAIN)
    configs = [
        UpdateStageConfig(layer=layer, optimizer=optimizer, gradient_scale=scale, shared=shared)
        for optimizer, scale, shared in (
            *(("adam", 1.0, False), ("adam", 0.5, False), ("adam", 0.25, False)),
            *(("sgd", 0.5, False), ("adam", 1.0, True)),
        )
    ]
    keys = [update_lane(config).key for config in configs]
    assert len(set(keys)) == len(configs) and keys == [update_lane(config).key for config in configs]
    # Shared lanes get the scale of each layer.
    assert keys[-1] == update_lane(replace(configs[-1], gradient_scale=0.5)).key
