"""Pictures of files: their numbers, and what is refused."""

import numpy as np
import pytest
from PIL import Image

from rewardware.sw.networks.convolution.nodes import FeatureMap
from rewardware.sw.systems.dynamap.picture_file import read_pictures

COLOURS = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)


def given(channels=3):
    return FeatureMap(channels=channels, picture=(5, 7))


@pytest.mark.parametrize("kind", [np.float32, np.int16, np.uint8, bool])
def test_numbers_of_an_array_are_taken_as_they_are(kind, tmp_path):
    for array in (COLOURS.astype(kind), np.stack([COLOURS, COLOURS[::-1]]).astype(kind)):
        np.save(tmp_path / "pictures.npy", array)
        found = read_pictures(tmp_path / "pictures.npy", given())
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, array.reshape(-1, 5, 7, 3))


def test_a_picture_is_divided_by_255(tmp_path):
    Image.fromarray(COLOURS).save(tmp_path / "colours.png")
    np.testing.assert_array_equal(read_pictures(tmp_path / "colours.png", given()), COLOURS[None] / 255)
    Image.fromarray(COLOURS[..., 0]).save(tmp_path / "grey.png")
    np.testing.assert_array_equal(read_pictures(tmp_path / "grey.png", given(1)), COLOURS[None, ..., :1] / 255)
    grey = np.repeat(COLOURS[..., :1], 3, axis=2)
    np.testing.assert_array_equal(read_pictures(tmp_path / "grey.png", given()), grey[None] / 255)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (COLOURS[:, :, :2], "must hold pictures of 5 x 7 x 3 (rows x columns x channels), not 5 x 7 x 2"),
        (COLOURS[0], "must hold pictures of 5 x 7 x 3 (rows x columns x channels), not 7 x 3"),
        (np.float64(3), "must hold pictures of 5 x 7 x 3 (rows x columns x channels), not a number"),
        (np.zeros((0, 5, 7, 3)), "must hold pictures of 5 x 7 x 3 (rows x columns x channels), not 0 x 5 x 7 x 3"),
        (COLOURS * 1j, "must hold real numbers, not complex128"),
        (COLOURS * np.inf, "must hold finite numbers"),
        (np.array([None]), "is not a .npy file of an array, or is damaged: "),
    ],
)
def test_arrays_that_are_no_pictures(array, words, tmp_path):
    np.save(tmp_path / "pictures.npy", array)
    with pytest.raises(ValueError) as error:
        read_pictures(tmp_path / "pictures.npy", given())
    assert words in str(error.value)


def test_files_that_are_no_pictures(tmp_path):
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "text.png").write_text("no picture")
    Image.fromarray(COLOURS[1:]).save(tmp_path / "low.png")
    for name, channels, words in (
        ("text.npy", 3, "is not a .npy file of an array, or is damaged: "),
        ("text.png", 3, "is neither a .npy file nor a picture that Pillow reads"),
        ("low.png", 3, r"must hold pictures of 5 x 7 x 3 \(rows x columns x channels\), not 4 x 7 x 3"),
        ("low.png", 4, "must be a .npy file: the network takes 4 channels, and a picture has 1 or 3"),
    ):
        with pytest.raises(ValueError, match=words):
            read_pictures(tmp_path / name, given(channels))
    for name in ("nowhere.npy", "nowhere.png"):
        with pytest.raises(FileNotFoundError):
            read_pictures(tmp_path / name, given())
