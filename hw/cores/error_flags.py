"""Errors that engines report. No Amaranth here."""

from dataclasses import dataclass

__all__ = ["ERROR_FLAGS", "ErrorFlag"]


@dataclass(frozen=True)
class ErrorFlag:
    """One sticky flag of the errors register.

    Parameters
    ----------
    name : str
    stops : bool
        Whether the flag stops the program. One that does not is only reported.
    description : str
    """

    name: str
    stops: bool
    description: str


# The position is the bit in the errors register.
ERROR_FLAGS = (
    ErrorFlag("bad_instruction", True, "an instruction has an unknown opcode"),
    ErrorFlag("address_out_of_range", True, "a command or the program reached past the end of a memory"),
    ErrorFlag("stream_underflow", True, "a packet ended before the transfer it was for, or within a row"),
    ErrorFlag("stream_overflow", True, "a packet was longer than the transfer it was for"),
    ErrorFlag("memory_conflict", True, "two engines used one port of a memory in the same cycle"),
    ErrorFlag("overflow", False, "a result was saturated"),
    ErrorFlag("nonfinite", False, "a number is infinite or NaN"),
)
