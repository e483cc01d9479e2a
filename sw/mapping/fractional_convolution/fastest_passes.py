"""How many output channels and how many pictures a pass should have."""

import dataclasses
from itertools import product

from ....hw.cores.convolution.shape import FractionallyStridedShape
from ....hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from ....hw.cores.fractional_convolution.cycles import total_cycles
from ....hw.cores.fractional_convolution.passes import Pass, make_passes

__all__ = ["fastest_passes"]

# Choices whose cycles are counted.
_CANDIDATES = 6


def fastest_passes(
    config: FractionalConvolutionConfig,
    shape: FractionallyStridedShape,
    pictures: int = 1,
    *,
    between_maps: bool = False,
) -> tuple[Pass, ...]:
    """The passes of a layer with the fastest channel tile and number of pictures, of the few that promise most.

    A tile should fill its column blocks, and pictures together their pixel tiles; the outputs of the last pass leave
    when nothing more is computed, so that one should be small. Channel tiles come one after the other, each for all
    groups of pictures: its weights are loaded once.

    Passes ``between_maps`` are for :class:`.FractionalConvolutionUnit`, which takes a picture at a time.

    Raises
    ------
    ValueError
        Several pictures between maps; or not even one channel of one picture at a time fits into the configuration, and
        the text says why.
    """
    if between_maps and pictures != 1:
        raise ValueError(f"Pictures must be 1 between maps, not {pictures}")
    lanes, outputs = config.lanes, shape.output_channels
    height, width = shape.output

    def estimate(choice: tuple[int, int]) -> int:
        together, channels = choice
        full, rest = divmod(outputs, channels)
        blocks = sum(-(-shape.elements * tile // lanes) for tile in [channels] * full + [rest])
        of_block = -(-together * shape.picture[0] * shape.picture[1] // config.rows) * shape.input_channels
        runs, run = (width, rest or channels) if between_maps else (1, width * (rest or channels))
        left = together * height * runs * -(-run // config.outputs)
        return pictures // together * blocks * of_block + left

    def passes_of(channels: int, together: int) -> tuple[Pass, ...]:
        first = make_passes(config, shape, channels, pictures=together, between_maps=between_maps)
        input_rows = first[0].tiles * shape.input_channels
        return tuple(
            dataclasses.replace(one, input_row=group * input_rows)
            for one in first
            for group in range(pictures // together)
        )

    groups = [together for together in range(1, pictures + 1) if pictures % together == 0]
    found: list[tuple[Pass, ...]] = []
    for together, channels in sorted(product(groups, range(1, outputs + 1)), key=estimate):
        try:
            found.append(passes_of(channels, together))
        except ValueError:
            continue
        if len(found) == _CANDIDATES:
            break
    # Nothing helps where even one channel of one picture is refused.
    return min(found, key=lambda passes: total_cycles(config, passes)) if found else passes_of(1, 1)
