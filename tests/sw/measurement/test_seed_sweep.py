import threading
from pathlib import Path

import pytest

from rewardware.hw.soc.export.placement import Placement
from rewardware.hw.soc.export.tools import ToolError
from rewardware.sw.measurement.seed_sweep import sweep_line, sweep_seeds
from rewardware.sw.measurement.tool_cache import Placed


def placer(*clocks):
    """Gives each seed its clock, or its error."""

    def place(seed):
        if isinstance(clocks[seed - 1], Exception):
            raise clocks[seed - 1]
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
        "failed_seeds": [],
    }
    assert sweep_line(described) == "4 seeds: 64.0 to 81.5 MHz, the best with seed 2"


def test_only_so_many_seeds_are_placed():
    assert list(sweep_seeds(placer(50.0, 60.0, 99.0), 2).placements) == [1, 2]


def test_a_seed_that_fails_does_not_end_the_others(caplog):
    sweep = sweep_seeds(placer(50.0, ToolError("ran longer than its limit"), 60.0, ToolError("failed")), 4)
    assert list(sweep.placements) == [1, 3] and sweep.best_seed == 3
    assert sweep.describe()["failed_seeds"] == [2, 4]
    assert sweep_line(sweep.describe()) == "2 seeds: 50.0 to 60.0 MHz, the best with seed 3; failed: 2, 4"
    assert "seed 2: ran longer than its limit" in caplog.text


def test_seeds_are_placed_side_by_side_and_told_in_their_order():
    place, order = placer(50.0, 60.0, ToolError("failed"), 40.0), []
    together, ended = threading.Barrier(2, timeout=60), {2: threading.Event(), 4: threading.Event()}

    def placed(seed):
        together.wait()
        # Two at a time, of which the second ends first.
        if seed % 2:
            assert ended[seed + 1].wait(60)
        order.append(seed)
        if seed in ended:
            ended[seed].set()
        return place(seed)

    sweep = sweep_seeds(placed, 4, jobs=2)
    assert order == [2, 1, 4, 3]
    assert (list(sweep.placements), sweep.failed, sweep.best_seed) == ([1, 2, 4], (3,), 2)


def test_where_all_seeds_fail_the_first_error_is_raised():
    with pytest.raises(ToolError, match="first"):
        sweep_seeds(placer(ToolError("first"), ToolError("second")), 2)


def test_errors_of_other_kinds_end_a_sweep():
    with pytest.raises(KeyError):
        sweep_seeds(placer(50.0, KeyError("a defect")), 2)


def test_a_design_without_a_clock_has_a_best_seed():
    assert sweep_seeds(placer(None, None), 2).best_seed == 1


def test_no_seed_is_refused():
    with pytest.raises(ValueError, match="Seeds must be at least 1, not 0"):
        sweep_seeds(placer(), 0)
    with pytest.raises(ValueError, match="Jobs must be at least 1, not 0"):
        sweep_seeds(placer(50.0), 1, jobs=0)
