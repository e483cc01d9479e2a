"""Options of nextpnr for placer and router."""

import pytest

from rewardware.hw.soc.export import placement
from rewardware.hw.soc.export.placement import algorithms, place


# A design for a board is routed again where it is too slow, whatever the router; one without has no clock to meet.
@pytest.mark.parametrize(("constraints", "again"), [(None, ()), ("FREQUENCY PORT", ("--tmg-ripup",))])
@pytest.mark.parametrize(
    ("tool", "chosen", "expected"),
    [
        ("nextpnr-ecp5", {}, ("--placer", "static", "--router", "router1")),
        ("nextpnr-ice40", {}, ("--placer", "heap", "--router", "router1")),
        ("nextpnr-ecp5", {"placer": "heap", "router": "router2"}, ("--placer", "heap", "--router", "router2")),
    ],
)
def test_placer_and_router(tool, chosen, expected, constraints, again, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(placement, "run_tool", lambda name, arguments, *_: asked.append((name, arguments)))
    (tmp_path / "netlist.json").write_text("{}")
    (tmp_path / "out").mkdir()
    place(tmp_path / "netlist.json", tmp_path / "out", constraints=constraints, tool=tool, **chosen)
    ((name, arguments),) = asked
    assert name == tool and " ".join((*expected, *again)) in " ".join(arguments)
    assert ("--tmg-ripup" in arguments) == bool(again)
    # A placement is kept by them.
    found = algorithms(chosen.get("placer"), chosen.get("router"), tool, constraints is not None)
    assert found == (*expected, *again)
