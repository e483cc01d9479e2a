"""Movers of the tests: a row that is a beat, several beats, a part of one, and one whose bytes are no power of two."""

from rewardware.hw.soc.bus.data_mover_config import DataMoverConfig

MOVERS = {
    "row is a beat": DataMoverConfig(row_width=32, data_width=32, burst_beats=4, outstanding=4, count_width=16),
    "no power of two": DataMoverConfig(row_width=96, data_width=128, burst_beats=16, outstanding=3),
    "several beats": DataMoverConfig(row_width=96, data_width=32, burst_beats=8, outstanding=4, address_width=40),
    "part of a beat": DataMoverConfig(row_width=64, data_width=256, burst_beats=2, outstanding=8),
}
