"""Fields that commands of the store unit and of the pooling unit share: places of words, and their parameters.

No Amaranth here.
"""

from dataclasses import dataclass

from ..checks import require_integer
from .loop_nest_config import nest_loops

__all__ = ["FeatureMap", "parameter_loops", "target_loops"]


@dataclass(frozen=True, kw_only=True)
class FeatureMap:
    """Where the output of a convolution goes.

    Parameters
    ----------
    place : int
        Place of the map's first element in the feature memory.
    channels : int
        Channels of a pixel of the map: those of all that are concatenated.
    first : int
        The output's first one among them.

    Raises
    ------
    TypeError, ValueError
        A parameter that is no integer, or out of its range.
    """

    place: int
    channels: int
    first: int = 0

    def __post_init__(self):
        require_integer("Place", self.place, 0)
        require_integer("Channels", self.channels, 1)
        require_integer("First", self.first, 0, self.channels - 1)


def parameter_loops(config, first, blocks, loops):
    """Loops over parameters from row ``first`` on, of which there are ``blocks``; an iteration adds words of rows.

    Raises
    ------
    ValueError
        The memory does not have the rows.
    """
    if not 0 <= first <= first + blocks - 1 < config.parameter_rows:
        raise ValueError(
            f"Rows of parameters must be below {config.parameter_rows}, not from {first} to {first + blocks - 1}"
        )
    return nest_loops(config.parameters, [(count, {"word": step}) for count, step in loops], {"word": 0, "row": first})


def target_loops(config, channels, features, loops, picture, pixel=(0, 0)):
    """Loops over places of a map with the lines and columns of ``picture``, from ``pixel`` on.

    Raises
    ------
    ValueError
        The channels are not in the map, or the map not in the memory; a number that the writer has no room for.
    """
    target, memory = config.target, config.features
    if features.first + channels > features.channels:
        raise ValueError(
            f"Channels {features.first} to {features.first + channels - 1} must be among the "
            f"{features.channels} of the map"
        )
    height, pitch = picture[0], picture[1] * features.channels
    if features.place + height * pitch > memory.rows * memory.lanes:
        raise ValueError(
            f"The map's {height * pitch} elements must be in the {memory.rows * memory.lanes} of the memory, "
            f"not from {features.place} on"
        )
    # Tiles and blocks may go over the picture.
    element = pixel[1] * features.channels + features.first
    reached = element + sum((count - 1) * step.get("element", 0) for count, step in loops)
    if height >= 1 << target.line_width - 1 or reached >= 1 << target.element_width - 1:
        raise ValueError(
            f"A map must have at most {(1 << target.line_width - 1) - 1} lines of at most "
            f"{(1 << target.element_width - 1) - 1} elements, not {height} of {reached + 1}"
        )
    begins = features.place + pixel[0] * pitch + element
    first = {
        "lane": begins % memory.lanes,
        "row": begins // memory.lanes,
        "line": pixel[0],
        "element": element,
        "rest": channels,
    }
    return {"nest": nest_loops(target.nest, loops, first), "height": height, "pitch": pitch}
