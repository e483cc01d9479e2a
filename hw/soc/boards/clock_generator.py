"""Clock generators: what the families make of a board's oscillator."""

from fractions import Fraction

from amaranth.hdl import Const, Instance, Module, Signal
from amaranth.lib import io, wiring
from amaranth.lib.wiring import Out

__all__ = ["GENERATORS", "ClockGenerator", "can_make"]


class ClockGenerator(wiring.Component):
    """Makes the clock of a system of its board's oscillator, by the phase-locked loop of the family.

    An oscillator that has the frequency already is taken as it is.

    Parameters
    ----------
    family : str
        One of :data:`GENERATORS`.
    port : object
        The oscillator's port, of the platform.
    oscillator_mhz : int, float or Fraction
    clock_mhz : int

    Members
    -------
    clock : Out(1)
    locked : Out(1)
        The clock is there and stable.

    Raises
    ------
    ValueError
        The loop cannot make the frequency.
    """

    clock: Out(1)
    locked: Out(1)

    def __init__(self, family, port, *, oscillator_mhz, clock_mhz):
        self.port = port
        self.oscillator_mhz = Fraction(oscillator_mhz)
        self.clock_mhz = clock_mhz
        self._add_loop = None
        if self.oscillator_mhz != clock_mhz:
            self._add_loop = GENERATORS[family](self.oscillator_mhz, clock_mhz)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        if self._add_loop is None:
            m.d.comb += [self.clock.eq(_buffered(m, self.port)), self.locked.eq(1)]
        else:
            self._add_loop(m, self.port, self.clock, self.locked)
        return m


def _buffered(m, port):
    m.submodules.buffer = buffer = io.Buffer("i", port)
    return buffer.i


def _first(choices, oscillator_mhz, clock_mhz, limits):
    """The first of the choices, if there is one."""
    for choice in choices:
        return choice
    raise ValueError(
        f"Clock must be one that the part can make of the board's {float(oscillator_mhz):g} MHz ({limits}), "
        f"not {clock_mhz} MHz"
    )


def ecp5_settings(oscillator_mhz, clock_mhz):
    """Dividers of ``EHXPLLL`` for input, feedback and output; Lattice FPGA-TN-02200.

    The phase detector takes 3.125 MHz or more, and the oscillator runs at 400 to 800 MHz, here near 600.
    """
    ratio = clock_mhz / oscillator_mhz
    settings = (ratio.denominator, ratio.numerator, 600 // clock_mhz)
    possible = (
        oscillator_mhz / ratio.denominator >= Fraction("3.125")
        and all(1 <= divider <= 128 for divider in settings)
        and 400 <= clock_mhz * settings[2] <= 800
    )
    limits = "both multiples of 3.125 MHz or more, none more than 128 times it"
    return _first([settings] if possible else [], oscillator_mhz, clock_mhz, limits)


def _ecp5(oscillator_mhz, clock_mhz):
    input_divider, feedback_divider, output_divider = ecp5_settings(oscillator_mhz, clock_mhz)

    def add(m, port, clock, locked):
        m.submodules.loop = Instance(
            "EHXPLLL",
            a_FREQUENCY_PIN_CLKI=f"{float(oscillator_mhz):g}",
            a_FREQUENCY_PIN_CLKOP=str(clock_mhz),
            a_ICP_CURRENT="12",
            a_LPF_RESISTOR="8",
            p_CLKI_DIV=input_divider,
            p_CLKFB_DIV=feedback_divider,
            p_CLKOP_DIV=output_divider,
            p_CLKOP_CPHASE=output_divider // 2 - 1,
            p_CLKOP_ENABLE="ENABLED",
            p_FEEDBK_PATH="CLKOP",
            i_CLKI=_buffered(m, port),
            i_CLKFB=clock,
            i_RST=Const(0),
            i_STDBY=Const(0),
            i_PHASESEL0=Const(0),
            i_PHASESEL1=Const(0),
            i_PHASEDIR=Const(1),
            i_PHASESTEP=Const(1),
            i_PHASELOADREG=Const(1),
            i_PLLWAKESYNC=Const(0),
            i_ENCLKOP=Const(0),
            o_CLKOP=clock,
            o_LOCK=locked,
        )

    return add


def ice40_settings(oscillator_mhz, clock_mhz):
    """``DIVR``, ``DIVF``, ``DIVQ`` and ``FILTER_RANGE`` of ``SB_PLL40_PAD``; Lattice FPGA-TN-02052.

    The phase detector takes 10 to 133 MHz, and the oscillator runs at 533 to 1066 MHz.
    """
    # Upper ends of the phase detector's ranges that a filter is chosen by.
    filters = (17, 26, 44, 66, 101, 133)
    choices = (
        (divr, divf, divq, next(number for number, end in enumerate(filters, 1) if oscillator_mhz / (divr + 1) <= end))
        for divr in range(16)
        if 10 <= oscillator_mhz / (divr + 1) <= 133
        for divq in range(1, 7)
        for divf in range(128)
        if oscillator_mhz / (divr + 1) * (divf + 1) == clock_mhz * 2**divq and 533 <= clock_mhz * 2**divq <= 1066
    )
    return _first(choices, oscillator_mhz, clock_mhz, "times 1 to 128, over a power of two from 2 to 64, from 533 MHz")


def _ice40(oscillator_mhz, clock_mhz):
    divr, divf, divq, filter_range = ice40_settings(oscillator_mhz, clock_mhz)

    def add(m, port, clock, locked):
        # The loop has the pad to itself: there is no input buffer.
        m.submodules.loop = Instance(
            "SB_PLL40_PAD",
            p_FEEDBACK_PATH="SIMPLE",
            p_DIVR=Const(divr, 4),
            p_DIVF=Const(divf, 7),
            p_DIVQ=Const(divq, 3),
            p_FILTER_RANGE=Const(filter_range, 3),
            i_PACKAGEPIN=port.io,
            i_RESETB=Const(1),
            i_BYPASS=Const(0),
            o_PLLOUTGLOBAL=clock,
            o_LOCK=locked,
        )

    return add


def xc7_settings(oscillator_mhz, clock_mhz):
    """Multiplier, input and output divider of ``MMCME2_BASE``; AMD DS181 and DS182, of the slowest parts.

    The phase detector takes 10 to 450 MHz, and the oscillator runs at 600 to 1200 MHz: as fast as it can, for the least
    jitter. Multiplier and output divider go in eighths.
    """
    choices = (
        (Fraction(multiplier, 8), divider, output)
        for divider in range(1, 107)
        if 10 <= oscillator_mhz / divider <= 450
        for multiplier in range(64 * 8, 2 * 8 - 1, -1)
        if 600 <= oscillator_mhz / divider * multiplier / 8 <= 1200
        for output in [oscillator_mhz / divider * multiplier / 8 / clock_mhz]
        if 8 % output.denominator == 0 and 1 <= output <= 128 and (output.denominator == 1 or output >= 2)
    )
    return _first(choices, oscillator_mhz, clock_mhz, "by a multiplier and a divider in eighths")


def _xc7(oscillator_mhz, clock_mhz):
    multiplier, divider, output = xc7_settings(oscillator_mhz, clock_mhz)

    def add(m, port, clock, locked):
        made, fed_back = Signal(), Signal()
        m.submodules.loop = Instance(
            "MMCME2_BASE",
            p_CLKIN1_PERIOD=1000 / float(oscillator_mhz),
            p_DIVCLK_DIVIDE=divider,
            p_CLKFBOUT_MULT_F=float(multiplier),
            p_CLKOUT0_DIVIDE_F=float(output),
            i_CLKIN1=_buffered(m, port),
            i_CLKFBIN=fed_back,
            i_RST=Const(0),
            i_PWRDWN=Const(0),
            o_CLKFBOUT=fed_back,
            o_CLKOUT0=made,
            o_LOCKED=locked,
        )
        m.submodules.global_buffer = Instance("BUFG", i_I=made, o_O=clock)

    return add


def _intel(oscillator_mhz, clock_mhz):
    def add(m, port, clock, locked):
        # Quartus finds the dividers.
        m.submodules.loop = Instance(
            "altera_pll",
            p_fractional_vco_multiplier="false",
            p_operation_mode="direct",
            p_number_of_clocks=1,
            p_reference_clock_frequency=f"{float(oscillator_mhz):.6f} MHz",
            p_output_clock_frequency0=f"{clock_mhz:.6f} MHz",
            p_phase_shift0="0 ps",
            p_duty_cycle0=50,
            i_refclk=_buffered(m, port),
            i_rst=Const(0),
            o_outclk=clock,
            o_locked=locked,
        )

    return add


# By family, what makes a function of both frequencies that adds the loop to a module.
GENERATORS = {"ecp5": _ecp5, "ice40": _ice40, "xc7": _xc7, "intel": _intel}


def can_make(family, oscillator_mhz, clock_mhz):
    """Whether a family makes a clock of an oscillator."""
    try:
        oscillator_mhz = Fraction(oscillator_mhz)
        return oscillator_mhz == clock_mhz or GENERATORS[family](oscillator_mhz, clock_mhz) is not None
    except ValueError:
        return False
