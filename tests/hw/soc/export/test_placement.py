"""Options of nextpnr for placer and router."""

import pytest

from rewardware.hw.soc.export import placement
from rewardware.hw.soc.export.placement import Algorithms, place


@pytest.mark.parametrize(
    ("tool", "chosen", "expected"),
    [
        ("nextpnr-ecp5", {}, ("--placer", "static", "--router", "router1")),
        ("nextpnr-ice40", {}, ("--placer", "heap", "--router", "router1")),
        ("nextpnr-ecp5", {"timing_ripup": True}, ("--placer", "static", "--router", "router1", "--tmg-ripup")),
        ("nextpnr-ecp5", {"placer": "heap", "router": "router2"}, ("--placer", "heap", "--router", "router2")),
    ],
)
def test_placer_and_router(tool, chosen, expected, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(placement, "run_tool", lambda name, arguments, *_: asked.append((name, arguments)))
    (tmp_path / "netlist.json").write_text("{}")
    (tmp_path / "out").mkdir()
    algorithms = Algorithms(**chosen)
    place(tmp_path / "netlist.json", tmp_path / "out", tool=tool, algorithms=algorithms)
    ((name, arguments),) = asked
    assert name == tool and " ".join(expected) in " ".join(arguments)
    # A placement is kept by them.
    assert algorithms.options(tool) == expected
    assert ("--tmg-ripup" in arguments) == algorithms.timing_ripup
