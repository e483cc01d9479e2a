"""How many output channels and how many pictures a pass should have."""

import dataclasses
from itertools import product

from ....hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from ....hw.cores.fractional_convolution.cycles import total_cycles
from ....hw.cores.fractional_convolution.layer import FractionalConvolutionLayer
from ....hw.cores.fractional_convolution.passes import Pass, make_passes

__all__ = ["fastest_passes"]

# Choices whose cycles are counted.
_CANDIDATES = 6


def fastest_passes(config: FractionalConvolutionConfig, layer: FractionalConvolutionLayer) -> tuple[Pass, ...]:
    """The passes of a layer with the fastest channel tile and number of pictures, of the few that promise most.

    A tile should fill its column blocks, and pictures together their pixel tiles; the outputs of the last pass leave
    when nothing more is computed, so that one should be small. Channel tiles come one after the other, each for all
    groups of pictures: its weights are loaded once.

    Raises
    ------
    ValueError
        Not even one channel of one picture at a time fits into the configuration; the text says why.
    """
    lanes, outputs = config.lanes, layer.output_channels
    height, width = layer.output_size

    def estimate(choice: tuple[int, int]) -> int:
        together, channels = choice
        full, rest = divmod(outputs, channels)
        blocks = sum(-(-layer.elements * tile // lanes) for tile in [channels] * full + [rest])
        of_block = -(-together * layer.size[0] * layer.size[1] // config.rows) * layer.input_channels
        left = together * height * -(-width * (rest or channels) // lanes)
        return layer.pictures // together * blocks * of_block + left

    groups = [together for together in range(1, layer.pictures + 1) if layer.pictures % together == 0]
    found: list[tuple[Pass, ...]] = []
    for together, channels in sorted(product(groups, range(1, outputs + 1)), key=estimate):
        try:
            found.append(_passes(config, layer, channels, together))
        except ValueError:
            continue
        if len(found) == _CANDIDATES:
            break
    # What one channel of one picture is refused for nothing can help.
    return min(found, key=lambda passes: total_cycles(config, passes)) if found else _passes(config, layer, 1, 1)


def _passes(
    config: FractionalConvolutionConfig, layer: FractionalConvolutionLayer, channels: int, together: int
) -> tuple[Pass, ...]:
    of_group = dataclasses.replace(layer, pictures=together)
    first = make_passes(config, of_group, channels)
    input_rows = first[0].tiles * layer.input_channels
    return tuple(
        dataclasses.replace(one, input_row=group * input_rows)
        for one in first
        for group in range(layer.pictures // together)
    )
