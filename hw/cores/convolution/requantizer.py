"""From an exact sum back to a word: bias, multiplier, shift, ReLU, rounding, saturation."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import round_half_up, saturate
from ..pipeline import delay
from .requantizer_config import MULTIPLIER_WIDTH, SHIFT_WIDTH, RequantizerConfig

__all__ = ["Requantizer"]


class Requantizer(ConfiguredComponent):
    """``saturate(floor((total + bias) * multiplier / 2**shift + 1/2))``, negative results 0 where it rectifies.

    The sum with the bias and the product are exact; it is rounded once, ties going up. A negative number that becomes 0
    is not saturated.

    Latency: 4 cycles. Throughput: a sum a cycle. No back-pressure.

    Parameters
    ----------
    config : RequantizerConfig

    Members
    -------
    total, bias : In(signed(sum_width))
    multiplier : In(16)
        Unsigned.
    shift : In(6)
    rectifies : In(1)
    word : Out(signed(width))
    saturated : Out(1)
        The word is the largest or the least there is, and not the number.

    Source
    ------
    DYNAMAP computes with 8-bit fixed-point numbers (section 3.1.5), and does not say how they are scaled. This is the
    scheme of B. Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
    Inference", 2018, section 2.2, with symmetric ranges and a multiplier of 16 bits for each channel.
    """

    def __init__(self, config: RequantizerConfig):
        number = In(signed(config.sum_width))
        super().__init__(
            config,
            {
                "total": number,
                "bias": number,
                "multiplier": In(MULTIPLIER_WIDTH),
                "shift": In(SHIFT_WIDTH),
                "rectifies": In(1),
                "word": Out(signed(config.width)),
                "saturated": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a sum to its word."""
        return 4

    def elaborate(self, platform):
        m = Module()
        biased = Signal(signed(self._config.sum_width + 1), reset_less=True)
        multiplier = Signal(MULTIPLIER_WIDTH, reset_less=True)
        product = Signal(signed(self._config.sum_width + 1 + MULTIPLIER_WIDTH), reset_less=True)
        rounded = Signal(signed(len(product)), reset_less=True)
        m.d.sync += [
            biased.eq(self.total + self.bias),
            multiplier.eq(self.multiplier),
            product.eq(biased * multiplier),
            rounded.eq(round_half_up(product, delay(m, self.shift, 2, "shift"))),
        ]
        zero = delay(m, self.rectifies, 3, "rectifies") & (rounded < 0)
        word, saturated = saturate(rounded, self._config.width)
        m.d.sync += [self.word.eq(Mux(zero, 0, word)), self.saturated.eq(~zero & saturated)]
        return m
