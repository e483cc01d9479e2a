import pytest

from rewardware.hw.soc.bus.interfaces import BusInterface


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"protocol": "axi3"}, "Protocol of bus must be one of axi4lite, axi4stream, axi4, not 'axi3'"),
        ({"mode": "monitor"}, "Mode of bus must be one of slave, master, not 'monitor'"),
    ],
)
def test_what_it_cannot_be_is_refused(wrong, message):
    right = {
        "name": "bus",
        "protocol": "axi4",
        "mode": "slave",
        "ports": {},
        "clock": "c",
        "reset": "r",
        "data_width": 8,
    }
    with pytest.raises(ValueError, match=message):
        BusInterface(**right | wrong)
