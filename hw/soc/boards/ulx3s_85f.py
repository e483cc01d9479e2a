"""ULX3S with an LFE5U-85F: a system behind the board's USB serial port."""

from math import gcd

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..bus.uart_bridge import UartTop
from ..bus.uart_config import UartConfig

__all__ = ["BAUD", "CLOCK_MHZ", "CONSTRAINTS", "DEVICE", "PACKAGE", "PART", "SPEED", "SYNTHESIS", "TOP", "Ulx3s85f"]

OSCILLATOR_MHZ = 25
CLOCK_MHZ = 50
BAUD = 1_000_000

# What place and route needs to know besides the pins.
PART = "lfe5u-85f"
DEVICE = "85k"
PACKAGE = "CABGA381"
SPEED = 6
# Only LUT4s: the pairs of a wider LUT would have to stand together, which crowds the placement.
SYNTHESIS = "-nowidelut"
CONSTRAINTS = "ulx3s-85f.lpf"


class Ulx3s85f(wiring.Component):
    """Top of the board: oscillator, clock generator, reset, serial port and three lights around a system.

    The clock generator makes 50 MHz of the oscillator's 25; the system is in reset until it has locked. The serial
    port runs at one million baud, 8 bits, no parity.

    Parameters
    ----------
    system : component
        With the ports of ``system_signature``.

    Members
    -------
    clk_25mhz : In(1)
        The oscillator.
    ftdi_txd : In(1)
        From the USB bridge.
    ftdi_rxd : Out(1)
        To the USB bridge.
    led : Out(8)
        0 the clock runs; 1 and 2 the wires of the serial port; 3 the interrupt, once a host has enabled it.
    """

    clk_25mhz: In(1)
    ftdi_txd: In(1)
    ftdi_rxd: Out(1)
    led: Out(8)

    def __init__(self, system):
        self.system = system
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.submodules.uart = uart = UartTop(self.system, UartConfig(divisor=CLOCK_MHZ * 1_000_000 // BAUD))
        locked = self._add_clock(m)
        # The lock comes at any time: the system leaves reset with the clock.
        reset = Signal(2, init=0b11, reset_less=True)
        m.d.sync += reset.eq(Cat(~locked, reset))
        m.d.comb += [
            ResetSignal().eq(reset[-1]),
            uart.rx.eq(self.ftdi_txd),
            self.ftdi_rxd.eq(uart.tx),
            self.led[0].eq(locked),
            self.led[1].eq(~self.ftdi_txd),
            self.led[2].eq(~uart.tx),
            self.led[3].eq(uart.interrupt),
        ]
        return m

    def _add_clock(self, m):
        """The part's phase-locked loop; its oscillator runs at 600 MHz, within the data sheet's 400 to 800."""
        locked = Signal()
        divider = 600 // CLOCK_MHZ
        common = gcd(OSCILLATOR_MHZ, CLOCK_MHZ)
        m.submodules.clock_generator = Instance(
            "EHXPLLL",
            a_FREQUENCY_PIN_CLKI=str(OSCILLATOR_MHZ),
            a_FREQUENCY_PIN_CLKOP=str(CLOCK_MHZ),
            a_ICP_CURRENT="12",
            a_LPF_RESISTOR="8",
            p_CLKI_DIV=OSCILLATOR_MHZ // common,
            p_CLKFB_DIV=CLOCK_MHZ // common,
            p_CLKOP_DIV=divider,
            p_CLKOP_CPHASE=divider // 2 - 1,
            p_CLKOP_ENABLE="ENABLED",
            p_FEEDBK_PATH="CLKOP",
            i_CLKI=self.clk_25mhz,
            i_CLKFB=ClockSignal(),
            i_RST=Const(0),
            i_STDBY=Const(0),
            i_PHASESEL0=Const(0),
            i_PHASESEL1=Const(0),
            i_PHASEDIR=Const(1),
            i_PHASESTEP=Const(1),
            i_PHASELOADREG=Const(1),
            i_PLLWAKESYNC=Const(0),
            i_ENCLKOP=Const(0),
            o_CLKOP=ClockSignal(),
            o_LOCK=locked,
        )
        return locked


TOP = Ulx3s85f
