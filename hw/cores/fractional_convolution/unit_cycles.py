"""Cycles of the unit of fractionally strided convolutions. No Amaranth here."""

from collections.abc import Sequence

from .cycles import pass_cycles
from .passes import Pass
from .unit_config import FractionalConvolutionUnitConfig

__all__ = ["LOAD_LATENCY", "WORD_LATENCY", "layer_cycles", "load_cycles"]

# Cycles of a load, besides its accesses and a block that is transposed.
LOAD_LATENCY = 7
# From the engine's offer of a completion, the cycle after its last output, to the write of that output's word.
WORD_LATENCY = 5


def load_cycles(config: FractionalConvolutionUnitConfig, one: Pass) -> int:
    """Cycles from a load's command to its completion: for each tile its channels, rounded up to a multiple of P1."""
    rows = config.engine.rows
    return (one.tiles * -(-one.shape.input_channels // rows) + 1) * rows + LOAD_LATENCY


def layer_cycles(config: FractionalConvolutionUnitConfig, passes: Sequence[Pass]) -> list[int]:
    """The cycle of the completion of each pass of a layer, of which the first loads the picture.

    Cycles are counted from the offer of the first command to an idle unit. All commands wait from the beginning on, and
    all accesses are granted.
    """
    begins = load_cycles(config, passes[0]) + 1
    return [begins + cycle for cycle in pass_cycles(config.engine, passes, WORD_LATENCY)]
