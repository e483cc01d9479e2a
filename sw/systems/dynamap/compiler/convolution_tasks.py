"""The commands of a convolution: layouts, products of matrices, and the way back to a feature map."""

from collections.abc import Iterator, Sequence

from .....hw.cores.convolution.command_records import flat_command
from .....hw.cores.convolution.commands import Dataflow
from .....hw.cores.convolution.cycles import Gemm
from .....hw.cores.convolution.shape import ConvolutionShape, OutputPart
from .....hw.cores.convolution.store_commands import matrix_store, tile_store
from .....hw.cores.convolution.store_cycles import matrix_store_cycles, tile_store_cycles
from .....hw.soc.dynamap.config import DynamapConfig
from ....reference.convolution.quantization import IntegerConvolution
from .kernel_buffer import Cut, KernelBuffer, LayerWeights, filling_name
from .places import Places
from .products import Choice, Layout, Matrix, Products
from .tasks import Task

__all__ = ["ConvolutionPlan", "Halves"]


class Halves:
    """Halves of the input buffer and of the accumulators, in turn."""

    def __init__(self) -> None:
        self._inputs = self._sums = 1

    def inputs(self) -> int:
        """The half of the input buffer that is filled next."""
        self._inputs ^= 1
        return self._inputs

    def sums(self) -> int:
        """The half of the accumulators that is filled next."""
        self._sums ^= 1
        return self._sums


class ConvolutionPlan:
    """A convolution on the device.

    Parameters
    ----------
    hardware : DynamapConfig
    layer : IntegerConvolution
    choice : Choice
    parameter_row : int
        First row of its biases and multipliers.

    Members
    -------
    products : Products
    parts : tuple of OutputPart
        What the buffers hold at a time: as few as there may be, of about the same size.

    Raises
    ------
    ValueError
        The device cannot compute it so; the text says why.
    """

    def __init__(self, hardware: DynamapConfig, layer: IntegerConvolution, choice: Choice, parameter_row: int):
        if not isinstance(layer.shape, ConvolutionShape):
            raise ValueError(f"Layer {layer.name!r} must be a convolution without fractional strides for the array")
        self._turned = choice.dataflow == Dataflow.INPUT_STATIONARY
        if choice.algorithm.m and self._turned and not hardware.turned_tiles:
            told = f"must be NS or WS on device {hardware.name}, not IS"
            raise ValueError(f"Layer {layer.name!r}: Winograd's algorithm {told}")
        self.hardware, self.layer, self.choice, self._parameter_row = hardware, layer, choice, parameter_row
        self.shape = layer.shape
        self.products = Products(hardware, layer, choice.algorithm)
        self.parts = tuple(self._parts())

    def _pitch(self, pixels: int) -> int:
        """Rows of the input buffer from a block of products to the next."""
        return -(-pixels // self.hardware.rows) * self.hardware.rows

    def _blocks(self, matrix: Matrix) -> int:
        return -(-matrix.shape[0] // self.hardware.rows)

    def _input_rows(self, pixels: int) -> int:
        """Rows of the input buffer of a layout."""
        return self._pitch(pixels) * sum(map(self._blocks, self.products.layouts[0].matrices))

    def _sum_rows(self, pixels: int) -> int:
        """Rows of sums of one product."""
        columns, channels = self.hardware.columns, self.shape.output_channels
        if self._turned:
            return -(-pixels // columns) * channels
        return -(-channels // columns) * pixels

    def _parts(self) -> Iterator[OutputPart]:
        (lines, columns), hardware, tiles = self.products.output, self.hardware, bool(self.choice.algorithm.m)

        def fits(pixels: int) -> bool:
            sums = self.products.sums * self._sum_rows(pixels)
            rows = self._input_rows(pixels) <= hardware.input_rows and sums <= self._region_rows
            # The store unit turns one block of tiles at a time.
            return rows and (not tiles or not self._turned or pixels <= hardware.columns)

        high = next((count for count in range(lines, 0, -1) if fits(count * columns)), 0)
        if high:
            for first, size in _equal_parts(lines, max(-(-lines // high), min(self.choice.parts, lines))):
                yield OutputPart(first=(first, 0), size=(size, columns))
            return
        whole = tiles and not self._turned
        wide = 0 if whole else next((count for count in range(columns, 0, -1) if fits(count)), 0)
        if not wide:
            pixels, what = (columns, "a line of tiles") if whole else (1, "a tile" if tiles else "a pixel")
            raise ValueError(
                f"Layer {self.layer.name!r} needs {self._input_rows(pixels)} rows of the input buffer and "
                f"{2 * self.products.sums * self._sum_rows(pixels)} of the accumulators for {what}; device "
                f"{hardware.name} has {hardware.input_rows} and {hardware.sum_rows}"
            )
        for line in range(lines):
            for first, size in _equal_parts(columns, -(-columns // wide)):
                yield OutputPart(first=(line, first), size=(1, size))

    @property
    def _region_rows(self) -> int:
        """Rows of a half of the accumulators, a multiple of the banks."""
        return self.hardware.sum_rows // 2 // self.hardware.drains * self.hardware.drains

    @property
    def least_cycles(self) -> int:
        """A lower bound by the busiest engine alone: layouts, the steps of all passes, stores."""
        layouts, products, stores = 0, 0, 0
        for part in self.parts:
            layouts += len(self.products.layouts) * self.products.cycles(part)
            products += sum(self._steps(part.pixels, *matrix.shape) for matrix in self.products.matrices)
            stores += self._store_cycles(part)
        return max(layouts, products, stores)

    def _steps(self, pixels: int, products: int, channels: int) -> int:
        """Steps of the passes of a product: equation 3.2 of the source."""
        rows, columns = self.hardware.rows, self.hardware.columns
        high, wide, steps = {
            Dataflow.NON_STATIONARY: (pixels, channels, products),
            Dataflow.WEIGHT_STATIONARY: (products, channels, pixels),
            Dataflow.INPUT_STATIONARY: (products, pixels, channels),
        }[self.choice.dataflow]
        return -(-high // rows) * -(-wide // columns) * steps

    def _store_cycles(self, part: OutputPart) -> int:
        stores = self.hardware.stores
        if self.choice.algorithm.m:
            return tile_store_cycles(stores, self.shape, self.products.transform, turned=self._turned, part=part)
        return matrix_store_cycles(stores, self.shape, turned=self._turned, part=part)

    def tasks(self, places: Places, kernel: KernelBuffer, halves: Halves) -> Iterator[Task]:
        """The commands, in an order in which they could be executed one after the other."""
        weights = LayerWeights(kernel, self.products.matrices, self.choice.dataflow)
        yield from weights.loads
        source = places.maps[places.targets[self.layer.source][0]]
        for part in self.parts:
            region = halves.sums()
            begun: set[int] = set()
            pitch = self._pitch(part.pixels)
            for group in self._groups(part.pixels):
                half, bases = halves.inputs(), []
                for number, layout in enumerate(group):
                    bases.append(number * self._input_rows(part.pixels))
                    yield self._lay_out(layout, source.name, source.place, part, (half, bases[-1], pitch))
                for layout, base in zip(group, bases, strict=True):
                    row = base
                    for matrix in layout.matrices:
                        yield from self._multiply(weights, matrix, part, region, (half, row, pitch), begun)
                        row += self._blocks(matrix) * pitch
            yield self._put_away(places, part, region)

    def _groups(self, pixels: int) -> Iterator[Sequence[Layout]]:
        """Layouts that a half of the input buffer holds together."""
        layouts, count = self.products.layouts, self.hardware.input_rows // self._input_rows(pixels)
        for first in range(0, len(layouts), count):
            yield layouts[first : first + count]

    def _lines_read(self, part: OutputPart) -> range:
        """Lines of the source that a part of the output reads."""
        size, (above, _) = self.choice.algorithm.m or 1, self.shape.padding[0]
        first = part.first[0] * size * self.shape.stride[0] - above
        last = ((part.first[0] + part.size[0]) * size - 1) * self.shape.stride[0] - above + self.shape.kernel[0]
        return range(max(first, 0), min(last, self.shape.picture[0]))

    def _lay_out(self, layout: Layout, source: str, place: int, part: OutputPart, where: tuple[int, int, int]) -> Task:
        half, base, pitch = where
        return Task(
            instruction="lay_out",
            engine="layouts",
            fields=lambda: {"half": half, **flat_command(layout.command(place, base, pitch, part))},
            reads=frozenset((source, line) for line in self._lines_read(part)),
            writes=frozenset({("inputs", half)}),
            users=frozenset({source}),
            cycles=self.products.cycles(part),
            layer=self.layer.name,
        )

    def _multiply(
        self,
        weights: LayerWeights,
        matrix: Matrix,
        part: OutputPart,
        region: int,
        where: tuple[int, int, int],
        begun: set[int],
    ) -> Iterator[Task]:
        """Products of a matrix; ``begun`` has the rows of sums that are there already, and are added to."""
        sums = region * self._region_rows + matrix.sums * self._sum_rows(part.pixels)
        for cut in weights.cuts(matrix):
            if cut.load is not None:
                yield cut.load
            row = sums
            if not self._turned:
                row += cut.channels[0] // self.hardware.columns * part.pixels
            yield self._product(cut, part, region, where, row, row in begun)
            begun.add(row)

    def _product(
        self, cut: Cut, part: OutputPart, region: int, where: tuple[int, int, int], sum_row: int, accumulate: bool
    ) -> Task:
        (top, bottom), (left, right), (half, row, pitch) = cut.products, cut.channels, where
        product = Gemm(
            dataflow=self.choice.dataflow,
            pixels=part.pixels,
            products=bottom - top,
            channels=right - left,
            input_half=half,
            weight_half=cut.half,
        )
        return Task(
            instruction="multiply",
            engine="array",
            fields=lambda: {
                **vars(product),
                "input_row": row + top // self.hardware.rows * pitch,
                "input_stride": pitch,
                "weight_row": cut.row,
                "sum_row": sum_row,
                "accumulate": int(accumulate),
            },
            reads=frozenset({("inputs", half), cut.resource}),
            writes=frozenset({("sums", region)}),
            users=frozenset({filling_name(cut.filling)}),
            product=product,
            layer=self.layer.name,
        )

    def _put_away(self, places: Places, part: OutputPart, region: int) -> Task:
        into, _ = places.targets[self.layer.name]
        stores, shape, target = self.hardware.stores, self.shape, places.target(self.layer.name)
        where = {
            "sum_row": region * self._region_rows,
            "parameter_row": self._parameter_row,
            "shift": self.layer.shift,
            "rectifies": int(self.layer.rectified),
        }
        turned = self._turned
        if self.choice.algorithm.m:
            transform = self.products.transform

            def command() -> dict:
                return tile_store(stores, shape, transform, target, turned=turned, part=part, **where)
        else:

            def command() -> dict:
                return matrix_store(stores, shape, target, turned=turned, part=part, **where)

        size = self.choice.algorithm.m or 1
        lines = range(part.first[0] * size, min((part.first[0] + part.size[0]) * size, shape.output[0]))
        return Task(
            instruction="put_away",
            engine="stores",
            fields=lambda: flat_command(command()),
            reads=frozenset({("sums", region)}),
            writes=frozenset((into, line) for line in lines),
            fills=True,
            after=places.maps[into].after,
            users=frozenset({into}),
            cycles=self._store_cycles(part),
            layer=self.layer.name,
        )


def _equal_parts(total: int, count: int) -> Iterator[tuple[int, int]]:
    """First and size of parts that differ by one at most."""
    ends = [total * number // count for number in range(count + 1)]
    for first, last in zip(ends, ends[1:], strict=False):
        yield first, last - first
