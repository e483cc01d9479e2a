import re

import pytest
from amaranth_boards.ulx3s import ULX3S_85F_Platform

from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.boards import ulx3s_85f
from rewardware.hw.soc.target.parts import CONSTRAINTS
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig


@pytest.fixture(scope="module")
def row_memory_verilog():
    return emit(ulx3s_85f.Ulx3s85f(RowMemory(RowMemoryConfig())), "ulx3s_85f")


def pins():
    """Port to site, from the constraints."""
    text = (CONSTRAINTS / ulx3s_85f.CONSTRAINTS).read_text()
    return dict(re.findall(r'LOCATE COMP "(\S+)" SITE "(\w+)"', text))


def test_pins_are_those_of_the_board():
    platform = ULX3S_85F_Platform()
    board = {"clk_25mhz": platform.resources["clk25", 0].ios[0].names[0]}
    serial = {signal.name: signal.ios[0].names[0] for signal in platform.resources["uart", 0].ios}
    board |= {"ftdi_txd": serial["rx"], "ftdi_rxd": serial["tx"]}
    board |= {f"led[{index}]": platform.resources["led", index].ios[0].names[0] for index in range(8)}
    assert pins() == board
    assert platform.device.lower() == ulx3s_85f.PART


def test_every_port_of_the_top_has_a_pin(row_memory_verilog):
    header = re.search(r"^module ulx3s_85f\((.*?)\);", row_memory_verilog, re.MULTILINE | re.DOTALL)
    ports = {name.strip() for name in header[1].split(",")}
    assert ports == {name.partition("[")[0] for name in pins()}


def test_the_clock_generator_makes_the_stated_clock(row_memory_verilog):
    divisors = dict(re.findall(r"\.(CLKI_DIV|CLKFB_DIV|CLKOP_DIV)\((?:32'd)?(\d+)\)", row_memory_verilog))
    oscillator = ulx3s_85f.OSCILLATOR_MHZ / int(divisors["CLKI_DIV"]) * int(divisors["CLKFB_DIV"])
    assert oscillator == ulx3s_85f.CLOCK_MHZ
    assert 400 <= oscillator * int(divisors["CLKOP_DIV"]) <= 800
