"""Layers for tests: corner cases first, then random ones."""

import numpy as np


def layers(config, random, count):
    """``(group of each row, groups of the columns of each core, groups)``."""
    most, core = config.rows, config.core_columns
    sizes = [
        (1, [1] + [0] * (config.cores - 1), 1),
        (1, [0] * (config.cores - 1) + [1], config.groups),
        (most, [core] * config.cores, 1),
        (most, [core] * config.cores, config.groups),
        (most, [1] * config.cores, 2),
        (1, [core] * config.cores, 2),
    ]
    for number in range(count):
        if number < len(sizes):
            rows, columns, groups = sizes[number]
        else:
            rows = int(random.integers(1, most + 1))
            columns = [int(random.integers(0, core + 1)) for _ in range(config.cores)]
            columns[int(random.integers(config.cores))] += not any(columns)
            groups = int(random.integers(1, config.groups + 1))
        used = int(random.integers(1, groups + 1)) if number % 3 else groups
        chosen = random.permutation(groups)[:used]
        yield random.choice(chosen, rows), [random.integers(0, groups, own) for own in columns], groups


def everything_in_one(rows, columns, group):
    """All rows and columns in ``group``."""
    return np.full(rows, group), [np.full(own, group) for own in columns]
