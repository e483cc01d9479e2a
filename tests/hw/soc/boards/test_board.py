import dataclasses

import pytest

from rewardware.hw.soc.boards.board import FLOWS, find_board, load_boards

BOARDS = load_boards()


@pytest.mark.parametrize("name", BOARDS)
def test_a_row_is_whole(name):
    board = BOARDS[name]
    platform = board.make_platform()
    assert board.description.endswith(".") and board.family in FLOWS
    # The platform's part is the row's, whatever its package; of a 12F open tools use all that a 25F has.
    device, part = platform.device.lower(), board.part.replace("lfe5u-", "")
    assert part in device.replace("12f", "25f")
    assert abs(board.clock_mhz * 1e6 / board.divisor / board.baud - 1) <= 0.02


def test_what_a_board_cannot_be_is_refused():
    board = find_board("ulx3s-85f")
    with pytest.raises(ValueError, match="Clock of ulx3s-85f must be four times the baud rate of 1000000 or more"):
        dataclasses.replace(board, clock_mhz=3)
    with pytest.raises(ValueError, match="a multiple of it within 2%, not 5 MHz"):
        dataclasses.replace(board, clock_mhz=5, baud=921_600)
    with pytest.raises(TypeError, match="Clock of ulx3s-85f in MHz must be an integer, not 50.5"):
        dataclasses.replace(board, clock_mhz=50.5)
    with pytest.raises(ValueError, match="Board must be one of ulx3s-12f, .*, not 'ulx4s'"):
        find_board("ulx4s")
