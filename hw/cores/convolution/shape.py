"""Shapes of the layers: convolution, fractionally strided convolution, pooling. No Amaranth here.

Everything is given by axis, rows first: a pair is ``(rows, columns)``. Padding is ``((top, bottom), (left, right))``.
"""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["ConvolutionShape", "FractionallyStridedShape", "OutputPart", "PoolingShape"]

NO_PADDING = ((0, 0), (0, 0))


@dataclass(frozen=True, kw_only=True)
class ConvolutionShape:
    """A convolution: ``out[o1, o2] = sum of padded[o1 * S1 + k1, o2 * S2 + k2] @ kernels[k1, k2]``.

    Parameters
    ----------
    input_channels : int
        C_in.
    output_channels : int
        C_out.
    picture : pair of int
        H1 rows and H2 columns of the input, padding not counted.
    kernel : pair of int
        K1 rows and K2 columns.
    stride : pair of int
        Pixels of the input from one output row to the next, and from one output column to the next.
    padding : pair of pairs of int
        Rows of zeros above and below the picture, columns of zeros left and right of it.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind or out of its range, or a kernel larger than the padded picture.
    """

    input_channels: int
    output_channels: int
    picture: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[tuple[int, int], tuple[int, int]] = NO_PADDING

    def __post_init__(self):
        require_integer("Input channels", self.input_channels, 1)
        require_integer("Output channels", self.output_channels, 1)
        _require_window(self)

    @property
    def output(self):
        """``(O1, O2)``, rows and columns of the output."""
        return tuple(
            (picture + sum(padding) - kernel) // stride + 1
            for picture, kernel, stride, padding in zip(
                self.picture, self.kernel, self.stride, self.padding, strict=True
            )
        )

    @property
    def input_gradient(self):
        """The fractionally strided convolution that takes errors at the output to errors at the input."""
        rows, columns = (
            (picture + sum(padding) - kernel) % stride
            for picture, kernel, stride, padding in zip(
                self.picture, self.kernel, self.stride, self.padding, strict=True
            )
        )
        return FractionallyStridedShape(
            input_channels=self.output_channels,
            output_channels=self.input_channels,
            picture=self.output,
            kernel=self.kernel,
            stride=self.stride,
            padding=self.padding,
            output_padding=(rows, columns),
        )


@dataclass(frozen=True, kw_only=True)
class OutputPart:
    """Pixels of an output that a command computes, a rectangle.

    Parameters
    ----------
    first : pair of int
        Line and column of the first pixel.
    size : pair of int
        Lines and columns, at least 1.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind or out of its range.
    """

    first: tuple[int, int]
    size: tuple[int, int]

    def __post_init__(self):
        _require_pair("First", self.first, 0)
        _require_pair("Size", self.size, 1)

    @property
    def pixels(self):
        """All of them."""
        return self.size[0] * self.size[1]

    @classmethod
    def of(cls, output: tuple[int, int], part: "OutputPart | None") -> "OutputPart":
        """A part of an output of so many lines and columns, whole lines or a part of one line; None: all of it.

        Raises
        ------
        ValueError
            It is not in the output, or its pixels are not one after the other.
        """
        if part is None:
            return cls(first=(0, 0), size=output)
        ends = tuple(first + size for first, size in zip(part.first, part.size, strict=True))
        if ends[0] > output[0] or ends[1] > output[1]:
            raise ValueError(f"A part must end at {output} or before, not at {ends}")
        if part.size[0] > 1 and part.size[1] < output[1]:
            raise ValueError(f"Lines of a part must have all {output[1]} columns, not {part.size[1]}")
        return part


@dataclass(frozen=True, kw_only=True)
class FractionallyStridedShape:
    """A fractionally strided, or transposed, convolution: it goes from a convolution's output back to its input.

    ``full[x * S1 + k1, y * S2 + k2] += in[x, y] @ kernels[k1, k2]`` for every pixel and kernel element. The output is
    ``full`` without its padding.

    Parameters
    ----------
    input_channels : int
        Channels of the picture that is expanded.
    output_channels : int
        Channels of the output.
    picture : pair of int
        Rows and columns of the input, no zeros inserted.
    kernel : pair of int
        K1 rows and K2 columns.
    stride : pair of int
        Output pixels from one input row to the next, and from one input column to the next.
    padding : pair of pairs of int
        Rows cropped from the top and bottom of ``full``, columns cropped from its left and right.
    output_padding : pair of int
        Rows that the output has more at the bottom, columns that it has more on the right: cropped ones that are not
        cropped, then ones that no product reaches. Each below its stride.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind or out of its range, or nothing left by the cropping.
    """

    input_channels: int
    output_channels: int
    picture: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[tuple[int, int], tuple[int, int]] = NO_PADDING
    output_padding: tuple[int, int] = (0, 0)

    def __post_init__(self):
        require_integer("Input channels", self.input_channels, 1)
        require_integer("Output channels", self.output_channels, 1)
        _require_geometry(self)
        _require_pair("Output padding", self.output_padding, 0)
        for padding, stride in zip(self.output_padding, self.stride, strict=True):
            if padding >= stride:
                raise ValueError(f"Output padding must be below the stride ({stride}), not {padding}")
        if min(self.output) < 1:
            raise ValueError(
                f"Padding must leave at least one row and column of {self.full}, not {self.padding} "
                f"with output padding {self.output_padding}"
            )

    @property
    def full(self):
        """Rows and columns that products reach, before the cropping: ``S * (H - 1) + K``."""
        return tuple(
            stride * (picture - 1) + kernel
            for picture, kernel, stride in zip(self.picture, self.kernel, self.stride, strict=True)
        )

    @property
    def output(self):
        """Rows and columns of the output."""
        return tuple(
            full - sum(padding) + more
            for full, padding, more in zip(self.full, self.padding, self.output_padding, strict=True)
        )

    @property
    def elements(self):
        """Elements of a kernel."""
        return self.kernel[0] * self.kernel[1]

    @property
    def products_of_a_sum(self):
        """Most products that are added up in one output."""
        overlapping = 1
        for picture, kernel, stride in zip(self.picture, self.kernel, self.stride, strict=True):
            overlapping *= min(picture, -(-kernel // stride))
        return overlapping * self.input_channels

    @property
    def scratchpad(self):
        """Rows and columns of the scratchpad: ``full``, and what the output padding has beyond it."""
        return tuple(
            max(full, before + output)
            for full, (before, _), output in zip(self.full, self.padding, self.output, strict=True)
        )


@dataclass(frozen=True, kw_only=True)
class PoolingShape:
    """Maximum or average of windows, each channel by itself.

    Parameters
    ----------
    channels : int
    picture : pair of int
        Rows and columns of the input, padding not counted.
    kernel : pair of int
        Rows and columns of a window.
    stride : pair of int
        Pixels from one window to the next, down and to the right.
    padding : pair of pairs of int
        As in :class:`ConvolutionShape`; below the kernel, so that no window holds padding alone.
    ceil_mode : bool
        A last window may reach over the padded picture, where it begins before the padding after it. Otherwise
        windows that do not fit are left out.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind or out of its range, or a kernel larger than the padded picture.
    """

    channels: int
    picture: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[tuple[int, int], tuple[int, int]] = NO_PADDING
    ceil_mode: bool = False

    def __post_init__(self):
        require_integer("Channels", self.channels, 1)
        _require_window(self)
        for sides, kernel in zip(self.padding, self.kernel, strict=True):
            if max(sides) >= kernel:
                raise ValueError(f"Padding must be below the kernel ({kernel}), not {max(sides)}")
        if not isinstance(self.ceil_mode, bool):
            raise TypeError(f"Ceil mode must be a truth value, not {self.ceil_mode!r}")

    @property
    def output(self):
        """Rows and columns of the output."""
        return tuple(
            self._windows(*axis) for axis in zip(self.picture, self.kernel, self.stride, self.padding, strict=True)
        )

    def _windows(self, picture, kernel, stride, padding):
        room = picture + sum(padding) - kernel
        if not self.ceil_mode:
            return room // stride + 1
        more = -(-room // stride)
        return more + 1 if more * stride < picture + padding[0] else more


def _require_window(shape):
    _require_geometry(shape)
    for picture, kernel, padding in zip(shape.picture, shape.kernel, shape.padding, strict=True):
        if kernel > picture + sum(padding):
            raise ValueError(
                f"Kernel must be no larger than the padded picture ({picture + sum(padding)}), not {kernel}"
            )


def _require_geometry(shape):
    _require_pair("Picture", shape.picture, 1)
    _require_pair("Kernel", shape.kernel, 1)
    _require_pair("Stride", shape.stride, 1)
    if not isinstance(shape.padding, tuple) or len(shape.padding) != 2:
        raise TypeError(f"Padding must be a pair of pairs, ((top, bottom), (left, right)), not {shape.padding!r}")
    for sides in shape.padding:
        _require_pair("Padding", sides, 0)


def _require_pair(name, value, low):
    if not isinstance(value, tuple) or len(value) != 2:
        raise TypeError(f"{name} must be a pair of integers, not {value!r}")
    for number in value:
        require_integer(name, number, low)
