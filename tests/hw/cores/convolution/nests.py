"""Commands of loop nests, and what must come of them: loops written out."""

import itertools

from rewardware.hw.cores.convolution.loop_nest_config import jumps


def nest(config, first, counts, steps):
    """A command, and what must come of it: values and ends."""
    expected = []
    for indexes in itertools.product(*(range(count) for count in counts)):
        number = {
            field.name: first[field.name]
            + sum(i * step.get(field.name, 0) for i, step in zip(indexes, steps, strict=True))
            for field in config.fields
        }
        for digit, following in itertools.pairwise(config.fields):
            if digit.radix is not None:
                place = number[following.name] * digit.radix + number[digit.name]
                number |= {digit.name: place % digit.radix, following.name: place // digit.radix}
        values = {f.name: number[f.name] % (1 << f.width) for f in config.fields}
        over = [index + 1 == count for index, count in zip(indexes, counts, strict=True)]
        ends = sum(all(over[level:]) << level for level in range(config.levels))
        expected.append({"values": values, "ends": ends})
    return {"first": first, "counts": counts, "jumps": jumps(config, counts, steps)}, expected
