from pathlib import Path

import pytest

from rewardware.hw.soc.export.placement import Placement
from rewardware.sw.measurement.seed_sweep import sweep_line, sweep_seeds
from rewardware.sw.measurement.tool_cache import Placed


def placer(*clocks):
    """Gives each seed its clock."""

    def place(seed):
        placement = Placement(frequency=clocks[seed - 1], clocks={}, utilization={}, critical_path=None)
        return Placed(placement, Path(f"seed_{seed}"))

    return place


def test_the_best_seed_is_kept_and_the_spread_said():
    sweep = sweep_seeds(placer(70.004, 81.5, 64.0, 81.5), 4)
    assert (sweep.best_seed, sweep.best.folder) == (2, Path("seed_2"))
    described = sweep.describe()
    assert described == {
        "best_seed": 2,
        "spread_mhz": [64.0, 81.5],
        "seeds_mhz": {1: 70.0, 2: 81.5, 3: 64.0, 4: 81.5},
    }
    assert sweep_line(described) == "4 seeds: 64.0 to 81.5 MHz, the best with seed 2"


def test_only_so_many_seeds_are_placed():
    assert list(sweep_seeds(placer(50.0, 60.0, 99.0), 2).placements) == [1, 2]


def test_a_design_without_a_clock_has_a_best_seed():
    assert sweep_seeds(placer(None, None), 2).best_seed == 1


def test_no_seed_is_refused():
    with pytest.raises(ValueError, match="Seeds must be at least 1, not 0"):
        sweep_seeds(placer(), 0)
