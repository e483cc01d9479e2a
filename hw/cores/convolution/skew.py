"""Triangles of registers at the edges of a systolic array."""

from amaranth.hdl import Cat, Signal, Value

__all__ = ["deskew", "skew"]


def skew(m, vector, width, name):
    """Words of a vector, of which word i comes i cycles later; registers without reset.

    Parameters
    ----------
    m : Module
    vector : Value
        Words side by side.
    width : int
        Width of a word.
    name : str
        Prefix of the signals.

    Returns
    -------
    list of Value
        Unsigned.
    """
    words = [vector[:width]]
    for cycle in range(1, len(vector) // width):
        # One register for all words that have some way to go.
        register = Signal(len(vector) - width, name=f"{name}_skewed_{cycle}", reset_less=True)
        m.d.sync += register.eq(vector[width:])
        vector = register
        words.append(vector[:width])
    return words


def deskew(m, vector, width, name):
    """The other way around: a vector of n words, of which word i comes n - 1 - i cycles later, side by side."""
    *rest, last = (vector[offset : offset + width] for offset in range(0, len(vector), width))
    aligned: Value = Cat()
    for number, word in enumerate(rest):
        # One register for all words that have come.
        register = Signal((number + 1) * width, name=f"{name}_aligned_{number}", reset_less=True)
        m.d.sync += register.eq(Cat(aligned, word))
        aligned = register
    return Cat(aligned, last)
