"""How fast the simulators of all systems are, beside an array that each machine can be measured by."""

import functools
from collections.abc import Callable
from typing import Any

from ...hw.soc.devices import load_object
from ...hw.soc.presets import list_presets
from ..measurement.bench import BenchOfPresets, make_row, say
from ..measurement.simulated_work import SimulatedWork
from ..measurement.simulation_speed import UNIT_RUNS, UNITS, empty_cache, measure_array, measure_simulator, one_core
from .descriptor import systems

__all__ = ["SimulationBench"]

# The reference speed of the array, in thousand cycles per second.
SCALE = 284
THREADS = 2
# Names of learners in the specification.
OTHER_NAMES = {("pearl_learner", "cartpole"): "dqn", ("pearl_ddpg_learner", "mountaincar"): "ddpg"}


class SimulationBench(BenchOfPresets):
    """Rows of the bench: ``sim_fixar_paper`` is of FIXAR's preset ``paper``.

    Each simulator is built in an empty cache, on one core, and runs its system's work on one core; then once more with
    two threads. Values are scaled by the speed of :class:`..measurement.unit_array.UnitArray` in the same run.
    """

    system = "simulation"
    # Scaled by the array of the same run, so that releases can be compared.
    tracked = ("sim_fixar_small", "sim_pearl_small")

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """A figure for each preset of each device."""
        found = {}
        for system in systems().values():
            for device in system.simulated_devices:
                for preset in list_presets(device):
                    name = OTHER_NAMES.get((device, preset), f"{device}_{preset}").replace("-", "_")
                    place = f"{device}, preset {preset}"
                    work = functools.partial(load_object(system.simulated_work), preset, device)
                    found[f"sim_{name}"] = functools.partial(self.speed, place, work)
        return {"sim_units": self.units, **found}

    def units(self) -> dict[str, Any]:
        """The array, unscaled."""
        how = f"unscaled: {UNITS} binary16 multiply-accumulate units as a whole, best of {UNIT_RUNS}; others are scaled"
        return make_row(round(self._unit_speed / 1e3, 1), "k cycles/s", "measured", f"{how} as if it were {SCALE}")

    @functools.cached_property
    def _unit_speed(self) -> float:
        say(f"array of {UNITS} units")
        return measure_array()

    def speed(self, place: str, work: Callable[[], SimulatedWork]) -> dict[str, Any]:
        """Simulation speed of a preset."""
        scale = SCALE / (self._unit_speed / 1e3)
        found = work()
        with empty_cache():
            with one_core():
                one = measure_simulator(found, 1)
            two = measure_simulator(found, THREADS)
        thousand = one.cycles_per_second / 1e3
        size = one.size
        design = f"{size.lines} lines of Verilog" + (
            f", {size.blocks} blocks of {size.kinds} kinds" if size.blocks else ", as a whole"
        )
        how = (
            f"{place}: {found.what}, {one.cycles} cycles; unscaled {thousand:.1f}, with {THREADS} threads "
            f"{two.cycles_per_second / 1e3:.1f}; built in {one.build_seconds:.0f} s on one core, cold; {design}"
        )
        return make_row(round(thousand * scale, 2), "k cycles/s", "measured", how)
