"""Where weights are in the two halves of the kernel buffer, and when they are loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .....hw.cores.convolution.commands import Dataflow
from .....hw.soc.dynamap.config import DynamapConfig
from .kernel_rows import kernel_row_count
from .products import Matrix
from .tasks import Task

__all__ = ["LOAD", "Cut", "Fillings", "KernelBuffer", "LayerWeights", "filling_name"]

# Cycles of a load besides those of its beats.
LOAD = 3


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A part of a matrix that is in a half of the kernel buffer, from a row on.

    Parameters
    ----------
    half, row : int
    filling : str
        Filling of the half, which ends when what is there then is not used any more; empty: it stays.
    products, channels : (int, int)
        The first one, and the one after the last.
    load : Task or None
        Task that brings it there, just before it is used.
    """

    half: int
    row: int
    filling: str = ""
    products: tuple[int, int]
    channels: tuple[int, int]
    load: Task | None = None

    @property
    def resource(self) -> tuple[str, str, int, int]:
        """The resource that a product with these weights reads."""
        return "weights", self.filling, self.half, self.row


class Fillings:
    """Rows of two halves of a memory in turn, each filled with as much as it holds.

    Parameters
    ----------
    rows : int
        Rows of a half.
    """

    def __init__(self, rows: int):
        self._rows = rows
        self._filling = self._filled = 0

    def take(self, rows: int) -> tuple[int, int]:
        """Rows for what is loaded next: the number of the filling, whose last bit is the half, and the row in it."""
        if self._filled + rows > self._rows:
            self._filling, self._filled = self._filling + 1, 0
        first = self._filled
        self._filled += rows
        return self._filling, first


class KernelBuffer:
    """Holds all weights of a network, if they fit; else halves are filled in turn, each with as much as it holds.

    Parameters
    ----------
    hardware : DynamapConfig
    matrices : sequence of (Matrix, Dataflow)
        Matrices of all layers.

    Members
    -------
    resident : dict, or None
        Half and row of each matrix by layer and number, if all fit.
    """

    def __init__(self, hardware: DynamapConfig, matrices: Sequence[tuple[Matrix, Dataflow]]):
        self.hardware = hardware
        self.fillings = Fillings(hardware.weight_rows)
        self.resident = self._places(matrices)

    def _places(self, matrices: Sequence[tuple[Matrix, Dataflow]]) -> dict[tuple[str, int], tuple[int, int]] | None:
        filled, found = [0, 0], {}
        for matrix, dataflow in matrices:
            rows = kernel_row_count(self.hardware.array, dataflow, *matrix.shape)
            half = next((half for half in range(2) if filled[half] + rows <= self.hardware.weight_rows), None)
            if half is None:
                return None
            found[matrix.layer, matrix.number] = half, filled[half]
            filled[half] += rows
        return found


class LayerWeights:
    """Weights of a layer: there already, loaded once, or cut and loaded for each product.

    Parameters
    ----------
    buffer : KernelBuffer
    matrices : sequence of Matrix
    dataflow : Dataflow

    Members
    -------
    loads : tuple of Task
        Before the layer's first product.
    """

    def __init__(self, buffer: KernelBuffer, matrices: Sequence[Matrix], dataflow: Dataflow):
        self._buffer, self._hardware, self._dataflow = buffer, buffer.hardware, dataflow
        self._whole: dict[int, Cut] | None = None
        self.loads: tuple[Task, ...] = ()
        counts = [self._rows(*matrix.shape) for matrix in matrices]
        if buffer.resident is not None:
            self._whole = {
                matrix.number: _whole(matrix, *buffer.resident[matrix.layer, matrix.number]) for matrix in matrices
            }
        elif sum(counts) <= self._hardware.weight_rows:
            filling, row = buffer.fillings.take(sum(counts))
            self._whole = {}
            for matrix, count in zip(matrices, counts, strict=True):
                self._whole[matrix.number] = _whole(matrix, filling & 1, row, str(filling))
                row += count
            self.loads = tuple(self._load(matrix, self._whole[matrix.number]) for matrix in matrices)

    def cuts(self, matrix: Matrix) -> Iterator[Cut]:
        """Where the weights of a product are; several parts of them, one after the other, where a half is too small.

        Raises
        ------
        ValueError
            A half does not hold a block.
        """
        if self._whole is not None:
            yield self._whole[matrix.number]
            return
        products, channels = matrix.shape
        deep, wide = self._largest(matrix)
        for left in range(0, channels, wide):
            for top in range(0, products, deep):
                high, broad = min(deep, products - top), min(wide, channels - left)
                filling, row = self._buffer.fillings.take(self._rows(high, broad))
                cut = Cut(
                    half=filling & 1,
                    row=row,
                    filling=str(filling),
                    products=(top, top + high),
                    channels=(left, left + broad),
                )
                yield replace(cut, load=self._load(matrix, cut))

    def _rows(self, products: int, channels: int) -> int:
        return kernel_row_count(self._hardware.array, self._dataflow, products, channels)

    def _largest(self, matrix: Matrix) -> tuple[int, int]:
        """Products and channels that a half holds: whole blocks of the array, but for the last."""
        products, channels = matrix.shape
        room, rows, columns = self._hardware.weight_rows, self._hardware.rows, self._hardware.columns
        if self._dataflow == Dataflow.NON_STATIONARY:
            deep = _blocks(products, room, rows)
            wide = room // deep * columns if deep else 0
        else:
            wide = _blocks(channels, room, columns)
            # Sums of a channel stand after those of all others for IS.
            if self._dataflow == Dataflow.INPUT_STATIONARY and wide < channels:
                wide = 0
            deep = room // wide * rows if wide else 0
        if not deep or not wide:
            raise ValueError(
                f"Layer {matrix.layer!r}: a half of the kernel buffer must hold a block of the dataflow "
                f"{self._dataflow!s}, and has {room} rows only"
            )
        return deep, wide

    def _load(self, matrix: Matrix, cut: Cut) -> Task:
        (top, bottom), (left, right) = cut.products, cut.channels
        region = self._hardware.host_map.region(f"weights_{cut.half}")
        count = self._rows(bottom - top, right - left) * region.parts
        return Task(
            instruction="load",
            engine="transfer",
            fields=lambda: {"memory": region.number, "base": cut.row * region.parts, "count": count},
            writes=frozenset({cut.resource}),
            after=frozenset({filling_name(int(cut.filling) - 2)}),
            cycles=count + LOAD,
            packet=("weights", matrix.layer, matrix.number, cut.products, cut.channels),
            layer=matrix.layer,
        )


def filling_name(number: int | str) -> str:
    """The name of a filling of the kernel buffer, for those who use it."""
    return f"kernel buffer, filling {number}"


def _whole(matrix: Matrix, half: int, row: int, filling: str = "") -> Cut:
    products, channels = matrix.shape
    return Cut(half=half, row=row, filling=filling, products=(0, products), channels=(0, channels))


def _blocks(length: int, room: int, block: int) -> int:
    """All of a length, or as many whole blocks as there is room for."""
    return length if length <= room else room - room % block
