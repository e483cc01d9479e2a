"""Cycles of fractionally strided convolutions on the engine's RTL, with few elements and on layers of few channels."""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .....hw.cores.convolution.shape import FractionallyStridedShape
from .....hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from .....hw.cores.fractional_convolution.layouts import command_layout
from ....core.lockstep import require_equal
from ....mapping.fractional_convolution.figures import DCGAN_ENGINE, NATURE_CNN_ENGINE, LayerFigures, figures_of
from ....mapping.fractional_convolution.models import dcgan, decoders, nature_cnn_backward
from ....mapping.fractional_convolution.operands import input_rows, output_rows, weight_rows
from ....measurement.bench import drawn_from, say
from ....reference.convolution.float_convolution import fractionally_strided
from ....reference.convolution.fractional import kn2row
from ....reference.float import host
from ....reference.float.conversion import from_numbers
from .counted_cycles import CountedCycles

__all__ = ["ENGINES", "WIDTH", "CountedLayer", "count_layers", "counted_layers"]

# Divides the rows and columns of the engines, and the channels of the layers.
WIDTH = 8


def _narrow(config: FractionalConvolutionConfig) -> FractionalConvolutionConfig:
    # Fewer lanes need deeper memories for the same numbers, which are those of whole layers here.
    return dataclasses.replace(
        config,
        rows=config.rows // WIDTH,
        columns=config.columns // WIDTH,
        input_rows=1 << 13,
        weight_rows=1 << 16,
        scratchpad_rows=1 << 14,
    )


# Engines by the layers that are counted on them.
ENGINES = {
    "DCGAN": _narrow(DCGAN_ENGINE),
    "Nature-CNN backward": _narrow(NATURE_CNN_ENGINE),
    **{f"decoders, stride {stride}": _narrow(DCGAN_ENGINE) for stride in (2, 3, 4)},
}


@dataclass(frozen=True, kw_only=True)
class CountedLayer:
    """A layer on the engine's RTL.

    Parameters
    ----------
    cycles : CountedCycles
    figures : LayerFigures
        By the model.
    """

    cycles: CountedCycles
    figures: LayerFigures

    @property
    def gain(self) -> float:
        """Over im2col, by the counted cycles."""
        return self.figures.im2col_cycles / self.cycles.counted


@functools.cache
def counted_layers(name: str) -> tuple[CountedLayer, ...]:
    """The layers of a key of `ENGINES`, a picture at a time."""
    if name == "DCGAN":
        layers = dcgan(width=WIDTH)
    elif name == "Nature-CNN backward":
        layers = nature_cnn_backward(width=WIDTH)
    else:
        layers = decoders(int(name.rpartition(" ")[2]), width=WIDTH)
    say(f"{name} on {ENGINES[name].elements} elements")
    return count_layers(ENGINES[name], layers)


def count_layers(
    config: FractionalConvolutionConfig, layers: Sequence[FractionallyStridedShape]
) -> tuple[CountedLayer, ...]:
    """Cycles of layers with random operands, each from its first command in an idle engine to its last completion.

    Parameters
    ----------
    config : FractionalConvolutionConfig
        Its memories hold all inputs and weights of a layer.
    layers : sequence of FractionallyStridedShape

    Raises
    ------
    LockstepError
        An output is not the reference's.
    ValueError
        A layer does not fit.
    """
    from .....sim.harness.streams import StreamSimulation
    from .engine_with_memories import EngineWithMemories

    random = np.random.default_rng(drawn_from(0))
    found = []
    with StreamSimulation(EngineWithMemories(config)) as simulation:
        # After a reset the first command waits until the scratchpad is clear.
        _run(simulation, figures_of(config, layers[0]), random)
        for shape in layers:
            figures = figures_of(config, shape)
            counted = _run(simulation, figures, random)
            cycles = CountedCycles(what=_told(shape), counted=counted, modelled=figures.cycles)
            found.append(CountedLayer(cycles=cycles, figures=figures))
    return tuple(found)


def _run(simulation: Any, figures: LayerFigures, random: np.random.Generator) -> int:
    """The layer on the RTL, with its outputs compared; returns cycles."""
    passes, shape = figures.passes, figures.shape
    config = passes[0].config
    rows = sum(one.blocks for one in passes) * shape.input_channels
    if rows > config.weight_rows:
        raise ValueError(f"Rows of all weights of a layer must be at most {config.weight_rows}, not {rows}")
    picture = _operands(config, (*shape.picture, shape.input_channels), random)
    kernels = _operands(config, (*shape.kernel, shape.input_channels, shape.output_channels), random)
    expected = _bits(config, _outputs(config, shape, _values(config, picture), _values(config, kernels)))
    _load(simulation, "inputs", passes[0].input_row, input_rows(passes[0], picture[None]), config)
    for one in passes:
        _load(simulation, "weights", one.weight_row, weight_rows(one, kernels), config)
    layout = command_layout(config)
    simulation.send("commands", [layout.const(one.fields).as_bits() for one in passes])
    # The first cycle takes the first command.
    cycles = simulation.run("completions", len(passes), 2 * figures.cycles + config.scratchpad_rows) - 1
    simulation.receive("completions", len(passes), 0)
    for one in passes:
        words = simulation.receive("outputs", one.output_rows * one.row_words, 0)
        channels = slice(one.first_channel, one.first_channel + one.channels)
        got = output_rows(one, _unpacked(words, config.sum_width, config.lanes))
        require_equal(_told(shape), {"outputs": expected[..., channels]}, {"outputs": got[0]})
    return cycles


def _operands(
    config: FractionalConvolutionConfig, shape: tuple[int, ...], random: np.random.Generator
) -> NDArray[np.int64]:
    """Bits of random integers of any value, or of numbers around 1."""
    if config.number_format is None:
        return random.integers(0, 1 << config.operand_width, shape)
    return from_numbers(config.number_format, random.normal(size=shape))


def _outputs(
    config: FractionalConvolutionConfig, shape: FractionallyStridedShape, picture: NDArray[Any], kernels: NDArray[Any]
) -> NDArray[Any]:
    """The outputs of the reference."""
    if config.number_format is None:
        return kn2row(shape, picture, kernels)
    return fractionally_strided(config.number_format, shape, picture, kernels)


def _values(config: FractionalConvolutionConfig, bits: NDArray[np.int64]) -> NDArray[Any]:
    if config.number_format is not None:
        return host.from_bits(config.number_format, bits)
    half = 1 << config.operand_width - 1
    return (bits ^ half) - half


def _bits(config: FractionalConvolutionConfig, outputs: NDArray[Any]) -> NDArray[np.int64]:
    if config.number_format is not None:
        return host.to_bits(config.number_format, outputs)
    return outputs & (1 << config.sum_width) - 1


def _load(simulation: Any, name: str, first: int, rows: NDArray[Any], config: FractionalConvolutionConfig) -> None:
    """Rows of operands to a memory, from row ``first`` on."""
    count, lanes = rows.shape
    addresses = np.arange(first, first + count).astype(object) << config.operand_width * lanes
    simulation.send(f"load_{name}", addresses + _packed(rows, config.operand_width))
    simulation.receive(f"loaded_{name}", count, count + 1)


def _packed(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """Rows as integers, the first lane in the lowest bits."""
    return (rows.astype(object) << width * np.arange(rows.shape[1]).astype(object)).sum(axis=1)


def _unpacked(words: NDArray[Any], width: int, lanes: int) -> NDArray[np.int64]:
    """The lanes of integers, from the lowest bits on."""
    shifted = words.astype(object)[:, None] >> width * np.arange(lanes).astype(object)
    return (shifted & (1 << width) - 1).astype(np.int64)


def _told(shape: FractionallyStridedShape) -> str:
    size, kernel, stride = ("x".join(map(str, pair)) for pair in (shape.picture, shape.kernel, shape.stride))
    channels = f"{shape.input_channels} to {shape.output_channels} channels"
    return f"{channels}, picture {size}, kernel {kernel}, stride {stride}"
