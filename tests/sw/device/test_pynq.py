"""The driver on a fake of PYNQ whose fabric is the simulator."""

import sys

import numpy as np
import pytest

from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.algorithms.ddpg_config import DDPGConfig
from rewardware.sw.device.errors import DeviceError, DeviceTimeout
from rewardware.sw.device.open import open_device
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import open_sum_tree
from rewardware.sw.systems.fixar.agent import FixarDDPG
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET, RowMemoryConfig
from tests.sw.device.fake_pynq import DECODE_ERROR, HALTED, FakePynq
from tests.sw.device.test_simulation import (
    CONFIG,
    HALT,
    check_cycle_limit,
    check_faults,
    check_round_trip,
    program,
    random_rows,
)

WHERE = "pynq:overlays/row_memory.bit"
REPLAY = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)


@pytest.fixture
def fake(monkeypatch):
    """Puts a board in the place of the package: ``fake(config)``."""
    made = []

    def make(config, **options):
        made.append(FakePynq(config, **options))
        monkeypatch.setitem(sys.modules, "pynq", made[-1])
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(params=[0.0, 0.4])
def board(fake, request):
    return fake(CONFIG, stall=request.param, seed=3)


@pytest.fixture
def device(board):
    with open_device(WHERE, CONFIG, packet_rows=120, timeout=0.3) as device:
        yield device


def test_rows_round_trip(device, board):
    for count in (1, 9, 60, 90):
        check_round_trip(device, count=count, base=10, seed=count)
    device.close()
    assert len(board.buffers) == 5 and all(buffer.freed for buffer in board.buffers)


def test_several_packets_wait_for_their_turn_on_both_sides(device):
    sent = [random_rows(count, seed=count) for count in (3, 20, 1)]
    device.load_program([
        *(INSTRUCTION_SET.encode("load", base=30 * place, count=len(rows)) for place, rows in enumerate(sent)),
        *(INSTRUCTION_SET.encode("store", wait="all", base=30 * place, count=len(rows))
          for place, rows in enumerate(sent)),
        HALT,
    ])  # fmt: skip
    for rows in sent:
        device.send(rows)
    device.run()
    for rows in sent:
        np.testing.assert_array_equal(device.receive(len(rows)), rows)


def test_a_replay_manager_answers_as_the_simulated_one(fake):
    fake(REPLAY, stall=0.2)
    answers = []
    for where in ("pynq:pearl.bit", "rtl"):
        with ReplayDevice(open_sum_tree(where, REPLAY), seed=3) as replay:
            replay.insert(np.arange(1.0, 60.0))
            samples = [replay.sample(count) for count in (16, 5)]
            answers.append([*(vars(sample) for sample in samples), replay.total()])
    np.testing.assert_equal(answers[0], answers[1])


def test_an_agent_learns_on_it_as_on_the_simulated_device(fake):
    hardware = read_preset("tiny").hardware
    fake(hardware, length_bits=23)
    config, saved = DDPGConfig(hidden_sizes=(21, 17), batch_size=41, learning_starts=10), []
    for backend in ("pynq:fixar.bit", "rtl"):
        agent = FixarDDPG("Pendulum-v1", config, hardware="tiny", backend=backend)
        try:
            agent.learn(14)
            saved.append(agent.learner.save())
        finally:
            agent.close()
    np.testing.assert_equal(saved[0], saved[1])


def test_what_the_bus_would_refuse_does_not_get_there(device):
    program_place = CONFIG.shell.address_map["program"].address
    for address in (0xF0, 0x7FFF_FFFC, program_place, 2):
        with pytest.raises(DeviceError, match=f"refused to read address {address:#06x}"):
            device.read(address)
    for address in (0, CONFIG.shell.address_map["status"].address, 0xF0, program_place + 2):
        with pytest.raises(DeviceError, match=f"refused to write address {address:#06x}"):
            device.write(address, 1)
    control = CONFIG.shell.address_map["control"].address
    with pytest.raises(DeviceError, match="refused to write address 0x0014"):
        device.write(control, 3)
    device.load_program(program(0, 8))
    device.start()
    for value in (1, 3):
        with pytest.raises(DeviceError, match="refused to write address 0x0014"):
            device.write(control, value)
    device.soft_reset()
    device.write_register("offset", -5)
    assert device.read_register("offset") == -5
    device.write_register("offset", 7)
    assert device.read_register("rows_loaded") == 0


def test_faults_are_cured_by_soft_reset(device):
    check_faults(device)


def test_packet_that_never_comes_reaches_the_cycle_limit(device):
    check_cycle_limit(device)


def test_rows_that_nobody_takes_and_rows_that_do_not_come_have_a_limit(device):
    for _ in range(2):
        device.send(random_rows(90))
    device.transport.advance(100, rows=1)
    with pytest.raises(DeviceTimeout, match="sent 0 of 4 rows"):
        device.receive(4)
    device.soft_reset()
    check_round_trip(device)


def test_ctrl_c_at_any_place_leaves_a_device_to_reset(device, board, monkeypatch):
    work, left, interrupted = board.dma.work, [0], 0

    def work_or_end():
        work()
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(board.dma, "work", work_or_end)
    for place in range(1, 24):
        device.load_program(program(0, 80))
        device.send(random_rows(80))
        left[0] = place
        try:
            device.run()
        except KeyboardInterrupt:
            interrupted += 1
        left[0] = 0
        device.soft_reset()
        check_round_trip(device, seed=place)
    assert interrupted > 15


def test_a_device_that_somebody_left_within_a_packet_is_taken_over(fake):
    board = fake(CONFIG)
    with open_device(WHERE, CONFIG, packet_rows=120) as device:
        device.send(random_rows(60))
        device.transport.advance(100, rows=1)
    assert board.dma.simulation.unsent
    with open_device(WHERE, CONFIG, packet_rows=120, download=False) as device:
        device.soft_reset()
        check_round_trip(device)


def test_a_packet_longer_than_the_buffer_is_an_error_that_a_soft_reset_cures(fake):
    board = fake(CONFIG)
    with open_device(WHERE, CONFIG, packet_rows=20, timeout=0.3) as device:
        check_round_trip(device, count=20)
        device.load_program([INSTRUCTION_SET.encode("store", base=0, count=21), HALT])
        with pytest.raises(
            DeviceError,
            match=r"The device in row_memory.bit sent a packet of more than 20 rows, for which the buffer has room: "
            r"soft_reset\(\), and open it with packet_rows= of as many",
        ):
            device.run()
            device.receive(21)
        device.soft_reset()
        check_round_trip(device, count=20)
    with pytest.raises(ValueError, match="packet_rows must be from 1 to 1365, the most that axi_dma_0 can count in"):
        open_device(WHERE, CONFIG, packet_rows=1366)
    board.contiguous = 1000
    with pytest.raises(DeviceError, match="gets no contiguous memory for 1365 rows of 12 bytes: Failed to allocate"):
        open_device(WHERE, CONFIG)


def test_a_packet_longer_than_the_dma_counts_is_refused(device):
    with pytest.raises(DeviceError, match="packets of at most 1365 rows, the most that its DMA counts, not of 1366"):
        device.send(random_rows(1366))
    check_round_trip(device)


def test_errors_of_the_dma_are_named_and_cured(device, board):
    for channel, verb in ((board.dma.sendchannel, "sends"), (board.dma.recvchannel, "receives")):
        device.load_program(program(0, 8))
        device.send(random_rows(8))
        channel.status |= DECODE_ERROR | HALTED
        with pytest.raises(DeviceError, match=f"The DMA of the device in row_memory.bit {verb} no more: an error on"):
            device.run()
        device.soft_reset()
        check_round_trip(device)
        device.send(random_rows(8))
        channel.status |= HALTED
        with pytest.raises(DeviceError, match=f"{verb} no more: it was stopped"):
            device.run()
        device.soft_reset()
        check_round_trip(device)


def test_a_stream_of_another_width_is_named(device, board):
    wait = board.dma.recvchannel.wait

    def cut():
        wait()
        board.dma.recvchannel.transferred -= 4

    board.dma.recvchannel.wait = cut
    device.load_program(program(0, 2))
    device.send(random_rows(2))
    with pytest.raises(DeviceError, match="sent 20 bytes, not a multiple of the 12 of a row: its stream must be"):
        device.run()
        device.receive(2)


def test_a_dma_that_does_not_answer_is_given_up(fake):
    fake(CONFIG).dma.dead = True
    with pytest.raises(DeviceTimeout, match="does not answer: the DMA did not leave its reset within 0.05 s"):
        open_device(WHERE, CONFIG, timeout=0.05)


def test_what_cannot_be_opened_is_named(fake, monkeypatch):
    fake(CONFIG)
    for where, options, words in (
        ("pynq:nothing", {}, "The device in nothing cannot be opened: Bitstream file nothing does not exist"),
        (
            WHERE,
            {"ip": "accelerator_0"},
            "has no instance 'accelerator_0'; its block design has axi_dma_0, axi_gpio_0",
        ),
        (WHERE, {"dma": "axi_gpio_0"}, "axi_gpio_0 in overlays/row_memory.bit must be an AXI DMA with both channels"),
    ):
        with pytest.raises(DeviceError, match=words):
            open_device(where, CONFIG, **options)
    with pytest.raises(DeviceError, match="built for another configuration: hash 0x"):
        open_device(WHERE, RowMemoryConfig(depth=77))
    monkeypatch.setitem(sys.modules, "pynq", None)
    with pytest.raises(DeviceError, match="needs the package pynq, which the image of a PYNQ board has"):
        open_device(WHERE, CONFIG)
    with pytest.raises(ValueError, match="pynq:BITSTREAM or transport, not 'pynq:'"):
        open_device("pynq:", CONFIG)
