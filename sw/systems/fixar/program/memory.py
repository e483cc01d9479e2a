"""Regions of the activation and error memories."""

from dataclasses import dataclass

__all__ = ["Allocator", "Tensor"]


@dataclass(frozen=True)
class Tensor:
    """Samples of one tensor in every core: block k of sample r is in row ``base + k * stride + r``.

    Parameters
    ----------
    name : str
    base, stride, blocks : int
    size : int
        Neurons.
    """

    name: str
    base: int
    stride: int
    blocks: int
    size: int

    @property
    def rows(self) -> int:
        return self.stride * self.blocks


class Allocator:
    """Hands out the rows of one memory from the first upwards.

    Parameters
    ----------
    memory : str
        Its name for errors.
    rows : int
        What there is.
    lanes : int
    """

    def __init__(self, memory: str, rows: int, lanes: int):
        self.memory = memory
        self.rows = rows
        self.lanes = lanes
        self.used = 0

    def tensor(self, name: str, size: int, stride: int) -> Tensor:
        tensor = Tensor(name, self.used, stride, -(-size // self.lanes), size)
        self.used += tensor.rows
        return tensor

    @property
    def fits(self) -> bool:
        return self.used <= self.rows

    def check(self, what: str, configuration: str) -> None:
        if not self.fits:
            raise ValueError(
                f"{what} needs {self.used} rows of {self.memory} memory per core, "
                f"configuration {configuration} has {self.rows}"
            )
