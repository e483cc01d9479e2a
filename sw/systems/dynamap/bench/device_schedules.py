"""Latencies of networks on the whole device, by the schedule of its commands."""

import functools
from collections import Counter
from typing import Any

from ....core.hardware import resolve_hardware
from ....measurement.bench import make_row
from ..compiler.choice import choose, choose_folding
from ..compiler.network_program import NetworkProgram
from .mappings import NETWORKS, PAPER_MS, told_bounds
from .weightless import weightless

__all__ = ["latency"]

# The source's arrays as devices.
PRESETS = {"googlenet": "paper", "inceptionv4": "paper-inception"}
# The source's clock, in hertz.
FREQUENCY = 286e6


def latency(name: str) -> dict[str, Any]:
    """Milliseconds from a picture's first word to the last one of the outputs, weights and poolings included."""
    program, folded = _program(name)
    milliseconds = 1e3 * program.schedule.cycles / FREQUENCY
    busy: Counter[str] = Counter()
    for issue in program.schedule.issues:
        busy[issue.task.engine] += issue.task.cycles
    engines = ", ".join(f"{engine} {cycles}" for engine, cycles in busy.items() if cycles)
    words = max(each.place + each.words for each in program.places.maps.values())
    instructions = sum(len(each.words) for each in program.inference)
    how = (
        f"{program.hardware.extent}, preset {PRESETS[name]}, at {FREQUENCY / 1e6:g} MHz: the schedule of "
        f"{len(program.tasks)} commands, {program.schedule.cycles} cycles, in which engines beside the array work "
        f"for {engines}, and whose error is model_error; weights come over the stream, feature maps stay on chip, "
        f"{words} words of them at a time; {instructions} instructions"
        f"{', the picture folded' if folded else ''}; {told_bounds(name)}"
    )
    return make_row(round(milliseconds, 3), "ms", "model", how, PAPER_MS[name])


@functools.cache
def _program(name: str) -> tuple[NetworkProgram, bool]:
    hardware, network = resolve_hardware(PRESETS[name], "dynamap"), weightless(NETWORKS[name][0])
    folded = choose_folding(hardware, network)
    computed = folded.network if folded else network
    return NetworkProgram(hardware, computed, choose(hardware, computed)), folded is not None
