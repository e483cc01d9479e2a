"""Word after word against weight after weight."""

import numpy as np
import pytest

from rewardware.sw.reference.sparse.compression import compress, decompress, parameter_words
from rewardware.sw.reference.sparse.encoding import encode
from rewardware.sw.reference.sparse.lists import group_tables, weight_places


def layer(rng, rows, columns, groups, banks):
    row_group, column_group = rng.integers(0, groups, rows), rng.integers(0, groups, columns)
    forward, transposed = encode(row_group, [column_group], groups), encode(column_group, [row_group], groups)
    table, _, end = group_tables(
        (transposed.starts[0], transposed.counts[0]), (forward.starts[0], forward.counts[0]), banks=banks
    )
    mask = row_group[:, None] == column_group
    return table, transposed.lists[0], forward.lists[0], forward.vectors[0], mask, end


SHAPES = [(1, 1, 1, 2, 2), (9, 21, 4, 4, 8), (17, 33, 3, 8, 8), (12, 5, 16, 4, 16)]


@pytest.mark.parametrize(("rows", "columns", "groups", "lanes", "banks"), SHAPES)
@pytest.mark.parametrize("every_word", [False, True])
def test_words_lead_to_the_places_of_weights(rows, columns, groups, lanes, banks, every_word):
    table, row_list, column_list, vectors, mask, _ = layer(np.random.default_rng(columns), rows, columns, groups, banks)
    row_words = -(-columns // lanes)
    words = parameter_words(
        table, row_list, vectors, lanes=lanes, banks=banks, row_words=row_words, parameter_base=5, every_word=every_word
    )
    expected = list(zip(*(part.tolist() for part in weight_places(table, row_list, column_list, banks)), strict=True))
    found = []
    for number in range(len(words["row"])):
        word = {name: int(part[number]) for name, part in words.items()}
        assert word["parameter_address"] == 5 + word["row"] * row_words + word["column"] // lanes
        unmasked = [lane for lane in range(lanes) if word["mask"] >> lane & 1]
        for j, lane in enumerate(unmasked):
            address = word["weight_address"] + (word["phase"] + j) // banks
            bank = (word["turn"] + j) % banks
            found.append((word["row"], word["column"] + lane, word["group"], bank, address))
    assert found == expected
    if every_word:
        assert len(words["row"]) == rows * row_words


@pytest.mark.parametrize(("rows", "columns", "groups", "lanes", "banks"), SHAPES)
def test_there_and_back(rows, columns, groups, lanes, banks):
    rng = np.random.default_rng(rows)
    table, row_list, column_list, _, mask, end = layer(rng, rows, columns, groups, banks)
    weights = rng.integers(1, 1 << 16, (rows, columns))
    memory = np.zeros((banks, end), np.int64)
    compress(weights, table, row_list, column_list, memory)
    assert np.count_nonzero(memory) == mask.sum()
    back = np.zeros_like(weights)
    decompress(memory, table, row_list, column_list, back)
    assert (back == np.where(mask, weights, 0)).all()
