"""Settings of the phase-locked loops give the clock that is asked for, within the limits of the data sheets."""

from fractions import Fraction

import pytest

from rewardware.hw.soc.boards.clock_generator import GENERATORS, ecp5_settings, ice40_settings, xc7_settings


@pytest.mark.parametrize(
    ("oscillator", "clock"), [(25, 50), (25, 65), (25, 80), (100, 50), (48, 64), (100, 75), (12, 30)]
)
def test_ecp5(oscillator, clock):
    oscillator = Fraction(oscillator)
    divided, fed_back, output = ecp5_settings(oscillator, clock)
    assert oscillator / divided * fed_back == clock
    assert 400 <= clock * output <= 800 and oscillator / divided >= 3.125
    assert max(divided, fed_back, output) <= 128


def test_the_settings_of_the_ulx3s():
    assert ecp5_settings(Fraction(25), 50) == (1, 2, 12)


@pytest.mark.parametrize(("oscillator", "clock"), [(12, 24), (12, 18), (12, 30), (100, 25)])
def test_ice40(oscillator, clock):
    divr, divf, divq, filter_range = ice40_settings(Fraction(oscillator), clock)
    assert Fraction(oscillator, divr + 1) * (divf + 1) / 2**divq == clock
    assert 533 <= clock * 2**divq <= 1066 and oscillator / (divr + 1) >= 10
    assert filter_range == {12: 1, 100: 5}[oscillator] or divr


@pytest.mark.parametrize(
    ("oscillator", "clock"), [(100, 50), (200, 50), (156, 50), (100, 65), (200, 99), ("156.25", 100)]
)
def test_xc7(oscillator, clock):
    oscillator = Fraction(oscillator)
    multiplier, divider, output = xc7_settings(oscillator, clock)
    assert oscillator / divider * multiplier / output == clock
    assert 600 <= oscillator / divider * multiplier <= 1200 and oscillator / divider >= 10
    assert (8 * multiplier).denominator == (8 * output).denominator == 1
    assert 2 <= multiplier <= 64 and 1 <= output <= 128


@pytest.mark.parametrize(
    ("settings", "oscillator", "clock"), [(ecp5_settings, 48, 50), (ice40_settings, 12, 7), (ecp5_settings, 25, 900)]
)
def test_what_a_loop_cannot_make_is_refused(settings, oscillator, clock):
    with pytest.raises(
        ValueError, match=f"Clock must be one that the part can make .* {oscillator} MHz .*, not {clock} MHz"
    ):
        settings(Fraction(oscillator), clock)


def test_every_family_has_one():
    assert set(GENERATORS) == {"ecp5", "ice40", "xc7", "intel"}
