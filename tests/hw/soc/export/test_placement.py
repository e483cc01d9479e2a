"""Options of nextpnr for placer and router."""

import pytest

from rewardware.hw.soc.export import placement
from rewardware.hw.soc.export.placement import algorithms, place


@pytest.mark.parametrize("constraints", [None, "FREQUENCY PORT"])
@pytest.mark.parametrize(
    ("tool", "chosen", "expected"),
    [
        ("nextpnr-ecp5", {}, ("--placer", "static", "--router", "router1")),
        ("nextpnr-ice40", {}, ("--placer", "heap", "--router", "router1")),
        ("nextpnr-ecp5", {"placer": "heap", "router": "router2"}, ("--placer", "heap", "--router", "router2")),
    ],
)
def test_placer_and_router(tool, chosen, expected, constraints, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(placement, "run_tool", lambda name, arguments, *_: asked.append((name, arguments)))
    (tmp_path / "netlist.json").write_text("{}")
    (tmp_path / "out").mkdir()
    place(tmp_path / "netlist.json", tmp_path / "out", constraints=constraints, tool=tool, **chosen)
    ((name, arguments),) = asked
    # A design for a board is routed again where it is too slow; one without has no clock to meet.
    again = ("--tmg-ripup",) if constraints and "router1" in expected else ()
    assert name == tool and " ".join((*expected, *again)) in " ".join(arguments)
    assert ("--tmg-ripup" in arguments) == bool(again)
    # A placement is kept by them.
    found = algorithms(chosen.get("placer"), chosen.get("router"), tool, constraints is not None)
    assert found == (*expected, *again)
