"""The top of every board: oscillator, clock generator, reset, serial port and lights around a system."""

import json
from dataclasses import dataclass

from amaranth.build import Attrs, Pins, Resource, Subsignal
from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Instance, Module, ResetSignal, Signal
from amaranth.lib import io

from .clock_generator import ClockGenerator

__all__ = ["BoardFiles", "BoardTop", "board_files", "system_module"]


class BoardTop(Elaboratable):
    """Connects a system behind a UART, which is Verilog already, to a board.

    The clock generator makes the board's clock of the oscillator; the system is in reset until it has locked, and while
    the board's reset button is held, where the platform has one. Lights: 0 the clock runs; 1 and 2 the wires of the
    serial port; 3 the interrupt, once a host has enabled it; what more a board has stays dark. A board with fewer has
    the first ones.

    ::

        oscillator -> ClockGenerator -> clk -.
                          | locked           v
        reset ------------+--> reset -> +--------+ interrupt, wires -> lights
                                        | system |
        receive ----------------------> +--------+ -> transmit

    Parameters
    ----------
    board : Board
    system : str
        Module of the system, with the ports of :class:`~rewardware.hw.soc.bus.uart_bridge.UartTop`.
    """

    def __init__(self, board, system):
        self.board = board
        self.system = system

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.submodules.clock_generator = generator = ClockGenerator(
            self.board.family,
            platform.request(platform.default_clk, dir="-"),
            oscillator_mhz=platform.default_clk_frequency / 1e6,
            clock_mhz=self.board.clock_mhz,
        )
        held = Signal()
        if platform.default_rst is not None:
            m.submodules.reset_buffer = button = io.Buffer("i", platform.request(platform.default_rst, dir="-"))
            m.d.comb += held.eq(button.i)
        # Lock and button come at any time: the system leaves reset with the clock.
        reset = Signal(2, init=0b11, reset_less=True)
        m.d.sync += reset.eq(Cat(~generator.locked | held, reset))
        m.d.comb += [ClockSignal().eq(generator.clock), ResetSignal().eq(reset[-1])]

        serial = platform.request("uart", 0, dir="-")
        m.submodules.receive = receive = io.Buffer("i", serial.rx)
        m.submodules.transmit = transmit = io.Buffer("o", serial.tx)
        interrupt = Signal()
        m.submodules.system = Instance(
            self.system,
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_rx=receive.i,
            o_tx=transmit.o,
            o_interrupt=interrupt,
        )
        states = [generator.locked, ~receive.i, ~transmit.o, interrupt]
        for number, port in enumerate(self._lights(platform)):
            m.submodules[f"light_{number}"] = light = io.Buffer("o", port)
            m.d.comb += light.o.eq(states[number] if number < len(states) else 0)
        return m

    def _lights(self, platform):
        """Ports of the board's lights, one each."""
        numbers = [number for name, number in platform.resources if name == self.board.leds]
        for number in numbers:
            light = platform.request(self.board.leds, number, dir="-")
            yield from [light] if hasattr(light, "direction") else vars(light).values()


@dataclass(frozen=True, kw_only=True)
class BoardFiles:
    """Files that a platform makes of a top, and the commands that build them.

    Parameters
    ----------
    files : dict
        Text by name: Verilog of top and system, constraints, and what the vendor's tool is told.
    commands : list
        Commands of the tools, each a list of words, as the platform would start them.
    """

    files: dict[str, str]
    commands: list[list[str]]


def system_module(board):
    """Name of the module of the system in a board's build."""
    return f"{board.module}_system"


def board_files(board, system_verilog):
    """All files of a build.

    Parameters
    ----------
    board : Board
    system_verilog : str
        Verilog of the system behind a UART, its top named by :func:`system_module`.

    Returns
    -------
    BoardFiles

    Raises
    ------
    ValueError
        The clock generator cannot make the board's clock.
    """
    platform = board.make_platform()
    if board.uart is not None:
        pins, connector = board.uart, board.uart.connector
        receive = Subsignal("rx", Pins(pins.receive, dir="i", conn=connector))
        transmit = Subsignal("tx", Pins(pins.transmit, dir="o", conn=connector))
        platform.add_resources([Resource("uart", 0, receive, transmit, Attrs(**pins.attributes))])
    name = board.module
    platform.add_file(f"{system_module(board)}.v", system_verilog)
    plan = platform.prepare(
        BoardTop(board, system_module(board)), name, emit_src=False, debug_verilog=True, **board.settings
    )
    files = {file: text for file, text in plan.files.items() if isinstance(text, str)}
    commands = json.loads(files.pop(f"build_{name}.json"))["commands"]
    # Platforms of open tools read RTLIL, and write Verilog to be looked at.
    debug = files.pop(f"{name}.debug.v")
    files.setdefault(f"{name}.v", debug)
    return BoardFiles(files=files, commands=commands)
