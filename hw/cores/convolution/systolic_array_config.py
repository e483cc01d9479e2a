"""Configuration of the systolic array. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_power_of_two
from ..float.config import FloatFormat, find_format

__all__ = ["SystolicArrayConfig"]


@dataclass(frozen=True, kw_only=True)
class SystolicArrayConfig:
    """Dimensions and widths of a systolic array.

    Parameters
    ----------
    rows, columns : int
        Processing elements, P_SA1 and P_SA2 (2 to 256 each).
    input_width, weight_width : int
        Bits of an input and of a weight, two's complement (2 to 32).
    sum_width : int
        Bits of a sum, two's complement, at least those of a product (up to 64).
    drains : int
        Drain chains of a column (a power of two, up to 16): so many rows of sums leave the array in a cycle. Every
        chain must have a row.
    format : FloatFormat, str or None
        Floating-point format of inputs, weights and sums, or its name in ``FORMATS``; None: integers. All widths are
        then the format's, whatever their defaults are.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range; with a format, a width that is another one than the format's.
    """

    rows: int
    columns: int
    input_width: int = 8
    weight_width: int = 8
    sum_width: int = 32
    drains: int = 1
    format: FloatFormat | str | None = None

    def __post_init__(self):
        if self.format is not None:
            self._take_format(find_format(self.format))
        require_integer("Rows", self.rows, 2, 256)
        require_integer("Columns", self.columns, 2, 256)
        require_integer("Input width", self.input_width, 2, 32)
        require_integer("Weight width", self.weight_width, 2, 32)
        if self.format is None:
            require_integer("Sum width", self.sum_width, self.input_width + self.weight_width, 64)
        require_power_of_two("Drains", self.drains, 1, 16)
        if (self.drains - 1) * self.chain >= self.rows:
            raise ValueError(
                f"Drains must leave a row for each: {self.drains} chains of up to {self.chain} rows are more than "
                f"{self.rows} rows"
            )

    def _take_format(self, number_format: FloatFormat) -> None:
        object.__setattr__(self, "format", number_format)
        for name in ("input_width", "weight_width", "sum_width"):
            given = getattr(self, name)
            if given not in (getattr(type(self), name), number_format.width):
                raise ValueError(
                    f"{name.replace('_', ' ').capitalize()} must be that of the format ({number_format.width}), "
                    f"not {given}"
                )
            object.__setattr__(self, name, number_format.width)

    @property
    def operand_width(self) -> int:
        """Bits of an operand in the array, where inputs and weights change places with the dataflow."""
        return max(self.input_width, self.weight_width)

    @property
    def chain(self) -> int:
        """Rows of a drain chain, L; the first chain may have fewer.

        Among several chains an odd number, as rows of sums L apart are then in different banks, of which there are a
        power of two.
        """
        length = -(-self.rows // self.drains)
        return length | 1 if self.drains > 1 else length

    @property
    def products(self) -> int:
        """Products that a sum of integers holds, whatever the operands are."""
        return ((1 << self.sum_width - 1) - 1) >> self.input_width + self.weight_width - 2

    @property
    def latency(self) -> int:
        """Cycles from a stationary pass's operands to their row of sums: through the array, and three registers."""
        return self.rows + self.columns + 1

    @property
    def drain_latency(self) -> int:
        """Cycles from the last operands of a non-stationary pass to its first row of sums."""
        return self.latency + 1
