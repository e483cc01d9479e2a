"""Reference of a host's view of a system's memories."""

import numpy as np

from ....hw.cores.memory.host_map_config import HostMapConfig

__all__ = ["HostMapReference"]


class HostMapReference:
    """The memories as arrays of the host's rows: region, core, row.

    Parameters
    ----------
    config : HostMapConfig
    """

    def __init__(self, config: HostMapConfig):
        self.config = config
        self.rows = {region.number: np.zeros((region.cores, region.rows), object) for region in config.regions}

    def write(self, memory: int, core: int, row: int, data: int) -> None:
        """Write the lowest bits of ``data``; where there is nothing, nothing is written."""
        for region in self.config.regions:
            if region.number == memory and row < region.rows:
                word = data & (1 << region.width) - 1
                if region.cores == 1 or core == self.config.every_core:
                    self.rows[memory][:, row] = word
                elif core < region.cores:
                    self.rows[memory][core, row] = word

    def read(self, memory: int, core: int, row: int) -> tuple[int, int] | None:
        """The host's row and the row of the memory that it is a part of; None where nothing is defined.

        A row without parts has zeros for the second, where a row of another region has parts.
        """
        has_parts = any(region.parts > 1 for region in self.config.readable)
        for region in self.config.readable:
            if region.number == memory and row < region.rows and (region.cores == 1 or core < region.cores):
                words = self.rows[memory][core if region.cores > 1 else 0]
                first = row - row % region.parts
                whole = sum(int(words[first + part]) << part * region.width for part in range(region.parts))
                return int(words[row]), 0 if has_parts and region.parts == 1 else whole
        return None
