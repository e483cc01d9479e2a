"""The driver on a simulated board behind a pseudo-terminal: the code that talks to a real one."""

import os
import time

import numpy as np
import pytest
import serial

from rewardware.hw.soc.bus.uart_config import BUFFER_ROWS, Kind, Status
from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.device import uart
from rewardware.sw.device.errors import DeviceError, DeviceTimeout
from rewardware.sw.device.open import open_device
from rewardware.sw.device.uart import pack_frame
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET, RowMemoryConfig
from tests.sw.device.test_simulation import (
    CONFIG,
    check_cycle_limit,
    check_faults,
    check_round_trip,
    program,
    random_rows,
)

LONG = RowMemoryConfig(instructions=512)


def test_rows_round_trip(device):
    for count in (1, 9, 60):
        check_round_trip(device, count=count, base=20, seed=count)


def test_registers(device):
    device.write_register("offset", -5)
    assert device.read_register("offset") == -5
    device.write_register("offset", 7)
    for address in (0xF0, 0x7FFF_FFFC):
        with pytest.raises(DeviceError, match="refused to read address"):
            device.read(address)
        with pytest.raises(DeviceError, match="refused to write 1 words from address"):
            device.write(address, 1)


def test_program_longer_than_a_frame():
    with SimulatedBoard(LONG) as board, open_device(f"uart:{board.port}", LONG) as device:
        device.load_program([INSTRUCTION_SET.encode("wait")] * 290 + program(3, 4), address=5)
        device.send(random_rows(4))
        assert device.run(start=5).retired == 293
        np.testing.assert_array_equal(device.receive(4), random_rows(4))


def test_faults_are_cured_by_soft_reset(device):
    check_faults(device)


def test_packet_that_never_comes_reaches_the_cycle_limit(device):
    check_cycle_limit(device)


def test_rows_that_nobody_takes_do_not_block_the_registers(device):
    device.send(random_rows(90))
    device.transport.advance(1000, rows=1)
    assert device.read_register("system") == int.from_bytes(b"ROWS", "little")
    device.soft_reset()
    check_round_trip(device)


def test_a_device_that_never_stops_sending_is_given_up(device, monkeypatch):
    monkeypatch.setattr(uart, "DRAIN_TIMEOUTS", 1)
    monkeypatch.setattr(device.transport, "_pull", lambda: True)
    with pytest.raises(DeviceTimeout, match="was done, and sent rows for 0.5 s more, 0 of them"):
        device.transport.advance(100, until_done=True)


def noise(kind):
    frame = pack_frame(Kind.WRITE, 77, bytes(range(40)))
    return {
        "cut in the header": frame[:3],
        "cut in the payload": frame[:20],
        "cut in the CRC": frame[:-1],
        "wrong CRC": frame[:-1] + bytes([frame[-1] ^ 1]),
        "flipped payload bit": frame[:9] + bytes([frame[9] ^ 16]) + frame[10:],
        "length over the limit": b"\xa5\x02\x01\xff\xff" + bytes(50),
        "unknown kind": pack_frame(99, 4, b"abc"),
        "wrong length for its kind": pack_frame(Kind.READ, 4, b"abc"),
        "rows that do not fit their length": pack_frame(Kind.SEND, 4, bytes([1, 3]) + bytes(35)),
        "start bytes": b"\xa5" * 33,
        "random": np.random.default_rng(5).bytes(3000),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "cut in the header",
        "cut in the payload",
        "cut in the CRC",
        "wrong CRC",
        "flipped payload bit",
        "length over the limit",
        "unknown kind",
        "wrong length for its kind",
        "rows that do not fit their length",
        "start bytes",
        "random",
    ],
)
def test_resynchronises_after_noise(board, kind):
    with serial.Serial(board.port) as wire:
        wire.write(noise(kind))
        time.sleep(0.02)
    with open_device(f"uart:{board.port}", CONFIG, timeout=0.5) as device:
        device.soft_reset()
        check_round_trip(device)


def test_corrupted_request_is_repeated(device):
    original = device.transport._serial.write
    spoiled = []

    def write(frame):
        if not spoiled:
            spoiled.append(frame)
            frame = frame[:-1] + bytes([frame[-1] ^ 0x40])
        return original(frame)

    device.transport._serial.write = write
    assert device.read_register("identification") == int.from_bytes(b"RWDW", "little")
    assert spoiled


def test_request_repeated_after_a_lost_reply_is_executed_once(board):
    rows = random_rows(4)
    with serial.Serial(board.port, timeout=0.5) as wire:
        frame = pack_frame(Kind.SEND, 200, bytes([1, 4]) + rows.tobytes())
        for _ in range(3):
            wire.write(frame)
            assert wire.read(10)[1:6] == bytes([Kind.SEND | 0x80, 200, 1, 0, 0])
    with open_device(f"uart:{board.port}", CONFIG, timeout=0.5) as device:
        device.load_program(program(0, 4))
        device.run()
        np.testing.assert_array_equal(device.receive(4), rows)
        device.load_program([INSTRUCTION_SET.encode("load", base=0, count=4)])
        with pytest.raises(DeviceTimeout):
            device.run(cycle_limit=2000)
        device.soft_reset()


def test_repetition_is_answered_as_before_whatever_came_between(board):
    frame = pack_frame(Kind.SEND, 201, bytes([1, 1]) + random_rows(1).tobytes())
    spoiled = frame[:-1] + bytes([frame[-1] ^ 1])
    with serial.Serial(board.port, timeout=0.5) as wire:
        for sent, status in ((frame, Status.OK), (spoiled, Status.CORRUPT), (frame, Status.OK)):
            wire.write(sent)
            assert wire.read(10)[5] == status
    with open_device(f"uart:{board.port}", CONFIG, timeout=0.5) as device:
        device.soft_reset()


@pytest.mark.parametrize("length", [5, 7, 10])
def test_words_are_written_whole(device, length):
    place = CONFIG.shell.address_map["offset"].address
    payload = place.to_bytes(4, "little") + bytes(length - 4)
    with pytest.raises(DeviceError, match=f"does not know the request write of {length} bytes"):
        device.transport._request(Kind.WRITE, payload)
    assert device.read_register("offset") == 7


def test_no_more_rows_than_a_frame_has_are_received(device):
    rows = random_rows(20)
    device.send(rows)
    device.load_program([INSTRUCTION_SET.encode("load", base=0, count=20), INSTRUCTION_SET.encode("halt")])
    device.run()
    device.load_program([INSTRUCTION_SET.encode("store", base=0, count=20), INSTRUCTION_SET.encode("halt")])
    device.write_register("control", 1)
    got = b""
    for count in (BUFFER_ROWS, 20 - BUFFER_ROWS):
        status, answer = device.transport._request(Kind.RECEIVE, bytes([255]))
        assert status is Status.OK and len(answer) == count * (4 * CONFIG.lanes + 1)
        got += answer
    words = np.frombuffer(got, np.uint8).reshape(20, -1)
    np.testing.assert_array_equal(words[:, 0], [0] * 19 + [1])
    np.testing.assert_array_equal(np.ascontiguousarray(words[:, 1:]).view("<u4"), rows)


def test_other_ends_are_refused(board, tmp_path):
    with pytest.raises(DeviceError, match="cannot be opened"):
        open_device(f"uart:{tmp_path / 'nothing'}", CONFIG)
    with pytest.raises(DeviceError, match="built for another configuration: hash 0x"):
        open_device(f"uart:{board.port}", RowMemoryConfig(depth=77))
    master, slave = os.openpty()
    try:
        with pytest.raises(DeviceTimeout, match=r"did not answer within 0.05 s \(read, 3 attempts\)"):
            open_device(f"uart:{os.ttyname(slave)}", CONFIG, timeout=0.05)
    finally:
        os.close(master)
        os.close(slave)


def test_a_place_may_say_its_baud_rate(board):
    with open_device(f"uart:{board.port}@115200", CONFIG) as device:
        assert device.transport._serial.baudrate == 115_200
    for place in ("uart:a@", "uart:a@fast", "uart:a@0", "uart:@9600"):
        with pytest.raises(ValueError, match='^A serial port must be "PORT" or "PORT@BAUD", such as '):
            open_device(place, CONFIG)


def test_device_that_goes_away_is_an_error():
    board = SimulatedBoard(CONFIG)
    device = open_device(f"uart:{board.port}", CONFIG, timeout=0.2)
    board.close()
    with pytest.raises(DeviceError, match="is gone|did not answer"):
        device.run()
    device.close()
