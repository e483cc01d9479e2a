"""Operands in their rows, channel tiles, and the thesis's figures on small layers."""

import dataclasses
import math

import numpy as np
import pytest

from rewardware.hw.cores.convolution.shape import FractionallyStridedShape
from rewardware.hw.cores.convolution.word_commands import FeatureMap
from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from rewardware.hw.cores.fractional_convolution.cycles import total_cycles
from rewardware.hw.cores.fractional_convolution.passes import make_passes
from rewardware.hw.cores.fractional_convolution.unit_commands import layer_commands
from rewardware.sw.mapping.fractional_convolution.fastest_passes import fastest_passes
from rewardware.sw.mapping.fractional_convolution.figures import (
    DCGAN_ENGINE,
    DCGAN_UNIT,
    NATURE_CNN_ENGINE,
    array_scaling,
    dcgan_between_maps,
    figures_of,
    operations_per_cycle,
)
from rewardware.sw.mapping.fractional_convolution.models import dcgan, decoders, nature_cnn_backward
from rewardware.sw.mapping.fractional_convolution.operands import input_rows, output_rows, weight_rows

CONFIG = FractionalConvolutionConfig(cores=3, rows=4, columns=2)
SHAPE = FractionallyStridedShape(input_channels=3, output_channels=5, picture=(2, 3), kernel=(3, 2), stride=(2, 1))


def test_every_operand_has_its_place():
    passes = make_passes(CONFIG, SHAPE, 2, pictures=2)
    inputs = np.arange(1, 1 + 2 * 2 * 3 * 3).reshape(2, 2, 3, 3)
    rows = input_rows(passes[0], inputs)
    assert rows.shape == (passes[0].tiles * 3, 4)
    for number, (picture, x, y) in enumerate(passes[0].pixels):
        tile, lane = divmod(number, 4)
        for channel in range(3):
            assert rows[tile * 3 + channel, lane] == inputs[picture, x, y, channel]
    kernels = np.arange(1, 1 + 3 * 2 * 3 * 5).reshape(3, 2, 3, 5)
    for one in passes:
        rows = weight_rows(one, kernels)
        assert rows.shape == (one.blocks * 3, 6)
        for column in range(one.columns):
            element, z = divmod(column, one.channels)
            block, lane = divmod(column, 6)
            for channel in range(3):
                there = kernels[element // 2, element % 2, channel, one.first_channel + z]
                assert rows[block * 3 + channel, lane] == there
        assert np.count_nonzero(rows) == 3 * one.columns


def test_outputs_are_found_in_their_words():
    one = make_passes(CONFIG, SHAPE, 4, pictures=2)[0]
    outputs = np.arange(2 * 5 * 4 * 4).reshape(2, 5, 4, 4)
    words = np.full((one.output_rows, one.row_words * 6), -1)
    words[:, : one.row_positions] = outputs.reshape(one.output_rows, -1)
    assert np.array_equal(output_rows(one, words.reshape(-1, 6)), outputs)


def test_outputs_are_found_in_the_words_of_pixels():
    config = dataclasses.replace(CONFIG, output_lanes=3)
    one = make_passes(config, SHAPE, 4, between_maps=True)[0]
    outputs = np.arange(5 * 4 * 4).reshape(1, 5, 4, 4)
    words = np.full((5 * 4, 6), -1)
    words[:, :4] = outputs.reshape(-1, 4)
    assert one.output_rows * one.row_words == 2 * len(words)
    assert np.array_equal(output_rows(one, words.reshape(-1, 3)), outputs)


def test_passes_cover_the_layer_and_are_fast():
    shape = dataclasses.replace(SHAPE, output_channels=9)
    passes = fastest_passes(CONFIG, shape, 6)
    together = passes[0].pictures
    channels = [one.channels for one in passes]
    assert sum(channels) * together == 9 * 6
    assert len({(one.first_channel, one.input_row) for one in passes}) == len(passes)
    worst = max(total_cycles(CONFIG, make_passes(CONFIG, shape, count, pictures=6)) for count in range(1, 10))
    assert total_cycles(CONFIG, passes) < worst


def test_passes_between_maps_are_of_a_picture():
    passes = fastest_passes(CONFIG, SHAPE, between_maps=True)
    assert all(one.between_maps for one in passes)
    with pytest.raises(ValueError, match="Pictures must be 1 between maps, not 2"):
        fastest_passes(CONFIG, SHAPE, 2, between_maps=True)


def test_a_small_scratchpad_makes_small_passes():
    small = dataclasses.replace(CONFIG, scratchpad_rows=6)
    passes = fastest_passes(small, SHAPE, 2)
    assert all(one.scratchpad_rows <= 6 for one in passes)
    with pytest.raises(ValueError, match="Rows of the scratchpad must be at most 2, not 6"):
        fastest_passes(dataclasses.replace(CONFIG, scratchpad_rows=2), SHAPE, 2)


def test_the_models_are_what_they_are_called():
    assert [shape.output for shape in dcgan()] == [(4, 4), (8, 8), (16, 16), (32, 32), (64, 64)]
    assert [shape.output_channels for shape in dcgan(width=8)] == [128, 64, 32, 16, 3]
    assert [shape.output for shape in nature_cnn_backward()] == [(9, 9), (20, 20), (84, 84)]
    for stride in (2, 3, 4):
        for shape in decoders(stride):
            assert shape.output == tuple(stride * side for side in shape.picture)


def test_figures_of_a_layer():
    found = figures_of(DCGAN_ENGINE, dcgan()[1], 8)
    assert found.elements == 1024
    # 8 pictures of 64 pixels over 64 rows, 512 channels over 16 columns, 16 elements and 1024 channels to sum up.
    assert found.im2col_cycles == 8 * 32 * 16 * 1024
    assert found.ideal_gain == 4
    assert found.gain == found.im2col_cycles / found.cycles
    assert 0.99 < found.utilisation < 1
    assert found.gamma == found.gain / 4
    assert operations_per_cycle([found]) == pytest.approx(2 * found.utilisation)


def test_dcgan_from_map_to_map():
    """docs/decisions/0014-fractional-convolution.md has the figures: pictures are loaded, and words are pixels."""
    rows = dcgan_between_maps()
    alone, between = (sum(row[column] for row in rows) for column in (1, 2))
    assert all(1 < row[2] / row[1] < 1.03 for row in rows[:-1])
    assert 1.02 < between / alone < 1.03
    for shape in dcgan():
        passes = fastest_passes(DCGAN_UNIT.engine, shape, between_maps=True)
        features = FeatureMap(place=math.prod(shape.picture) * shape.input_channels, channels=shape.output_channels)
        commands = layer_commands(DCGAN_UNIT, passes, features, place=0, parameter_row=0, shift=20, rectifies=1)
        assert [command["loads"] for command in commands] == [1] + [0] * (len(passes) - 1)


def test_what_the_thesis_reports_is_reached():
    """With 4 pictures at a time; docs/decisions/0014-fractional-convolution.md has the figures."""
    found = [figures_of(DCGAN_ENGINE, shape, 4) for shape in dcgan()]
    assert operations_per_cycle(found) >= 1.9
    assert array_scaling(4) >= 15.2
    # Floating point: each of the four slots has a pixel tile.
    assert figures_of(NATURE_CNN_ENGINE, nature_cnn_backward()[0], 4).utilisation > 0.9
    for stride in (2, 3, 4):
        assert figures_of(DCGAN_ENGINE, decoders(stride)[stride], 8).gain >= 0.95 * stride**2
