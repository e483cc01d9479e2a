"""Perfect play of connect-four, which strength is measured against."""

import numba
import numpy as np

__all__ = ["ConnectFourSolver"]

# Stones in a row that win.
LINE = 4
# Entries of the transposition table, 36 MiB: a prime, so that positions spread by their remainders.
ENTRIES = 4_194_301
# Bounds of a value of which nothing is known, -1 and 1; both are kept plus one, as digits of base 3.
UNKNOWN = 2
# Bits of a board. A move under way has its number of threats above them.
CELLS = 56


@numba.njit(cache=True)
def _has_line(stones: int, height: int) -> bool:
    """Whether four stones are in a row: in a column, along a row or on a diagonal."""
    for step in (1, height, height - 1, height + 1):
        pairs = stones & stones >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@numba.njit(cache=True)
def _winning_cells(stones: int, mask: int, board: int, height: int) -> int:
    """Free cells in which a stone of this player makes a row of four."""
    cells = stones << 1 & stones << 2 & stones << 3
    for step in (height, height - 1, height + 1):
        above, below = stones << step & stones << 2 * step, stones >> step & stones >> 2 * step
        cells |= above & (stones << 3 * step | stones >> step) | below & (stones << step | stones >> 3 * step)
    return cells & (board ^ mask)


@numba.njit(cache=True)
def _count(cells: int) -> int:
    number = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


# The signature is given because the function calls itself.
@numba.njit("i8(i8,i8,i8,i8,i8,i8[:],i8[:,:],i8[:],i1[:])", cache=True)
def _solve(
    own: int,
    mask: int,
    alpha: int,
    beta: int,
    bottom: int,
    columns: np.ndarray,
    moves: np.ndarray,
    keys: np.ndarray,
    bounds: np.ndarray,
) -> int:
    """The value of a position in which the player to move cannot win at once; outside of the window a bound of it.

    ``bottom`` has the cells of the lowest row, ``columns`` those of each column, in the order in which they are tried;
    ``moves`` has room for the moves under way, ``keys`` and ``bounds`` are the transposition table.
    """
    board = 0
    for column in columns:
        board |= column
    height, free = _count(columns[0]) + 1, _count(board ^ mask)
    threats = _winning_cells(own ^ mask, mask, board, height)
    playable = mask + bottom & board
    if playable & threats:
        # The other player wins at once but for a stone there.
        playable &= threats
        if playable & playable - 1:
            return -1
    # On a stone under a threat the other player's next one wins.
    playable &= ~(threats >> 1)
    if not playable:
        return -1 if free else 0
    if free <= 2:
        return 0
    # In each column: the own stones plus all of them, which no two positions share.
    key = own + mask
    entry = key % len(keys)
    lower, upper = -1, 1
    if keys[entry] == key:
        lower, upper = bounds[entry] // 3 - 1, bounds[entry] % 3 - 1
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha, beta = max(alpha, lower), min(beta, upper)
    count = 0
    # Each move with its number of threats, in the bits above its stone's.
    ordered = moves[free]
    for column in columns:
        stone = playable & column
        if not stone:
            continue
        score = _count(_winning_cells(own | stone, mask | stone, board, height))
        place = count
        while place and ordered[place - 1] >> CELLS < score:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = score << CELLS | stone
        count += 1
    best, raised = -1, alpha
    for place in range(count):
        stone = ordered[place] & (1 << CELLS) - 1
        found = -_solve(own ^ mask, mask | stone, -beta, -raised, bottom, columns, moves, keys, bounds)
        best, raised = max(best, found), max(raised, found)
        if best >= beta:
            break
    if best > alpha:
        lower = max(lower, best)
    if best < beta:
        upper = min(upper, best)
    keys[entry], bounds[entry] = key, 3 * (lower + 1) + upper + 1
    return best


class ConnectFourSolver:
    """Solves connect-four: a position is a win, a draw or a loss if both play perfectly.

    A depth-first search with alpha-beta pruning on bitboards. Moves after which the other player wins at once are left
    out, and those that make most threats come first, central ones before others. A transposition table keeps bounds of
    values from call to call.

    Time grows exponentially with the free cells: with six rows and seven columns, the solver is for positions of about
    ten stones and more. The first use compiles, or loads what was compiled.

    Parameters
    ----------
    rows, columns : int
        Size of the board: each at least 4, and ``columns * (rows + 1)`` at most 56. Four stones in a row win.

    Raises
    ------
    ValueError
        The board is too large or too small. From the methods: the game has ended in the position, or there is no such
        position.

    Source: P. Pons, *Solving Connect 4: how to build a perfect AI*, blog.gamesolver.org, 2019.
    """

    def __init__(self, rows: int = 6, columns: int = 7):
        if min(rows, columns) < LINE or (rows + 1) * columns > CELLS:
            raise ValueError(
                f"Rows and columns must be at least {LINE}, and columns * (rows + 1) at most {CELLS}, "
                f"not {rows} and {columns}"
            )
        self.rows, self.columns, self._height = rows, columns, rows + 1
        self._bottom = sum(1 << column * self._height for column in range(columns))
        order = sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
        self._columns = np.array([self._cells(column) for column in order])
        self._moves = np.empty((rows * columns + 1, columns), np.int64)
        self._keys, self._bounds = np.zeros(ENTRIES, np.int64), np.full(ENTRIES, UNKNOWN, np.int8)

    def value(self, state: tuple[int, int]) -> int:
        """1 if the player whose turn it is wins, 0 for a draw, -1 for a loss.

        Parameters
        ----------
        state : pair of int
            Stones of both players, as a :class:`...core.environments.board_game.BoardGame` saves them.
        """
        return self._value(*self._position(state))

    def best_actions(self, state: tuple[int, int]) -> set[int]:
        """All columns whose value is the position's."""
        values = self.action_values(state)
        best = max(values.values())
        return {action for action, value in values.items() if value == best}

    def action_values(self, state: tuple[int, int]) -> dict[int, int]:
        """The value of each legal column: 1 if the player whose turn it is wins by it, 0 for a draw, -1 for a loss."""
        own, mask = self._position(state)
        values = {}
        for action in range(self.columns):
            stone = mask + self._bottom & self._cells(action)
            if stone:
                values[action] = self._value_of_move(own, mask, stone)
        return values

    def _value_of_move(self, own: int, mask: int, stone: int) -> int:
        if _has_line(own | stone, self._height):
            return 1
        return -self._value(own ^ mask, mask | stone)

    def _value(self, own: int, mask: int) -> int:
        wins = _winning_cells(own, mask, int(self._columns.sum()), self._height)
        if wins & mask + self._bottom:
            return 1
        return _solve(own, mask, -1, 1, self._bottom, self._columns, self._moves, self._keys, self._bounds)

    def _cells(self, column: int) -> int:
        return (1 << self.rows) - 1 << column * self._height

    def _position(self, state: tuple[int, int]) -> tuple[int, int]:
        """Stones of the player whose turn it is, and all stones: column by column, a row that stays free above each."""
        cells = range(self.rows * self.columns)
        first, second = (
            sum(1 << cell % self.columns * self._height + cell // self.columns for cell in cells if stones >> cell & 1)
            for stones in state
        )
        mask, ahead = first | second, first.bit_count() - second.bit_count()
        floating = mask & mask + self._bottom
        if max(state) >> len(cells) or first & second or ahead not in (0, 1) or floating:
            raise ValueError(f"Stones {state} are not a position of connect-four on {self.rows} x {self.columns} cells")
        if mask.bit_count() == len(cells) or _has_line(first, self._height) or _has_line(second, self._height):
            raise ValueError(f"The game has ended in the position {state}, so no move has a value")
        return (second, mask) if ahead else (first, mask)
