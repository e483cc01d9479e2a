"""The layers that the thesis measures: DCGAN's generator, Nature-CNN's backward passes, decoders."""

from ....hw.cores.convolution.shape import FractionallyStridedShape

__all__ = ["dcgan", "decoders", "nature_cnn_backward"]


def dcgan(width: int = 1) -> tuple[FractionallyStridedShape, ...]:
    """The generator of DCGAN (Radford 2016) with kernels of 4 x 4: 100 numbers to 64 x 64 pixels in five layers.

    Parameters
    ----------
    width : int
        Divides the 100 inputs and the 1024, 512, 256 and 128 channels between the layers.
    """
    channels = (100 // width, 1024 // width, 512 // width, 256 // width, 128 // width, 3)
    return tuple(
        FractionallyStridedShape(
            input_channels=inputs,
            output_channels=outputs,
            picture=(side, side),
            kernel=(4, 4),
            stride=(1, 1) if side == 1 else (2, 2),
            padding=((0, 0), (0, 0)) if side == 1 else ((1, 1), (1, 1)),
        )
        for side, inputs, outputs in zip((1, 4, 8, 16, 32), channels, channels[1:], strict=False)
    )


def nature_cnn_backward(width: int = 1) -> tuple[FractionallyStridedShape, ...]:
    """The errors of Nature-CNN's three convolutions (Mnih 2015), from the last one back to the pixels.

    Parameters
    ----------
    width : int
        Divides all channels but the four of the pixels.
    """
    most, fewer = 64 // width, 32 // width
    layers = ((most, most, 7, 3, 1), (most, fewer, 9, 4, 2), (fewer, 4, 20, 8, 4))
    return tuple(
        FractionallyStridedShape(
            input_channels=inputs,
            output_channels=outputs,
            picture=(side, side),
            kernel=(kernel, kernel),
            stride=(stride, stride),
        )
        for inputs, outputs, side, kernel, stride in layers
    )


def decoders(stride: int, width: int = 1) -> tuple[FractionallyStridedShape, ...]:
    """Layers of decoders that make pictures ``stride`` times as large, of the usual kernels.

    Parameters
    ----------
    stride : int
        2 to 4.
    width : int
        Divides all channels.
    """
    kernels = {2: (2, 3, 4, 5), 3: (3, 4, 5, 6), 4: (4, 5, 6, 8)}[stride]
    found = []
    for side, inputs, outputs in ((14, 128, 64), (28, 64, 32), (56, 64, 16)):
        for kernel in kernels:
            cropped = kernel - stride
            padding = -(-cropped // 2)
            added = 2 * padding - cropped
            found.append(
                FractionallyStridedShape(
                    input_channels=inputs // width,
                    output_channels=outputs // width,
                    picture=(side, side),
                    kernel=(kernel, kernel),
                    stride=(stride, stride),
                    padding=((padding, padding), (padding, padding)),
                    output_padding=(added, added),
                )
            )
    return tuple(found)
