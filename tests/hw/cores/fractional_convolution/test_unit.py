"""The unit from feature map to feature map, against the references; what is refused."""

import dataclasses

import pytest

from rewardware.hw.cores.convolution.command_records import flat_command
from rewardware.hw.cores.convolution.window_loops import pixel_tiles
from rewardware.hw.cores.convolution.word_commands import FeatureMap
from rewardware.hw.cores.convolution.word_writer_config import WordWriterConfig
from rewardware.hw.cores.float.config import FloatLaneConfig
from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig, IntegerLaneConfig
from rewardware.hw.cores.fractional_convolution.passes import make_passes
from rewardware.hw.cores.fractional_convolution.unit_commands import (
    fractional_convolution_record,
    layer_commands,
    parameter_channels,
)
from rewardware.hw.cores.fractional_convolution.unit_config import FractionalConvolutionUnitConfig
from rewardware.hw.cores.memory.config import UnalignedConfig
from rewardware.sim.cocotb import simulate

from .configurations import MEMORIES, shape_of
from .unit_with_memories import UnitWithMemories

# The shape of each layer, and the channels of a pass.
LAYERS = (
    (shape_of((3, 5), (4, 3), (3, 2), (2, 3)), 2),
    (shape_of((1, 1), (1, 1), (1, 1)), 1),
    (shape_of((1, 3), (2, 5), (3, 3)), 3),
    (shape_of((9, 7), (3, 3), (4, 4), (2, 2), ((1, 1), (1, 1))), 3),
    (shape_of((11, 4), (2, 3), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1)), 4),
    (shape_of((2, 1), (3, 3), (5, 3), (3, 2), ((3, 2), (2, 1)), (2, 1)), 1),
    (shape_of((2, 3), (3, 3), (1, 2), (3, 3), added=(2, 2)), 2),
    (shape_of((4, 8), (3, 2), (5, 5), (1, 1), ((3, 3), (2, 2))), 8),
    (shape_of((6, 20), (1, 1), (4, 4)), 9),
    # Words take longer than products.
    (shape_of((1, 5), (3, 3), (2, 3), (3, 3)), 1),
)
# DCGAN's generator, with few channels.
CHAIN = (
    (shape_of((7, 6), (1, 1), (4, 4)), 4),
    (shape_of((6, 4), (4, 4), (4, 4), (2, 2), ((1, 1), (1, 1))), 3),
    (shape_of((4, 3), (8, 8), (4, 4), (2, 2), ((1, 1), (1, 1))), 3),
)


def unit_config(width, operand_width, lanes, banks, **engine):
    arithmetic = IntegerLaneConfig(width=operand_width, sum_width=2 * width + 12, multiplier_depth=1)
    return FractionalConvolutionUnitConfig(
        engine=FractionalConvolutionConfig(arithmetic=arithmetic, output_lanes=lanes, **MEMORIES, **engine),
        writer=WordWriterConfig(
            lanes=lanes,
            sum_width=2 * width + 13,
            features=UnalignedConfig(lanes=banks, rows=512, width=width),
            parameter_rows=40,
            levels=3,
        ),
    )


CONFIGURATIONS = {
    "int8, 3 cores of 3 x 2": unit_config(8, 10, 6, 7, cores=3, rows=3, columns=2),
    "int16, one of 5 x 7": unit_config(16, 16, 4, 5, cores=1, rows=5, columns=7),
}


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_unit(config):
    simulate(
        UnitWithMemories(config),
        bench="tests.hw.cores.fractional_convolution.bench_unit",
        parameters={"config": config, "layers": LAYERS, "chain": CHAIN},
    )


CONFIG = CONFIGURATIONS["int8, 3 cores of 3 x 2"]


@pytest.mark.parametrize(
    ("part", "changes", "error", "message"),
    [
        ("engine", {"rows": 1}, ValueError, "Rows of the engine must be from 2 to 7, not 1"),
        ("engine", {"rows": 8}, ValueError, "Rows of the engine must be from 2 to 7, not 8"),
        ("engine", {"output_lanes": 5}, ValueError, "Output lanes of the engine must be the 6 lanes of .*, not 5"),
        (
            "engine",
            {"arithmetic": FloatLaneConfig()},
            TypeError,
            "Arithmetic of the engine must be of the kind IntegerLaneConfig",
        ),
        (
            "engine",
            {"arithmetic": IntegerLaneConfig(width=7, sum_width=28)},
            ValueError,
            "Operands must have at least the 8 bits of an element, not 7",
        ),
        ("writer", {"levels": 2}, ValueError, "Levels of the writer must be from 3 to 8, not 2"),
        ("writer", {"sum_width": 27}, ValueError, "Totals must have at least the 28 bits of a sum, not 27"),
    ],
)
def test_parts_that_do_not_suit_are_refused(part, changes, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(CONFIG, **{part: dataclasses.replace(getattr(CONFIG, part), **changes)})


def test_what_does_not_fit_is_refused():
    shape, channels = LAYERS[0]
    passes = make_passes(CONFIG.engine, shape, channels, between_maps=True)
    features, words = FeatureMap(place=0, channels=5), {"shift": 0, "rectifies": 0}
    others = dataclasses.replace(CONFIG.engine, side=36)
    for found, target, where, message in (
        (make_passes(CONFIG.engine, shape, 2), features, {}, "A pass of the unit must be one between maps"),
        (make_passes(others, shape, 2, between_maps=True), features, {}, "Configuration of a pass must be .*side=37"),
        (passes, FeatureMap(place=0, channels=6, first=2), {}, "Channels 2 to 6 must be among the 6 of the map"),
        (passes, features, {"place": 3549}, "The picture's 36 elements must be in the 3584 .*, not from 3549 on"),
        (passes, features, {"parameter_row": 38}, "Rows of parameters must be below 40, not from 40 to 40"),
    ):
        where = {"place": 0, "parameter_row": 0} | where
        with pytest.raises(ValueError, match=message):
            layer_commands(CONFIG, found, target, **where, **words)
    with pytest.raises(ValueError, match="Elements must be from -4096 to 4095, not -4 to 4099"):
        pixel_tiles(CONFIG.reader, channels=4, pixels=1025, place=0)


def test_commands_fit_their_record():
    record = fractional_convolution_record(CONFIG)
    for shape, channels in LAYERS:
        passes = make_passes(CONFIG.engine, shape, channels, between_maps=True)
        features = FeatureMap(place=9, channels=shape.output_channels)
        for command in layer_commands(CONFIG, passes, features, place=0, parameter_row=0, shift=3, rectifies=1):
            fields = flat_command(command)
            assert record.unpack(record.pack(fields)) == fields


def test_each_pass_begins_a_row_of_parameters():
    passes = make_passes(CONFIG.engine, shape_of((1, 20), (1, 1), (1, 1)), 9, between_maps=True)
    rows = [range(0, 6), range(6, 9), range(9, 15), range(15, 18), range(18, 20)]
    assert parameter_channels(CONFIG, passes) == rows
