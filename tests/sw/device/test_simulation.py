"""The driver on the simulated row memory: the whole way, and every way it can go wrong."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.devices import register_device
from rewardware.sw.device.device import Device
from rewardware.sw.device.errors import DeviceError, DeviceFault, DeviceTimeout
from rewardware.sw.device.open import open_device
from tests.hw.soc.shell.row_memory import DEVICE, INSTRUCTION_SET, RowMemoryConfig

register_device(DEVICE)
CONFIG = RowMemoryConfig()
HALT = INSTRUCTION_SET.encode("halt")


def program(base, count):
    return [
        INSTRUCTION_SET.encode("load", base=base, count=count),
        INSTRUCTION_SET.encode("store", wait="load", base=base, count=count),
        HALT,
    ]


def random_rows(count, lanes=CONFIG.lanes, seed=0):
    return np.random.default_rng(seed).integers(0, 2**32, (count, lanes), dtype=np.uint32)


def check_round_trip(device, count=9, base=17, seed=0):
    rows = random_rows(count, device.config.lanes, seed)
    device.load_program(program(base, count), address=4)
    # Rows are their sender's again when they are queued.
    queued = rows.copy()
    device.send(queued)
    queued[:] = 0
    report = device.run(start=4, cycle_limit=100_000)
    np.testing.assert_array_equal(device.receive(count), rows)
    assert report.retired == 3
    assert report.errors == ()
    assert 0 < report.busy["load"] <= report.cycles
    return report


def check_faults(device):
    """Packets that are too short and too long, and an instruction that is none: a soft reset cures each."""
    for words, count, flag in (
        (program(0, 30), 5, "stream_underflow"),
        (program(0, 30), 40, "stream_overflow"),
        ([0], 1, "bad_instruction"),
    ):
        device.load_program(words)
        device.send(random_rows(count))
        with pytest.raises(DeviceFault, match=flag):
            device.run()
        device.soft_reset()
    check_round_trip(device)


def check_cycle_limit(device):
    """A packet that never comes; a soft reset ends the wait for it."""
    device.load_program(program(0, 8))
    with pytest.raises(DeviceTimeout, match="limit of 3000 cycles: state running, at instruction 1"):
        device.run(cycle_limit=3000)
    device.soft_reset()
    check_round_trip(device)


@pytest.fixture(params=[0.0, 0.4])
def device(request):
    with open_device("sim", CONFIG, stall=request.param, seed=3) as device:
        yield device


@pytest.mark.parametrize("lanes, depth", [(1, 33), (2, 48), (5, 100)])
def test_every_stream_width_round_trips(lanes, depth):
    with open_device("sim", RowMemoryConfig(lanes=lanes, depth=depth)) as device:
        assert isinstance(device, Device)
        for count in (1, 2, 32):
            check_round_trip(device, count=count, base=0, seed=count)


def test_memory_larger_than_the_buffers_round_trips(device):
    seen = []
    rows = random_rows(90)
    device.load_program(program(0, 90))
    device.send(rows)
    device.run(progress=seen.append)
    np.testing.assert_array_equal(device.receive(90), rows)
    assert seen == sorted(seen)
    assert device.read_register("rows_loaded") == 90
    device.write_register("clear", 1)
    assert device.read_register("rows_loaded") == 0


def test_registers_keep_their_sign_and_refuse_what_does_not_fit(device):
    device.write_register("offset", -2)
    assert device.read_register("offset") == -2
    device.write_register("offset", 7)
    with pytest.raises(
        ValueError, match="Value of register offset must be from -2147483648 to 2147483647, not 4294967295"
    ):
        device.write_register("offset", 0xFFFF_FFFF)
    with pytest.raises(KeyError, match="has no 'nothing'; it has identification"):
        device.read_register("nothing")
    with pytest.raises(DeviceError, match="refused to read address 0x00f0"):
        device.read(0xF0)
    with pytest.raises(DeviceError, match="refused to write address 0x0000"):
        device.write(0, 1)
    check_round_trip(device)


def test_short_packet_is_a_fault_and_soft_reset_cures_it(device):
    device.load_program(program(0, 8))
    device.send(random_rows(5))
    with pytest.raises(DeviceFault, match="stopped with stream_underflow near instruction 1") as fault:
        device.run()
    assert fault.value.flags == ("stream_underflow",)
    with pytest.raises(DeviceError, match="cannot start: its state is error; soft_reset"):
        device.run()
    device.soft_reset()
    check_round_trip(device)


def test_long_packet_is_a_fault_and_soft_reset_cures_it(device):
    device.load_program(program(0, 8))
    device.send(random_rows(20))
    with pytest.raises(DeviceFault, match="stream_overflow"):
        device.run()
    device.soft_reset()
    check_round_trip(device)


def test_packet_that_never_comes_reaches_the_cycle_limit(device):
    check_cycle_limit(device)


def test_run_that_is_interrupted_leaves_a_device_to_reset(device):
    def interrupt(cycles):
        if cycles > 1000:
            raise KeyboardInterrupt

    device.load_program(program(0, 8))
    with pytest.raises(KeyboardInterrupt):
        device.run(cycle_limit=10**9, progress=interrupt)
    with pytest.raises(DeviceError, match="cannot start: its state is running; soft_reset"):
        device.run()
    device.soft_reset()
    check_round_trip(device)


def test_bad_instructions_are_faults(device):
    for word, flag in ((0, "bad_instruction"), (7, "bad_instruction")):
        device.load_program([word, HALT])
        with pytest.raises(DeviceFault, match=flag):
            device.run()
        device.soft_reset()
    device.load_program([INSTRUCTION_SET.encode("wait")] * 16)
    with pytest.raises(DeviceFault, match="address_out_of_range"):
        device.run()
    device.soft_reset()
    with pytest.raises(DeviceFault, match="address_out_of_range"):
        device.run(start=16)
    device.soft_reset()
    check_round_trip(device)


def test_rows_behind_the_memory_are_a_fault(device):
    device.load_program([INSTRUCTION_SET.encode("load", base=98, count=4), HALT])
    device.send(random_rows(4))
    with pytest.raises(DeviceFault, match="address_out_of_range"):
        device.run()
    device.soft_reset()
    check_round_trip(device)


def test_packets_of_another_length_than_expected_are_errors(device):
    device.load_program([INSTRUCTION_SET.encode("store", base=0, count=4), HALT])
    device.run()
    with pytest.raises(DeviceError, match="ended after 4 rows, 6 rows were expected|sent 4 of 6 rows"):
        device.receive(6)
    device.soft_reset()
    device.run()
    with pytest.raises(DeviceError, match="did not end there, 3 rows were expected"):
        device.receive(3)
    device.soft_reset()
    check_round_trip(device)


def test_another_configuration_is_refused():
    @dataclasses.dataclass(frozen=True)
    class Liar:
        true: RowMemoryConfig
        system: str = "row_memory"

        @property
        def shell(self):
            return dataclasses.replace(self.true.shell, configuration_hash=0x12345678)

    from rewardware.sw.device.device import ShellDevice
    from rewardware.sw.device.simulation import SimulationTransport

    transport = SimulationTransport(CONFIG)
    expected = f"hash {CONFIG.shell.configuration_hash:#010x}, expected 0x12345678"
    with pytest.raises(DeviceError, match=f"built for another configuration: {expected}"):
        ShellDevice(transport, Liar(CONFIG))
    with pytest.raises(RuntimeError, match="The simulation is closed"):
        transport.read(0)


def test_bad_arguments_say_what_is_allowed(device):
    with pytest.raises(ValueError, match=r"Rows must have the shape \(n, 3\) with n at least 1, not \(4, 2\)"):
        device.send(np.zeros((4, 2), np.uint32))
    with pytest.raises(TypeError, match="Rows must be of uint32 or int32, not float64"):
        device.send(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="must fit into the 16 instructions of the program memory, not take 3 from 14"):
        device.load_program([HALT] * 3, address=14)
    with pytest.raises(ValueError, match="A device must be sim, uart:PORT, pynq:BITSTREAM or transport, not 'board'"):
        open_device("board", CONFIG)
    with pytest.raises(
        ValueError,
        match="System must be one of a3c, dynamap, fixar, .* pearl, .* pearl_sac_learner, row_memory, not 'nothing'",
    ):
        open_device("sim", RowMemoryConfig(system="nothing"))


def test_waveform_is_written(tmp_path):
    path = tmp_path / "run.fst"
    with open_device("sim", CONFIG, waveform=path) as device:
        check_round_trip(device)
    assert path.stat().st_size > 1000
