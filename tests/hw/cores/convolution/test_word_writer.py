"""Words of rows of totals, wherever a command has them go, against the reference of requantisation."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.word_writer import WordWriter
from rewardware.hw.cores.convolution.word_writer_config import WordWriterConfig
from rewardware.hw.cores.memory.config import UnalignedConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.convolution.requantization import requantize

from .nests import nest

COMMANDS = 60
# Numbers of lines and elements are small here, so that pictures end at each of their bits.
CONFIGS = {
    "one plane": {"lanes": 4, "features": UnalignedConfig(lanes=5, rows=64), "levels": 3},
    "three planes": {"lanes": 3, "features": UnalignedConfig(lanes=3, rows=128, width=6), "levels": 5, "planes": 3},
}


def splits(rng, number, levels):
    """Counts of loops, of ``number`` iterations in all."""
    counts = [1] * levels
    for factor in (2, 2, 2, 3, 3, 5, 7):
        if number % factor == 0:
            counts[rng.integers(levels)] *= factor
            number //= factor
    counts[rng.integers(levels)] *= number
    return counts


def drawn_nest(config, rng, number, limits):
    """Loops over as many places whose numbers stay below ``limits``; fields that have none take any number."""
    counts = splits(rng, number, config.levels)
    first, steps = {}, [{} for _ in counts]
    for field in config.fields:
        most = field.radix or 1 << field.width
        left = limits.get(field.name, most) - 1
        first[field.name] = int(rng.integers(0, left + 1))
        left -= first[field.name]
        for count, step in zip(counts, steps, strict=True):
            if field.name not in limits:
                step[field.name] = int(rng.integers(-most, most))
            elif count > 1:
                step[field.name] = int(rng.integers(0, left // (count - 1) + 1))
                left -= (count - 1) * step[field.name]
    return nest(config, first, counts, steps)


def turned_rows(words, config, block):
    """Rows of words of whole blocks, as they leave a block that is turned: plane by plane, its columns."""
    planes, columns = block["planes"] + 1, block["columns"] + 1
    blocks = words.reshape(-1, config.lanes, planes, config.lanes)
    return blocks.transpose(0, 2, 3, 1)[:, :, :columns].reshape(-1, config.lanes)


def command_of(config, rng, parameters):
    """A command, its rows of totals, and what is written: whose lanes, where, which words, which were saturated."""
    turned = int(rng.integers(2))
    block = {"planes": int(rng.integers(config.planes)), "columns": int(rng.integers(config.lanes))}
    if not turned or config.planes == 1:
        block = {"planes": 0, "columns": config.lanes - 1}
    planes, columns = block["planes"] + 1, block["columns"] + 1
    many = int(rng.integers(1, 9))
    rows = many * planes * config.lanes if turned else many
    target, shift = config.target, int(rng.integers(0, 12))
    rectifies = int(rng.integers(2))
    loops, places = drawn_nest(config.parameters, rng, rows, {})
    limits = {"line": 1 << target.line_width - 1, "element": (1 << target.element_width - 1) - config.lanes}
    goes_to, written = drawn_nest(target.nest, rng, many * planes * columns if turned else rows, limits)
    totals = rng.integers(-(1 << rng.integers(5, 18)), 1 << rng.integers(5, 18), (rows, config.lanes))
    biases, multipliers = parameters
    words, saturated = (np.zeros((rows, config.lanes), np.int64) for _ in range(2))
    for row, place in enumerate(places):
        at = place["values"]
        lanes = [at["word"]] * config.lanes if turned else range(config.lanes)
        for lane, of in enumerate(lanes):
            word, clamped = requantize(
                totals[row, lane : lane + 1],
                bias=int(biases[at["row"], of]),
                multiplier=int(multipliers[at["row"], of]),
                shift=shift,
                rectified=bool(rectifies),
                output_width=config.features.width,
                accumulator_width=config.sum_width,
            )
            words[row, lane], saturated[row, lane] = word[0], clamped
    if turned:
        words, saturated = (turned_rows(one, config, block) for one in (words, saturated))
    # Edges of the picture lie among the places.
    height, pitch = int(rng.integers(0, limits["line"])), int(rng.integers(0, 1 << target.element_width - 1))
    beats = []
    for place, row, clamped in zip(written, words, saturated, strict=True):
        at = place["values"]
        inside = [
            at["line"] < height and at["element"] + lane < pitch and lane < at["rest"] for lane in range(config.lanes)
        ]
        if any(inside):
            enable = sum(is_in << lane for lane, is_in in enumerate(inside))
            kept = [int(word) if is_in else 0 for word, is_in in zip(row, inside, strict=True)]
            beats.append(
                [at["row"], at["lane"], enable, kept, sum(int(c) << lane for lane, c in enumerate(clamped)) & enable]
            )
    command = {
        "turned": turned, "parameters": loops, "shift": shift, "rectifies": rectifies,
        "target": {"nest": goes_to, "height": height, "pitch": pitch},
    }  # fmt: skip
    return {
        "command": command | ({"block": block} if config.planes > 1 else {}),
        "totals": totals.tolist(),
        "beats": beats,
    }


@pytest.mark.parametrize("name", CONFIGS)
def test_words_go_where_commands_say(name):
    config = WordWriterConfig(sum_width=18, parameter_rows=8, line_width=5, element_width=7, **CONFIGS[name])
    rng = np.random.default_rng(config.lanes)
    parameters = (
        rng.integers(-(1 << 17), 1 << 17, (8, config.lanes)) >> rng.integers(0, 17, (8, config.lanes)),
        rng.integers(0, 1 << 16, (8, config.lanes)) >> rng.integers(0, 16, (8, config.lanes)),
    )
    runs = [command_of(config, rng, parameters) for _ in range(COMMANDS)]
    assert {run["command"]["turned"] for run in runs} == {0, 1}
    assert any(beat[4] for run in runs for beat in run["beats"])
    simulate(
        WordWriter(config),
        bench="tests.hw.cores.convolution.bench_word_writer",
        parameters={"config": config, "runs": runs, "parameters": [rows.tolist() for rows in parameters]},
        after_noise=True,
    )
