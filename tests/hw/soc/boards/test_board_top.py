"""The one top on every board: its pins are those of amaranth-boards, and its Verilog is whole."""

import dataclasses
import re
from fractions import Fraction

import pytest

from rewardware.hw.soc.boards.board import find_board, load_boards
from rewardware.hw.soc.boards.board_top import board_files
from rewardware.hw.soc.export.tools import run_tool

from .built import built, pins_by_port, ports_of_top, system_verilog

LOOPS = {"ecp5": "EHXPLLL", "ice40": "SB_PLL40_PAD", "xc7": "MMCME2_BASE", "intel": "altera_pll"}
# Yosys' files with the cells of each family; those of Quartus that it lacks are below.
LIBRARIES = {
    "ulx3s-85f": "+/lattice/cells_sim_ecp5.v +/lattice/cells_bb_ecp5.v",
    "icebreaker": "+/ice40/cells_sim.v",
    "genesys2": "+/xilinx/cells_sim.v +/xilinx/cells_xtra.v",
    "de10-nano": "stubs.v",
}
QUARTUS_CELLS = """
module altiobuf_in(input datain, output dataout);
  parameter enable_bus_hold = "FALSE", use_differential_mode = "FALSE", number_of_channels = 1;
endmodule
module altiobuf_out(input datain, input oe, output dataout);
  parameter enable_bus_hold = "FALSE", use_differential_mode = "FALSE", use_oe = "FALSE", number_of_channels = 1;
endmodule
module altera_pll(input refclk, input rst, output outclk, output locked);
  parameter fractional_vco_multiplier = "false", operation_mode = "direct", number_of_clocks = 1,
    reference_clock_frequency = "0 ps", output_clock_frequency0 = "0 ps", phase_shift0 = "0 ps", duty_cycle0 = 50;
endmodule
"""


def physical(platform, ios):
    """Pins of a resource or of a part of it."""
    pins = [ios.p, ios.n] if hasattr(ios, "p") else [ios]
    return [platform._conn_pins.get(name, name) for part in pins for name in part.names]


@pytest.mark.parametrize("name", load_boards())
def test_every_port_has_the_pin_that_the_platform_says(name):
    board = find_board(name)
    platform = board.make_platform()
    pins = pins_by_port(board)
    assert set(pins) == set(ports_of_top(board))
    clock = physical(platform, platform.lookup(platform.default_clk).ios[0])
    if board.uart is None:
        serial = {part.name: physical(platform, part.ios[0]) for part in platform.lookup("uart").ios}
    else:
        connector = ":".join([f"{board.uart.connector[0]}_{board.uart.connector[1]}", ""])
        serial = {
            "rx": [platform._conn_pins[connector + board.uart.receive]],
            "tx": [platform._conn_pins[connector + board.uart.transmit]],
        }
    assert [pins["uart_0__rx__io"]] == serial["rx"] and [pins["uart_0__tx__io"]] == serial["tx"]
    # The platform's own conversion names the pins in its constraints; the rest are reset and lights.
    assert [pin for port, pin in pins.items() if port.startswith(platform.default_clk)] == clock
    lights = [number for kind, number in platform.resources if kind == board.leds]
    assert bool(lights) == (board.leds is not None)
    rest = {port for port in pins if not port.startswith(("uart", platform.default_clk))}
    assert {port.partition("_0__")[0] for port in rest if port.startswith("rst")} == (
        {"rst"} if platform.default_rst else set()
    )
    assert len([port for port in rest if not port.startswith("rst")]) == len(lights) * (
        3 if board.leds == "rgb_led" else 1
    )


@pytest.mark.parametrize(
    ("name", "receives", "sends"),
    [
        ("orangecrab-25f", "N17", "M18"),
        ("orangecrab-85f", "N17", "M18"),
        ("de1-soc", "AC18", "Y17"),
        ("de0-cv", "N16", "B16"),
    ],
)
def test_the_serial_pins_of_boards_without_a_bridge(name, receives, sends):
    pins = pins_by_port(find_board(name))
    assert (pins["uart_0__rx__io"], pins["uart_0__tx__io"]) == (receives, sends)


def test_the_pins_of_the_ulx3s():
    lights = dict(zip((f"led_{index}__io" for index in range(8)), "B2 C2 C1 D2 D1 E2 E1 H3".split(), strict=True))
    wires = {"clk25_0__io": "G2", "uart_0__rx__io": "M1", "uart_0__tx__io": "L4"}
    assert pins_by_port(find_board("ulx3s-85f")) == wires | lights
    constraints = built("ulx3s-85f").files["ulx3s_85f.lpf"]
    assert 'FREQUENCY PORT "clk25_0__io" 25000000.0 HZ;' in constraints
    assert "MCCLK_FREQ=62 SLAVE_SPI_PORT=DISABLE MASTER_SPI_PORT=ENABLE" in constraints


# By family, oscillator and clock in MHz by the parameters of the loop.
CLOCKS = {
    "ecp5": lambda of: (
        Fraction(of["FREQUENCY_PIN_CLKI"]),
        Fraction(of["FREQUENCY_PIN_CLKI"]) * int(of["CLKFB_DIV"]) / int(of["CLKI_DIV"]),
    ),
    "ice40": lambda of: (
        12, Fraction(12 * (int(of["DIVF"], 16) + 1), (int(of["DIVR"], 16) + 1) << int(of["DIVQ"], 16)),
    ),
    "xc7": lambda of: (
        1000 / Fraction(of["CLKIN1_PERIOD"]),
        1000 / Fraction(of["CLKIN1_PERIOD"]) / int(of["DIVCLK_DIVIDE"])
        * Fraction(of["CLKFBOUT_MULT_F"]) / Fraction(of["CLKOUT0_DIVIDE_F"]),
    ),
    "intel": lambda of: tuple(
        Fraction(of[name].removesuffix(" MHz")) for name in ("reference_clock_frequency", "output_clock_frequency0")
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "clock_mhz"), [("ulx3s-85f", 65), ("icebreaker", 30), ("genesys2", 99), ("de10-nano", 65)]
)
def test_another_clock_comes_from_the_loop_and_sets_the_baud_rate(name, clock_mhz):
    board = find_board(name)
    other = dataclasses.replace(board, clock_mhz=clock_mhz)
    assert other.divisor == round(clock_mhz * 1e6 / board.baud)
    verilog = board_files(other, system_verilog(board)).files[f"{board.module}.v"]
    attributes, parameters = re.search(
        rf"((?:^ +\(\* .* \*\)\n)*)^ +{LOOPS[board.family]} #\((.*?)\n  \)", verilog, re.M | re.S
    ).groups()
    given = dict(re.findall(r'(\w+) = "(.*?)"', attributes))
    given |= dict(re.findall(r"""\.(\w+)\((?:\d+'[dh])?"?([^"]*?)"?\)""", parameters))
    oscillator_mhz = board.make_platform().default_clk_frequency / 1e6
    assert CLOCKS[board.family](given) == (oscillator_mhz, clock_mhz)
    if board.family == "ecp5":
        # The multiple that comes nearest to the middle of 400 to 800 MHz, where the loop's oscillator works.
        assert int(given["CLKOP_DIV"]) == 9
        assert int(given["CLKOP_CPHASE"]) == int(given["CLKOP_DIV"]) // 2 - 1 and given["FREQUENCY_PIN_CLKOP"] == "65"


def test_yosys_reads_the_tops_with_the_cells_of_their_families(tmp_path):
    (tmp_path / "stubs.v").write_text(QUARTUS_CELLS)
    script = []
    for name, library in LIBRARIES.items():
        # With the loop, whatever the oscillator has.
        board = dataclasses.replace(find_board(name), clock_mhz=60)
        for file, text in board_files(board, system_verilog(board)).files.items():
            (tmp_path / file).write_text(text)
        files = f"{board.module}.v {board.module}_system.v"
        script += [
            "design -reset", f"read_verilog -lib {library}", f"read_verilog {files}",
            f"hierarchy -check -top {board.module}", "proc", "check -assert",
            f"select -assert-count 1 t:{board.module}_system", f"select -assert-count 1 */t:{LOOPS[board.family]}",
        ]  # fmt: skip
    (tmp_path / "check.ys").write_text("\n".join(script) + "\n")
    run_tool("yosys", ["-q", "check.ys"], tmp_path, "check.log")


def test_a_clock_that_cannot_be_made_is_refused():
    board = dataclasses.replace(find_board("orangecrab-85f"), clock_mhz=53)
    with pytest.raises(
        ValueError, match="Clock must be one that the part can make of the board's 48 MHz .*, not 53 MHz"
    ):
        board_files(board, system_verilog(board))
