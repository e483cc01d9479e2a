"""Commands of the unit of fractionally strided convolutions. No Amaranth here."""

from collections.abc import Sequence

from ..convolution.command_records import nest_fields, window_fields, word_fields
from ..convolution.loop_nest_config import nest_loops
from ..convolution.window_loops import pixel_tiles
from ..convolution.word_commands import FeatureMap, parameter_loops, target_loops
from ..records import Field, Record
from .passes import Pass
from .records import command_record, output_nest
from .unit_config import FractionalConvolutionUnitConfig

__all__ = ["fractional_convolution_record", "layer_commands", "parameter_channels", "pass_command"]


def layer_commands(
    config: FractionalConvolutionUnitConfig,
    passes: Sequence[Pass],
    features: FeatureMap,
    *,
    place: int,
    parameter_row: int,
    **words: int,
) -> list[dict]:
    """The passes of a layer, of which the first loads the picture.

    Parameters
    ----------
    config
        Configuration of the unit.
    passes
        By :func:`.make_passes`, ``between_maps``. Where the weights of a pass stand over those of others, its command
        must wait until these passes are complete.
    features
        Where the output goes.
    place
        Place of the picture's first element in the feature memory.
    parameter_row
        First row of biases and multipliers, as :func:`parameter_channels` has them.
    **words
        ``shift`` and ``rectifies``.

    Returns
    -------
    list of dict
        :func:`.unit.fractional_convolution_command`, one of each pass.

    Raises
    ------
    ValueError
        Something has no room, or passes are not those of the unit.
    """
    found = []
    for number, one in enumerate(passes):
        where = {"place": place, "parameter_row": parameter_row}
        found.append(pass_command(config, one, features, loads=number == 0, **where, **words))
        parameter_row += len(parameter_channels(config, [one]))
    return found


def pass_command(
    config: FractionalConvolutionUnitConfig,
    one: Pass,
    features: FeatureMap,
    *,
    loads: bool,
    place: int,
    parameter_row: int,
    **words: int,
) -> dict:
    """A channel tile of a layer.

    Parameters
    ----------
    one
        The pass.
    features
        Where the output of the whole layer goes.
    loads
        The picture is not in the input memory yet.
    parameter_row
        First row of biases and multipliers of the pass, those of its first channels in the first lanes.
    config, place, **words
        As of :func:`layer_commands`.

    Raises
    ------
    ValueError
        Something has no room, or the pass is not one of the unit.
    """
    shape = one.shape
    if one.config != config.engine:
        raise ValueError(f"Configuration of a pass must be that of the engine, {config.engine}, not {one.config}")
    if not one.between_maps:
        raise ValueError("A pass of the unit must be one between maps")
    if features.first + shape.output_channels > features.channels:
        raise ValueError(
            f"Channels {features.first} to {features.first + shape.output_channels - 1} must be among the "
            f"{features.channels} of the map"
        )
    return {
        "loads": int(loads),
        "load": _load(config, one, place),
        "convolution": one.fields,
        "words": {**_words(config.writer, one, features, parameter_row), **words},
    }


def parameter_channels(config: FractionalConvolutionUnitConfig, passes: Sequence[Pass]) -> list[range]:
    """The channels whose biases and multipliers are in each row of parameters, one row after the other.

    Each pass begins a row; a row has as many channels as the writer has lanes, or what is left of the pass. Where
    passes have multiples of the lanes, they are the rows of :func:`.store_commands.matrix_store`.
    """
    lanes, found = config.writer.lanes, []
    for one in passes:
        end = one.first_channel + one.channels
        found += [range(first, min(first + lanes, end)) for first in range(one.first_channel, end, lanes)]
    return found


def fractional_convolution_record(config: FractionalConvolutionUnitConfig) -> Record:
    """The commands as flat records, as :mod:`.command_records` has those of other units."""
    return Record(
        (
            Field("loads"),
            *window_fields("load_window", config.reader),
            *nest_fields("load_rows", config.input_nest),
            *(Field(f"convolution_{field.name}", field.width) for field in command_record(config.engine).fields),
            *nest_fields("convolution_outputs", output_nest(config.engine)),
            *word_fields("words", config.writer),
        )
    )


def _load(config, one, place):
    """The whole picture: tiles, runs of channels, the channels of a run."""
    rows, channels = config.engine.rows, one.shape.input_channels
    loops = [
        (one.tiles, {"row": channels}),
        (-(-channels // rows), {"row": rows, "rest": -rows}),
        (rows, {"row": 1, "rest": -1}),
    ]
    return {
        "window": pixel_tiles(config.reader, channels=channels, pixels=one.pixel_count, place=place),
        "rows": nest_loops(config.input_nest, loops, {"row": one.input_row, "rest": channels}),
    }


def _words(config, one, features, parameter_row):
    """The whole output: lines, columns, runs of the channels of the pass."""
    lanes, (height, width) = config.lanes, one.shape.output
    runs = -(-one.channels // lanes)
    tile = FeatureMap(place=features.place, channels=features.channels, first=features.first + one.first_channel)
    target = [
        (height, {"lane": width * features.channels, "line": 1}),
        (width, {"lane": features.channels, "element": features.channels}),
        (runs, {"lane": lanes, "element": lanes, "rest": -lanes}),
    ]
    return {
        "turned": 0,
        "parameters": parameter_loops(config, parameter_row, runs, [(height, 0), (width, 0), (runs, lanes)]),
        "target": target_loops(config, one.channels, tile, target, (height, width)),
    }
