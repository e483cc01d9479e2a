"""Scores as the C++ tree computes them: the reference's tables, and constants of a search."""

import numpy as np

from ....hw.cores.tree.config import TreeConfig
from ....hw.cores.tree.functions import RECIPROCAL_FRACTION
from ...reference.tree.scores import ScoresReference, functions_of_counts
from ..search_config import SearchConfig
from .library import native_library

__all__ = ["ScoreTables"]


class ScoreTables:
    """Tables of what scores are made of, by counts, as the library reads them.

    Parameters
    ----------
    config : SearchConfig
    """

    def __init__(self, config: SearchConfig):
        constants = config.parameters.registers()
        exponents, reciprocals, _ = functions_of_counts()
        explorations = ScoresReference(TreeConfig(policy="puct_visits")).explorations(constants["exploration"])
        # The library reads them as long as the scores are there.
        self._tables = (
            np.array(exponents, np.uint8),
            np.array(reciprocals, np.int32),
            np.array(explorations, np.int32),
        )
        pointers = (table.ctypes.data for table in self._tables)
        self.handle = native_library().make_scores(
            *pointers, RECIPROCAL_FRACTION, constants["loss"], constants["first_value"]
        )

    def close(self) -> None:
        """Give them back."""
        native_library().free_scores(self.handle)
        self.handle = None
