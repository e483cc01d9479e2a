"""docs/shell.md is enough to drive a device: its examples run, and so does a master that was written from it alone."""

import pytest
import serial

from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.hw.soc.pearl.device import PearlSystem
from rewardware.hw.soc.presets import load_preset
from rewardware.sim.cocotb import simulate
from rewardware.sim.harness.uart import SimulatedBoard
from tests.docs.shell_page import Master, frames, steps

SERVE, HALT = 1, 15
RETRIEVE, INSERT, TOTAL = 1, 3, 4
PROGRAM, STATUS, CONTROL, START_ADDRESS, ERRORS = 0x100, 0x10, 0x14, 0x18, 0x1C
INTERRUPT_ENABLE, INTERRUPT_STATUS, RETIRED = 0x20, 0x24, 0x2C
IDLE, DONE, ERROR = 0, 2, 3


@pytest.fixture(scope="module")
def wire():
    with SimulatedBoard(load_preset("small", "pearl")) as board, serial.Serial(board.port, timeout=10) as wire:
        yield wire


@pytest.fixture
def master(wire):
    """After it was reset twice; nothing is left of another test."""
    master = Master(wire, row_bytes=8)
    for _ in range(2):
        assert master.write(CONTROL, Master.SOFT_RESET) == 0
        assert master.request(Master.FORGET) == (0, b"")
    assert master.write(ERRORS, 0x7F) == 0 and master.write(INTERRUPT_STATUS, 3) == 0
    return master


def load(master, *instructions):
    """Programs of 128-bit instructions, the lowest word first."""
    words = [instruction >> shift & 0xFFFF_FFFF for instruction in instructions for shift in (0, 32, 64, 96)]
    assert master.write(PROGRAM, *words) == 0


def serve(master, *requests):
    """The answers to requests of one packet."""
    load(master, SERVE, HALT)
    master.send(requests)
    assert master.write(CONTROL, Master.START) == 0
    assert master.until_stopped() == DONE
    rows = master.receive()
    assert [last for _, last in rows] == [False] * (len(requests) - 1) + [True]
    return [row for row, _ in rows]


def test_the_example_over_uart_is_right_to_the_byte(master, wire):
    known = frames()
    assert len(known) == 9
    for sent, expected in known:
        # Another program than a stranger's cuts the same frames.
        assert Master.frame(sent[1], sent[2], sent[5:-4]) == sent
        assert Master.frame(expected[1], expected[2], expected[5:-4]) == expected
        if sent[5:9] == STATUS.to_bytes(4, "little") and sent[1] == Master.READ:
            master.until_stopped()
        wire.write(sent)
        assert wire.read(len(expected)) == expected


def test_the_example_over_axi_is_right():
    config = load_preset("small", "pearl")
    assert len(steps()) == 25
    simulate(AxiTop(PearlSystem(config)), bench="tests.docs.bench_shell_page")


def test_what_a_soft_reset_leaves_and_what_is_gone(master):
    assert serve(master, INSERT | 5 << 27, INSERT | 9 << 27, TOTAL)[2] >> 5 == 14
    assert master.write(START_ADDRESS, 1) == 0 and master.write(INTERRUPT_ENABLE, 2) == 0
    assert master.write(CONTROL, Master.SOFT_RESET) == 0
    assert master.read(STATUS) == IDLE
    assert (master.read(START_ADDRESS), master.read(INTERRUPT_ENABLE), master.read(INTERRUPT_STATUS)) == (1, 2, 1)
    assert master.read(RETIRED) == 2
    # The program is there still: its second instruction is a halt.
    assert master.write(CONTROL, Master.START) == 0 and master.until_stopped() == DONE
    assert master.read(RETIRED) == 1
    assert master.write(START_ADDRESS, 0) == 0 and master.write(INTERRUPT_ENABLE, 0) == 0
    # All priorities are gone, and the next insertion goes to the first leaf.
    retrieved, inserted, total = serve(master, RETRIEVE, INSERT | 3 << 27, TOTAL)
    assert (retrieved >> 29, inserted >> 5 & 0xFF_FFFF, total >> 5) == (0, 0, 3)


def test_a_soft_reset_in_mid_packet_and_in_the_state_error(master):
    load(master, SERVE, HALT)
    # The packet lacks its end.
    assert master.request(Master.SEND, bytes([0, 1]) + (TOTAL).to_bytes(8, "little"))[0] == 0
    assert master.write(CONTROL, Master.START) == 0
    assert master.read(STATUS) & 3 == 1
    # Refused, by SLVERR behind the bridge.
    assert master.write(CONTROL, Master.START) == 1
    assert master.write(CONTROL, Master.START | Master.SOFT_RESET) == 1
    for _ in range(2):
        assert master.write(CONTROL, Master.SOFT_RESET) == 0
        assert master.request(Master.FORGET)[0] == 0
    assert master.read(STATUS) & 3 == IDLE
    load(master, 0)
    assert master.write(CONTROL, Master.START) == 0 and master.until_stopped() == ERROR
    assert master.read(ERRORS) == 1 and master.write(CONTROL, Master.START) == 1
    assert master.write(CONTROL, Master.SOFT_RESET) == 0 and master.read(STATUS) & 3 == ERROR
    assert master.write(ERRORS, 1) == 0 and master.read(STATUS) & 3 == IDLE
    assert serve(master, TOTAL) == [TOTAL]


def test_statuses_have_the_numbers_of_the_page(master, wire):
    assert master.request(Master.READ, (0xF0).to_bytes(4, "little"))[0] == 1
    assert master.request(9)[0] == 4
    spoiled = Master.frame(Master.READ, 0x20, bytes(4))
    wire.write(spoiled[:-1] + bytes([spoiled[-1] ^ 1]))
    assert wire.read(10)[5] == 3
    row = bytes(8)
    replies = [master.request(Master.SEND, bytes([0, 16]) + 16 * row)[0] for _ in range(4)]
    assert replies[0] == 0 and replies[-1] == 2
