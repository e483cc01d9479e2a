"""What a fractionally strided convolution is. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer
from ..convolution.shape import FractionallyStridedShape

__all__ = ["FractionalConvolutionLayer"]

LARGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class FractionalConvolutionLayer:
    """A fractionally strided convolution, as PyTorch's ``conv_transpose2d``, without bias and dilation.

    For input pixel (x, y), kernel element (a, b), both by row and column::

        Y[z, x S1 + a - padding1, y S2 + b - padding2] += X[i, x, y] * W[i, z, a, b]      for all input channels i

    wherever that pixel is in the output picture. The thesis numbers the elements of the kernel turned by 180 degrees;
    its ``K - 1 - e`` is a or b here.

    Parameters
    ----------
    input_channels, output_channels : int
    size : (int, int)
        H1 x H2, rows and columns of an input picture.
    kernel : (int, int)
        K1 x K2.
    stride : (int, int)
        S1, S2: output pixels from one input pixel to the next.
    padding : (int, int)
        Pixels cropped from each side of the output picture.
    output_padding : (int, int)
        Pixels added at the end of each side; below the stride.
    pictures : int
        Pictures that are computed together.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range; nothing is left of the output picture.
    """

    input_channels: int
    output_channels: int
    size: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    output_padding: tuple[int, int] = (0, 0)
    pictures: int = 1

    def __post_init__(self):
        for name in ("input_channels", "output_channels", "pictures"):
            require_integer(name.replace("_", " ").capitalize(), getattr(self, name), 1, LARGEST)
        for name, low in (("size", 1), ("kernel", 1), ("stride", 1), ("padding", 0), ("output_padding", 0)):
            pair = tuple(getattr(self, name))
            what = name.replace("_", " ").capitalize()
            if len(pair) != 2:
                raise ValueError(f"{what} must be two integers, by rows and columns, not {pair}")
            for value in pair:
                require_integer(what, value, low, LARGEST)
            object.__setattr__(self, name, pair)
        # What the shape of a picture refuses is refused here, in its words.
        _ = self.shape

    @property
    def shape(self):
        """That of each picture."""
        down, right = self.padding
        return FractionallyStridedShape(
            input_channels=self.input_channels,
            output_channels=self.output_channels,
            picture=self.size,
            kernel=self.kernel,
            stride=self.stride,
            padding=((down, down), (right, right)),
            output_padding=self.output_padding,
        )

    @property
    def reach(self):
        """Pixels of each side that kernels reach, cropped ones included."""
        return self.shape.full

    @property
    def output_size(self):
        """O1 x O2, rows and columns of an output picture."""
        return self.shape.output

    @property
    def pixels(self):
        """Input pixels of all pictures."""
        return self.pictures * self.size[0] * self.size[1]

    @property
    def elements(self):
        """Elements of a kernel."""
        return self.kernel[0] * self.kernel[1]

    @property
    def products(self):
        """Products of pixels and weights; none of them with an inserted or padded zero."""
        return self.pixels * self.elements * self.input_channels * self.output_channels

    @property
    def used_products(self):
        """Those of the products whose output is not cropped."""
        used = self.pictures * self.input_channels * self.output_channels
        for size, kernel, stride, padding, side in zip(
            self.size, self.kernel, self.stride, self.padding, self.output_size, strict=True
        ):
            used *= sum(
                0 <= pixel * stride + element - padding < side for pixel in range(size) for element in range(kernel)
            )
        return used

    @property
    def products_of_a_sum(self):
        """Most products that are added up in one output."""
        overlapping = 1
        for size, kernel, stride in zip(self.size, self.kernel, self.stride, strict=True):
            overlapping *= min(size, -(-kernel // stride))
        return overlapping * self.input_channels
