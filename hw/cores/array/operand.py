"""From a streamed word to the operands of a row of processing elements."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import HALF_WIDTH, OPERAND_WIDTH, WORD_WIDTH, ArrayConfig

__all__ = ["OperandFormer"]


class OperandFormer(ConfiguredComponent):
    """Two signed operands from one streamed word, for a row of processing elements.

    Full precision: ``word = high * 2**16 + low``, ``low`` unsigned, ``high`` signed. Half precision: the word holds
    two codes, and ``low = word[0:16] - zero_point``, ``high = word[16:32] - zero_point``. With ``constant`` the word
    is one (``1 << activation_fraction``) in full precision; without ``enable`` both operands are zero.

    Number format: exact; the zero point is from 0 to 2^16, so a corrected code fits 17 bits.

    Latency: 1 cycle, one word a cycle. No back-pressure.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    word : In(32)
    enable, constant, half : In(1)
    zero_point : In(signed(18))
    low, high : Out(signed(17))

    Source
    ------
    FIXAR, section V-C, configurable processing element.
    """

    def __init__(self, config: ArrayConfig):
        super().__init__(
            config,
            {
                "word": In(WORD_WIDTH),
                "enable": In(1),
                "constant": In(1),
                "half": In(1),
                "zero_point": In(signed(18)),
                "low": Out(signed(OPERAND_WIDTH)),
                "high": Out(signed(OPERAND_WIDTH)),
            },
        )

    @property
    def latency(self):
        """Cycles from ``word`` to the operands."""
        return 1

    def elaborate(self, platform):
        m = Module()
        low_code = Signal(HALF_WIDTH)
        high_code = Signal(HALF_WIDTH)
        low_difference = Signal(signed(OPERAND_WIDTH))
        high_difference = Signal(signed(OPERAND_WIDTH))
        m.d.comb += [
            low_code.eq(self.word[:HALF_WIDTH]),
            high_code.eq(self.word[HALF_WIDTH:]),
            low_difference.eq(low_code - self.zero_point),
            high_difference.eq(high_code - self.zero_point),
        ]
        with m.If(~self.enable):
            m.d.sync += [self.low.eq(0), self.high.eq(0)]
        with m.Elif(self.constant):
            m.d.sync += [self.low.eq(0), self.high.eq(1 << (self._config.activation_fraction - HALF_WIDTH))]
        with m.Else():
            m.d.sync += [
                self.low.eq(Mux(self.half, low_difference, low_code)),
                self.high.eq(Mux(self.half, high_difference, high_code.as_signed())),
            ]
        return m
