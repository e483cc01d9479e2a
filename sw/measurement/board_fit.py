"""Presets of systems that fit boards, by what Yosys made of each and what the part holds."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from ...hw.cores.checks import require_name
from ...hw.soc.boards.board import Board, load_boards
from ...hw.soc.devices import devices, find_device
from ...hw.soc.target.target import Resources
from .board_resources import BoardPreset, board_presets, load_resources

__all__ = ["Fit", "fit_of", "fits", "lacking", "unmeasured"]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A preset on a board.

    Parameters
    ----------
    system, preset : str
    shares : Mapping
        Percent of the part, by resource.
    """

    system: str
    preset: str
    shares: Mapping[str, float]

    @property
    def largest(self) -> tuple[str, float]:
        """The resource of which it takes the largest share, and that share."""
        return max(self.shares.items(), key=lambda share: share[1])


@functools.cache
def _resources() -> Mapping[tuple[str, str], BoardPreset]:
    return load_resources()


def fits(board: Board) -> dict[str, Fit]:
    """By system the largest of its presets for boards that fits the board; systems of which none fits are not there."""
    found = {system: _largest(board, system) for system in devices()}
    return {system: fit for system, fit in found.items() if fit is not None}


def _largest(board: Board, system: str) -> Fit | None:
    part = board.fpga
    for preset in find_device(system).board_presets:
        measured = _resources().get((system, preset))
        used = measured and measured.families.get(board.family)
        if used and not lacking(board, used):
            return Fit(system=system, preset=preset, shares=part.share(used))
    return None


def unmeasured(board: Board) -> list[str]:
    """Presets for boards, as ``"system/preset"``, of which nobody knows whether they fit: they were not measured."""

    def is_known(measured: BoardPreset | None) -> bool:
        return measured is not None and (board.family in measured.families or measured.far_too_large(board.family))

    return [
        f"{system}/{preset}" for system, preset in board_presets() if not is_known(_resources().get((system, preset)))
    ]


def lacking(board: Board, used: Resources) -> list[str]:
    """Resources that a design needs and the board's part does not hold, in words; empty where it fits."""
    part = board.fpga
    return [
        f"{number:g} {part.target.units[name]} of {getattr(part.holds, name):g}"
        for name, number in used.items()
        if number > getattr(part.holds, name)
    ]


def fit_of(board: Board, system: str) -> Fit:
    """The largest preset of a system that fits a board.

    Raises
    ------
    ValueError
        There is no such system, or no preset of it fits; the text says what does.
    """
    require_name("System", system, devices())
    known = fits(board)
    if system in known:
        return known[system]
    others = ", ".join(f"{fit.system}/{fit.preset}" for fit in known.values()) or "nothing"
    boards = ", ".join(name for name, other in load_boards().items() if system in fits(other)) or "no board"
    presets = ", ".join(find_device(system).board_presets) or "none"
    unknown = ", ".join(name for name in unmeasured(board) if name.startswith(f"{system}/"))
    if unknown:
        raise ValueError(
            f"Whether {unknown} fits {board.name} was not measured: choose it by --config, or measure it by "
            f"`rewardware list boards --measure FILE`; presets that fit: {others}"
        )
    raise ValueError(
        f"No preset of {system} for boards ({presets}) fits {board.name} ({board.fpga.description}): presets "
        f"that fit: {others}; {system} fits {boards}"
    )
