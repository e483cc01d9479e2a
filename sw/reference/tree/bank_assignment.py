"""Assignment of rows to levels."""

import numpy as np

from ....hw.cores.tree.config import TreeConfig

__all__ = ["BankAssignmentReference"]


class BankAssignmentReference:
    """Blocks of rows for the stages of the tree, as the exit assigns them.

    With ``next_empty`` a block is the next ``config.block`` rows of the current bank, from bank 0 on, and stages share
    banks. With ``algorithm2`` it is a bank of no stage: of these the one whose path has the fewest conflicts with the
    paths that are there, of several the last.

    A path runs from input port ``stage % ports`` to output port ``bank % ports``; after layer x of the butterfly
    it is on the wire whose bits 0 to x are those of the output port and whose bits above x are those of the input port.
    Two paths conflict in a layer if they leave it on the same wire. The conflicts of a bank are counted over all layers
    and all banks of other stages.

    This is a reading of the source (Algorithm 2 with Algorithm 1, section 3.3.2). In print bit ``log D - x`` of the
    banks is compared in layer x, where Algorithm 1 routes by bit x; only stages that differ in bit x are looked at, and
    all of their banks count once.

    Parameters
    ----------
    config : TreeConfig
    """

    def __init__(self, config: TreeConfig):
        self.config = config
        self._layers = (config.ports - 1).bit_length()
        self._ports = np.arange(config.banks) % config.ports
        # Layers that two output ports have the same low bits in, by their exclusive or.
        differences = np.arange(config.ports)
        self._common_layers = np.array([_trailing_zeros(d, self._layers) for d in differences.tolist()])
        # The first layer above which two input ports have the same bits, by their exclusive or.
        self._first_layers = np.array([max(int(d).bit_length() - 1, 0) for d in differences])
        self.clear()

    def clear(self) -> None:
        """Take all blocks back."""
        # By bank, -1: none.
        self._stages = np.full(self.config.banks, -1)
        self._next_block = 0

    def assign(self, stage: int) -> int | None:
        """The number of the first node of a block that ``stage`` now has, or None: there is none left."""
        if self.config.bank_assignment == "next_empty":
            block = self._next_block
            if block == self.config.banks * self.config.rows:
                return None
            self._next_block += self.config.block
            return block
        empty = np.flatnonzero(self._stages < 0)
        if not empty.size:
            return None
        conflicts = self.conflicts(stage)[empty]
        bank = int(empty[np.flatnonzero(conflicts == conflicts.min())[-1]])
        self._stages[bank] = stage
        return bank * self.config.rows

    def release(self, stage: int) -> list[int]:
        """Take the blocks of a stage back where they are whole banks; the numbers of these."""
        banks = np.flatnonzero(self._stages == stage)
        self._stages[banks] = -1
        return banks.tolist()

    def conflicts(self, stage: int) -> np.ndarray:
        """For each bank's path from ``stage``, the number of wires it shares with paths of other stages."""
        others = np.flatnonzero((self._stages >= 0) & (self._stages != stage))
        common = self._common_layers[self._ports[:, None] ^ self._ports[others]]
        first = self._first_layers[(stage ^ self._stages[others]) % self.config.ports]
        return np.maximum(common - first, 0).sum(axis=1)


def _trailing_zeros(difference: int, most: int) -> int:
    return min(most, (difference & -difference).bit_length() - 1) if difference else most
