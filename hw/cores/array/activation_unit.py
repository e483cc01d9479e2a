"""Activation functions, their derivatives and the two arithmetic steps of temporal differences."""

import enum

from amaranth.hdl import signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import WORD_WIDTH

__all__ = ["ActivationUnit"]


class ActivationUnit(wiring.Component):
    def __init__(self):
        super().__init__(
            {
                "x": In(signed(WORD_WIDTH)),
                "auxiliary": In(signed(WORD_WIDTH)),
                "neighbor": In(signed(WORD_WIDTH)),
                "positive": In(1),
                "operation": In(3),
                "y": Out(signed(WORD_WIDTH)),
                "saturated": Out(1),
            }
        )
