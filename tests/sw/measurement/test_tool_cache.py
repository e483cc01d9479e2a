"""Placements in the cache are told apart by all that makes them differ."""

import pytest

from rewardware.hw.soc.export.placement import Algorithms
from rewardware.sw.measurement import tool_cache


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Options of each placement, in place of making it, and keys under which they were kept."""
    options, keys = [], []

    def build_once(_, key, build, __):
        keys.append(key)
        build(tmp_path)
        return tmp_path

    monkeypatch.setattr(tool_cache, "build_once", build_once)
    monkeypatch.setattr(tool_cache, "place", lambda *_, **chosen: options.append(chosen))
    monkeypatch.setattr(tool_cache, "read_placement", lambda _: None)
    monkeypatch.setattr(tool_cache, "tool_version", lambda tool: f"{tool} 1")
    return options, keys


CHOICES = (
    {}, {"algorithms": Algorithms(placer="heap")}, {"algorithms": Algorithms(router="router2")},
    {"algorithms": Algorithms(timing_ripup=True)}, {"seed": 2}, {"frequency": 65.0}, {"constraints": "FREQUENCY PORT"},
    {"tool": "nextpnr-ice40"},
)  # fmt: skip


def test_every_option_makes_another_placement(made, tmp_path):
    options, keys = made
    for chosen in CHOICES:
        tool_cache.place_once(tool_cache.Synthesised(None, tmp_path), **chosen)
        assert chosen.items() <= options[-1].items()
    assert len(set(keys)) == len(CHOICES)
