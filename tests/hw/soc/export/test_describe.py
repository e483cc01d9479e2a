import pytest

from .descriptions import CORE, SYSTEMS, description_of


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_has_its_buses(name):
    description = description_of(name)
    assert [(bus.name, bus.protocol, bus.mode) for bus in description.interfaces] == [
        ("s_axi_ctrl", "axi4lite", "slave"),
        ("s_axis", "axi4stream", "slave"),
        ("m_axis", "axi4stream", "master"),
    ]
    control, arriving, _ = description.interfaces
    assert control.address_width == description.port("s_axi_ctrl_awaddr").width == description.address_map.address_width
    assert arriving.data_width == description.port("s_axis_tdata").width
    assert control.ports["AWADDR"] == "s_axi_ctrl_awaddr" and arriving.ports["TLAST"] == "s_axis_tlast"
    # Each port is a clock, a reset, an interrupt or a part of one interface.
    named = [part.port for part in (*description.clocks, *description.resets, *description.interrupts)]
    named += [port for bus in description.interfaces for port in bus.ports.values()]
    assert sorted(named) == sorted(port.name for port in description.ports)
    assert description.clocks[0].interfaces == ("s_axi_ctrl", "s_axis", "m_axis")
    assert description.library == "systems" and description.interface("s_axis") == arriving


def test_a_core_has_ports_a_clock_and_a_reset():
    description = description_of(CORE)
    assert {(port.name, port.direction, port.width) for port in description.ports} >= {
        ("clk", "in", 1),
        ("rst", "in", 1),
        ("word", "in", 32),
    }
    assert [clock.port for clock in description.clocks] == ["clk"]
    assert [(reset.port, reset.active_low, reset.clock) for reset in description.resets] == [("rst", False, "clk")]
    assert not description.interfaces and description.address_map is None and description.library == "cores"


@pytest.mark.parametrize("what", ["port", "interface"])
def test_what_is_not_there_is_named(what):
    with pytest.raises(KeyError, match=f"{CORE} has no {what} 'other'"):
        getattr(description_of(CORE), what)("other")
