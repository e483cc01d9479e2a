"""Pictures of a file as arrays."""

from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from ...networks.convolution.nodes import FeatureMap
from ...reference.arrays import RealArray

__all__ = ["read_pictures"]

# Pillow's names of a pixel's channels.
MODES = {1: "L", 3: "RGB"}


def read_pictures(path: Path, given: FeatureMap) -> RealArray:
    """The pictures (pictures, rows, columns, channels) of a file, in float64.

    A ``.npy`` file has one (rows, columns, channels) or several, and their numbers are taken as they are. Any other
    file is a picture as Pillow reads it, grey or in colours, whose numbers are divided by 255. None is scaled to fit.

    Parameters
    ----------
    path : Path
    given : FeatureMap
        Input that the network is given.

    Raises
    ------
    FileNotFoundError
        There is no file.
    ValueError
        It holds no pictures, or others than the network takes.
    """
    size = (*given.picture, given.channels)
    pictures = _array(path) if path.suffix == ".npy" else _picture(path, given.channels)
    if pictures.ndim not in (3, 4) or pictures.shape[-3:] != size or not len(pictures):
        wanted = " x ".join(map(str, size))
        found = " x ".join(map(str, pictures.shape)) or "a number"
        raise ValueError(f"{path} must hold pictures of {wanted} (rows x columns x channels), not {found}")
    if not np.isfinite(pictures).all():
        raise ValueError(f"{path} must hold finite numbers")
    return pictures.reshape(-1, *size)


def _array(path: Path) -> RealArray:
    try:
        with path.open("rb") as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is not a .npy file of an array, or is damaged: {error}") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{path} must hold real numbers, not {array.dtype}")
    return array.astype(np.float64)


def _picture(path: Path, channels: int) -> RealArray:
    if channels not in MODES:
        raise ValueError(f"{path} must be a .npy file: the network takes {channels} channels, and a picture has 1 or 3")
    try:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert(MODES[channels]), np.float64)
    except UnidentifiedImageError:
        raise ValueError(f"{path} is neither a .npy file nor a picture that Pillow reads") from None
    return pixels.reshape(*pixels.shape[:2], channels) / 255
