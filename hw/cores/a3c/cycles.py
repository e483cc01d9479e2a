"""Cycles of the engines' jobs, as their sequencers count them. No Amaranth here."""

from .config import READ_LATENCY, A3CConfig

__all__ = ["backward_cycles", "forward_cycles", "gradient_cycles"]


def forward_cycles(config: A3CConfig) -> int:
    """Cycles from one job of a forward engine to the next: words, passes that are filled up, waits for rows."""
    arithmetic = config.arithmetic
    levels = (config.width - 1).bit_length()
    # From the decision to read a word until a row with the output that it completes can be decided to be read.
    latency = 1 + READ_LATENCY + arithmetic.multiplier_depth + (levels + 1) * arithmetic.adder_depth + 1
    now, there = 0, [0] * config.layers[0].blocks
    for layer in config.layers:
        for block in range(layer.blocks):
            # The first word of biases is read while the row is waited for.
            begin = now = max(now + (block == 0), there[block])
            last = block == layer.blocks - 1
            taken = layer.outputs if last else max(layer.outputs, arithmetic.adder_depth)
            now += taken + (layer.groups - 1 if block == 0 else 0)
            if last:
                ends = [min((group + 1) * config.width, layer.outputs) - 1 for group in range(layer.groups)]
                # If the first block is also the last, words of biases are between its outputs.
                between = range(layer.groups) if block == 0 else [0] * layer.groups
                there = [begin + end + biases + latency for end, biases in zip(ends, between, strict=True)]
    return now


def backward_cycles(config: A3CConfig, steps: int) -> int:
    """Cycles from one job of a backward engine, with so many steps, to the next."""
    depth = config.arithmetic.adder_depth
    # From the decision to read until a row with the sum can be decided to be read.
    latency = 2 + READ_LATENCY + config.arithmetic.multiplier_depth + depth + 1
    now, there = 0, [0] * config.layers[-1].groups
    for layer in config.layers[:0:-1]:
        sums = layer.blocks * steps
        for output in range(layer.outputs):
            if output % config.width == 0:
                now = max(now, there[output // config.width])
            begin = now
            now += sums if output == layer.outputs - 1 else max(sums, depth)
        there = [begin + (block + 1) * steps - 1 + latency for block in range(layer.blocks)]
    return now


def gradient_cycles(config: A3CConfig, steps: int) -> int:
    """Cycles from one job of the gradient unit, with so many steps, to the next, while its words are taken at once.

    With fewer steps than gradient engines words are formed faster than one a cycle, which is more than leave it.
    """
    depth = config.arithmetic.adder_depth

    def sweep(places: int) -> int:
        return (steps - 1) * max(places, depth) + places

    rows = ((-(-layer.outputs // config.gradient_engines), layer) for layer in config.layers)
    return sum(count * sweep(layer.blocks) + sweep(layer.groups) for count, layer in rows)
