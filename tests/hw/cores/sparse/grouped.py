"""A layer as the encoder and the tables leave it in the memories of one core, for the benches that read them."""

import numpy as np

from rewardware.sw.reference.sparse.encoding import encode
from rewardware.sw.reference.sparse.lists import group_tables
from tests.hw.cores.sparse.stimulus import layers

FIELDS = ("inner_start", "inner_count", "outer_start", "outer_count", "weights_base", "pitch", "group")


class GroupedLayer:
    """Tables, lists and bit vectors of one core, whose memories begin at random places."""

    def __init__(self, config, random, rows, columns, groups):
        self.rows, self.columns, self.groups = len(rows), len(columns), groups
        forward, transposed = encode(rows, [columns], groups), encode(columns, [rows], groups)
        self.vectors = forward.vectors[0]
        self.row_base = int(random.integers(0, config.row_list - len(rows) + 1))
        self.group_base = int(random.integers(0, config.tuples - groups + 1))
        self.row_list = np.concatenate([np.zeros(self.row_base, np.int64), transposed.lists[0]])
        self.column_list = forward.lists[0]
        row_places = transposed.starts[0] + self.row_base, transposed.counts[0]
        column_places = forward.starts[0], forward.counts[0]
        end = group_tables(row_places, column_places, banks=config.banks)[2]
        self.weight_base = int(random.integers(0, config.weight_words - end + 1))
        self.forward, self.transposed, self.end = group_tables(
            row_places, column_places, banks=config.banks, weight_base=self.weight_base
        )
        self.row_words = -(-len(columns) // config.lanes)
        self.parameter_base = int(random.integers(0, config.parameter_words - len(rows) * self.row_words + 1))

    def vector_bits(self, group):
        """The entry of the sparse row memory."""
        return sum(1 << int(place) for place in np.flatnonzero(self.vectors[group]))

    def entries(self):
        """Entries of the forward table as dictionaries."""
        for rank in range(self.groups):
            yield {name: int(getattr(self.forward, name)[rank]) for name in FIELDS}


def grouped_layers(config, random, count):
    """Layers of one core: corner cases first."""
    for rows, columns, groups in layers(config, random, count):
        own = max(columns, key=len)
        yield GroupedLayer(config, random, rows, own, groups)
