"""Cycles of matrix products on the GEMM engine, exact. No Amaranth here."""

from collections.abc import Iterable
from dataclasses import dataclass

from .commands import Dataflow
from .gemm_config import GemmEngineConfig

__all__ = ["Gemm", "GemmTimeline", "GemmTimes", "completion_cycles", "gemm_cycles", "pipeline_cycles"]

# Cycles from the read of a step's operands to the edges of the array, and from its south edge to the completion.
_READ, _WRITE = 2, 2


@dataclass(frozen=True, kw_only=True)
class Gemm:
    """A product of inputs (a x b) and weights (b x c), as far as its cycles depend on it.

    Parameters
    ----------
    dataflow : :class:`~.convolution.commands.Dataflow`
    pixels, products, channels : int
        a, b and c, at least 1.
    input_half, weight_half : int
        Halves of the buffers in which the operands are.
    """

    dataflow: Dataflow
    pixels: int
    products: int
    channels: int
    input_half: int = 0
    weight_half: int = 0


def gemm_cycles(config: GemmEngineConfig, dataflow: Dataflow, pixels: int, products: int, channels: int) -> int:
    """Cycles from a command to its completion, when the engine is idle.

    Equation 3.2 of the source: with a, b, c = ``pixels``, ``products``, ``channels``, P1 x P2 the array and L its chain

    - NS: ``ceil(a / P1) * ceil(c / P2) * b + I``, if b is at least L, else L takes the place of b but for the last
      pass; I = P1 + P2 + L + 7.
    - WS: ``ceil(b / P1) * ceil(c / P2) * a + I``, if a is at least P2, else each pass takes as many cycles as its
      successor has columns, if these are more than a; I = P1 + P2 + min(c, P2) + 6.
    - IS: WS with a and c in each other's place.
    """
    return completion_cycles(config, [Gemm(dataflow=dataflow, pixels=pixels, products=products, channels=channels)])[0]


def completion_cycles(config: GemmEngineConfig, gemms: Iterable[Gemm]) -> list[int]:
    """Cycles from the first command to the completion of each, when commands and completions never wait for others."""
    timeline = GemmTimeline(config)
    return [timeline.add(gemm).completion for gemm in gemms]


class GemmTimeline:
    """When an engine takes commands and completes them, one after the other.

    A pass begins when all of this is so:

    - its command has been there for 3 cycles;
    - the last step of the one before is read;
    - its own block is read, a column a cycle, from the first step of the one before on, or from after its last step if
      both read the same half of a buffer (a change of dataflow: NS reads inputs and weights, WS inputs, IS weights,
      blocks are of the other), and no earlier than 2 cycles after its command was there;
    - after an NS pass, L cycles have passed if it is stationary, and L - b if it is NS itself, with b < L steps.

    Commands are taken in order, each when the engine has the last pass of the one before, a cycle before the pass
    before that begins.

    Parameters
    ----------
    config : GemmEngineConfig
    """

    def __init__(self, config: GemmEngineConfig):
        self._config = config
        self._before: Gemm | None = None
        self._taken = self._begun = self._start = self._end = 0

    def add(self, gemm: Gemm, offered: int = 0) -> "GemmTimes":
        """The times of the next command, which is there from cycle ``offered`` on."""
        array = self._config.array
        chain, before = array.chain, self._before
        # A late command holds back those after it.
        self._taken = max(offered, self._begun - 1, self._taken)
        stationary = gemm.dataflow != Dataflow.NON_STATIONARY
        steps, *blocks = _blocks(self._config, gemm)
        for columns in blocks:
            earliest = max(self._end, self._start + 1, offered + 3)
            if stationary:
                meets = before is not None and _streams(before, gemm)
                earliest = max(earliest, max(self._end if meets else self._start, offered + 2) + columns)
            if before is not None and before.dataflow == Dataflow.NON_STATIONARY:
                earliest = max(earliest, self._end + (chain if stationary else max(0, chain - steps)))
            before, self._begun, self._start, self._end = gemm, self._start, earliest, earliest + steps
        self._before = gemm
        drains = 0 if stationary else chain
        return GemmTimes(taken=self._taken, completion=self._end - 1 + _READ + array.latency + _WRITE + drains)


@dataclass(frozen=True, kw_only=True)
class GemmTimes:
    """The cycles at which a command is taken and complete.

    Parameters
    ----------
    taken : int
        Cycle in which the engine takes it.
    completion : int
        Cycle of its completion.
    """

    taken: int
    completion: int


def pipeline_cycles(config: GemmEngineConfig) -> int:
    """Cycles from a command of a single step to its completion, at most."""
    array = config.array
    return 4 + array.columns + _READ + array.latency + array.chain + _WRITE


def _blocks(config, gemm):
    """Steps of a pass, and columns of each."""
    rows, columns = config.array.rows, config.array.columns
    steps, high, wide = {
        Dataflow.NON_STATIONARY: (gemm.products, gemm.pixels, gemm.channels),
        Dataflow.WEIGHT_STATIONARY: (gemm.pixels, gemm.products, gemm.channels),
        Dataflow.INPUT_STATIONARY: (gemm.channels, gemm.products, gemm.pixels),
    }[gemm.dataflow]
    widths = [min(columns, wide - first) for first in range(0, wide, columns)]
    return [steps, *(width for width in widths for _ in range(-(-high // rows)))]


def _streams(before, gemm):
    """Whether the pass before reads what a block of the product is read of."""
    if gemm.dataflow == Dataflow.INPUT_STATIONARY:
        return before.dataflow != Dataflow.INPUT_STATIONARY and before.input_half == gemm.input_half
    return before.dataflow != Dataflow.WEIGHT_STATIONARY and before.weight_half == gemm.weight_half
