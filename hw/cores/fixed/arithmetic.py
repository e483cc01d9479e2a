"""Rounding and saturation: the two explicit steps that end every fixed-point calculation.

Both are expressions, without a register of their own; the bits are those of ``rewardware.sw.reference.fixed``.
"""

from amaranth.hdl import Const, Mux, Shape, Value, signed, unsigned

__all__ = ["round_half_up", "saturate"]


def round_half_up(value, shift):
    """``floor(value / 2**shift + 1/2)``: the nearest integer, ties going up.

    Computed as ``((value >> (shift - 1)) + 1) >> 1``, so that the bits below are cut before the addition.

    Parameters
    ----------
    value : Value
        Signed or unsigned.
    shift : int or Value
        Bits to drop, 0 or more. A constant makes the result as narrow as it can be; a signal costs a shifter.

    Returns
    -------
    Value
        Signed as ``value`` is, wide enough for the carry of rounding.
    """
    value = Value.cast(value)
    if isinstance(shift, int):
        if shift < 0:
            raise ValueError(f"Shift must be at least 0, not {shift}")
        if shift == 0:
            return value
        if shift > len(value):
            value = _resize(value, shift)
        halves = _keep_sign(value[shift - 1 :], value)
        return _keep_sign((halves + 1)[1:], value)
    doubled = _keep_sign(Value.cast(value << 1), value)
    return _keep_sign(((doubled >> shift) + 1)[1:], value)


def saturate(value, width, *, is_signed=True):
    """Clamp to the range of a narrower word.

    Parameters
    ----------
    value : Value
        Signed; for ``is_signed=False`` either.
    width : int
        Bits of the result.
    is_signed : bool
        Whether the result is two's complement.

    Returns
    -------
    result : Value
        ``width`` bits.
    saturated : Value
        One bit: ``value`` was out of range.
    """
    value = Value.cast(value)
    shape = signed(width) if is_signed else unsigned(width)
    source = value.shape()
    if source.signed == is_signed and len(value) <= width:
        return _resize(value, width), Const(0, 1)
    if not source.signed:
        value = _resize(value.as_unsigned(), len(value) + 1, as_signed=True)
    # In range if every bit from the sign of the result upwards is the same.
    keep = width - 1 if is_signed else width
    if len(value) <= keep:
        value = _resize(value, keep + 1)
    top = value[keep:]
    saturated = top.any() & ~top.all() if is_signed else top.any()
    largest = Const((1 << keep) - 1, shape)
    smallest = Const(-(1 << keep) if is_signed else 0, shape)
    kept = value[:width].as_signed() if is_signed else value[:width]
    return Mux(saturated, Mux(value[-1], smallest, largest), kept), saturated


def _keep_sign(bits, like):
    return bits.as_signed() if like.shape().signed else bits


def _resize(value, width, *, as_signed=None):
    is_signed = value.shape().signed if as_signed is None else as_signed
    extended = value + Const(0, Shape(width, value.shape().signed))
    return extended[:width].as_signed() if is_signed else extended[:width]
