"""Commands: lanes without conflicts, intervals that are long enough and no longer, and refusals."""

import dataclasses
import itertools

import pytest

from rewardware.hw.cores.convolution.shape import FractionallyStridedShape
from rewardware.hw.cores.float.config import BINARY32, FloatLaneConfig
from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig, IntegerLaneConfig
from rewardware.hw.cores.fractional_convolution.cycles import total_cycles
from rewardware.hw.cores.fractional_convolution.passes import Pass, make_passes
from rewardware.hw.cores.fractional_convolution.records import command_record

from .configurations import CONFIGURATIONS, LAYERS

INTEGERS = FractionalConvolutionConfig(cores=3, rows=3, columns=2)
FLOATS = FractionalConvolutionConfig(cores=1, rows=2, columns=5, arithmetic=FloatLaneConfig(format=BINARY32))
LAYER = FractionallyStridedShape(
    input_channels=2, output_channels=5, picture=(3, 4), kernel=(3, 2), stride=(2, 1), padding=((1, 1), (0, 0))
)


def accesses(one):
    """For each pixel of each column block: of each lane the address, as equations 3.12 to 3.14 have it."""
    shape, lanes = one.shape, one.config.lanes
    height, width = shape.output
    for block in range(one.blocks):
        columns = range(block * lanes, min(block * lanes + lanes, one.columns))
        for picture, x, y in one.pixels:
            found = []
            for column in columns:
                element, channel = divmod(column, one.channels)
                row = x * shape.stride[0] + element // shape.kernel[1] - shape.padding[0][0]
                across = y * shape.stride[1] + element % shape.kernel[1] - shape.padding[1][0]
                if 0 <= row < height and 0 <= across < width:
                    position = (picture * height + row) * one.pitch + across * one.channels + channel
                    found.append((position % lanes, position // lanes))
            yield found


SMALL = [
    FractionallyStridedShape(
        input_channels=1,
        output_channels=3,
        picture=picture,
        kernel=kernel,
        stride=stride,
        padding=((cropped, cropped), (0, 0)),
    )
    for picture, kernel, stride, cropped in itertools.product(
        ((1, 1), (2, 3), (4, 2)), ((1, 1), (2, 3), (3, 1), (4, 4)), ((1, 1), (2, 1), (3, 2)), (0, 1)
    )
    if (picture[0] - 1) * stride[0] + kernel[0] > 2 * cropped
]


@pytest.mark.parametrize("lanes", [2, 5, 6])
@pytest.mark.parametrize("floating", [False, True])
def test_no_lane_is_met_twice_and_no_sum_before_it_is_written(lanes, floating):
    """All geometries of a grid; pixels come ``interval`` cycles after each other."""
    config = FractionalConvolutionConfig(
        cores=1, rows=3, columns=lanes, arithmetic=FloatLaneConfig(adder_depth=2) if floating else IntegerLaneConfig()
    )
    longest = 0
    for shape, pictures, channels in itertools.product(SMALL, (1, 3), (1, 2, 3)):
        for one in make_passes(config, shape, channels, pictures=pictures):
            written = {}
            for number, found in enumerate(accesses(one)):
                assert len({lane for lane, _ in found}) == len(found), f"{shape}: two columns of a pixel in one lane"
                assert all(0 <= address < one.scratchpad_rows for _, address in found)
                for place in found:
                    since = (number - written.get(place, number - config.reuse)) * one.interval
                    assert since >= config.reuse, f"{shape} by {channels}: read {since} cycles after"
                    written[place] = number
            longest = max(longest, one.interval)
    assert longest == config.reuse


def test_an_interval_is_no_longer_than_it_must_be():
    """Neighbours meet in one column block; the pixels of other pictures come between them."""
    shape = dataclasses.replace(LAYER, padding=((0, 0), (0, 0)), output_channels=1)
    intervals = [make_passes(FLOATS, shape, 1, pictures=count)[0].interval for count in (1, 2, 4)]
    assert FLOATS.reuse == 7
    assert intervals == [7, 4, 2]
    # Kernels that do not touch never meet.
    apart = dataclasses.replace(shape, stride=(3, 2))
    assert make_passes(FLOATS, apart, 1)[0].interval == 1


def test_integers_take_the_better_order():
    wide = FractionallyStridedShape(input_channels=1, output_channels=2, picture=(6, 6), kernel=(2, 5))
    (one,) = make_passes(INTEGERS, wide, 2)
    assert (one.order, one.interval) == ("columns", 1)
    assert dataclasses.replace(one, order="rows").interval == INTEGERS.reuse


def test_the_weights_of_passes_follow_each_other_in_a_ring():
    config = dataclasses.replace(INTEGERS, weight_rows=9)
    passes = make_passes(config, LAYER, 2, input_row=4, weight_row=2)
    assert [(one.first_channel, one.channels, one.weight_row) for one in passes] == [(0, 2, 2), (2, 2, 0), (4, 1, 4)]
    assert {one.input_row for one in passes} == {4}


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_fields_fit_the_command(config):
    for shape, pictures, channels in LAYERS:
        for one in make_passes(config, shape, channels, pictures=pictures):
            fields = {name: value for name, value in one.fields.items() if name != "outputs"}
            assert command_record(config).unpack(command_record(config).pack(fields)) == fields


def test_stall_free_from_enough_input_channels_on():
    """A step a cycle: what is over is the fill, and the words of the last pass."""
    for config in (INTEGERS, FLOATS):
        shape = FractionallyStridedShape(
            input_channels=24, output_channels=config.lanes, picture=(4, 6), kernel=(2, 2), stride=(2, 2)
        )
        passes = make_passes(config, shape, config.lanes)
        steps = sum(one.blocks * one.tiles for one in passes) * shape.input_channels
        over = total_cycles(config, passes) - steps - passes[-1].output_rows * passes[-1].row_words
        assert passes[0].interval == 1
        # In floating point the slots begin one after the other, and end so.
        assert over <= 40 + (config.slots - 1) * shape.input_channels


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"cores": 0}, ValueError, "Cores must be from 1 to 64, not 0"),
        ({"rows": 65}, ValueError, "Rows must be from 1 to 64, not 65"),
        ({"columns": 2.0}, TypeError, "Columns must be an integer, not 2.0"),
        ({"cores": 1, "columns": 1}, ValueError, "Columns of all cores must be at least 2, not 1"),
        ({"output_lanes": 7}, ValueError, "Output lanes must be from 1 to 6, not 7"),
        ({"scratchpad_rows": 1}, ValueError, "Scratchpad rows must be from 2 to 1048576, not 1"),
        ({"arithmetic": BINARY32}, TypeError, "Arithmetic must be of the kind IntegerLaneConfig, not FloatFormat"),
        ({"arithmetic": {"width": 16, "sum_width": 31}}, ValueError, "Sum width must be from 32 to 64, not 31"),
        ({"arithmetic": {"format": "binary12"}}, ValueError, "Format must be one of binary16, .*, not 'binary12'"),
    ],
)
def test_bad_configurations_are_refused(changes, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(INTEGERS, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_channels": 1}, "Input channels of a layer must be at most 1, not 2"),
        ({"side": 6}, "Side of all that a picture's kernels reach must be at most 6, not 7"),
        ({"input_rows": 7}, "Rows of inputs must be at most 7, not 8"),
        ({"weight_rows": 9}, "Rows of weights must be at most 9, not 10"),
        ({"scratchpad_rows": 22}, "Rows of the scratchpad must be at most 22, not 23"),
        ({"arithmetic": {"width": 16, "sum_width": 32}}, "Products of a sum must be at most 1, not 8"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make_passes(dataclasses.replace(INTEGERS, **changes), LAYER, 5)


def test_wrong_passes_are_refused():
    with pytest.raises(ValueError, match="Channels of a pass must be from 1 to 5, not 6"):
        make_passes(INTEGERS, LAYER, 6)
    with pytest.raises(ValueError, match="Channels of a pass must be from 1 to 2, not 3"):
        Pass(config=INTEGERS, shape=LAYER, first_channel=3, channels=3)
    with pytest.raises(ValueError, match="Order must be one of rows, not 'columns'"):
        Pass(config=FLOATS, shape=LAYER, first_channel=0, channels=3, order="columns")
    with pytest.raises(ValueError, match="must have 1 picture, in the order rows, not 1, in columns"):
        Pass(config=INTEGERS, shape=LAYER, first_channel=0, channels=3, order="columns", between_maps=True)
    with pytest.raises(ValueError, match="must have 1 picture, in the order rows, not 2, in rows"):
        make_passes(INTEGERS, LAYER, 3, pictures=2, between_maps=True)
    with pytest.raises(ValueError, match="Pictures must be at least 1, not 0"):
        make_passes(INTEGERS, LAYER, 3, pictures=0)
