"""Answers at a serial port are told apart: a device, another one, and whatever else comes from a wire."""

import os
import threading
import tty

import pytest

from rewardware.hw.soc.boards.board import usual_bauds
from rewardware.hw.soc.bus.uart_config import REPLY
from rewardware.hw.soc.presets import read_preset
from rewardware.hw.soc.shell.registers import IDENTIFICATION, SHELL_VERSION
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.probe import identify
from rewardware.sw.device.uart import HEADER, pack_frame
from tests.hw.soc.shell.row_memory import RowMemoryConfig
from tests.sw.device.test_simulation import CONFIG

TIMEOUT = 0.05


class Peer:
    """The other end of a pseudo-terminal: answers what ``answer`` makes of the bytes that come."""

    def __init__(self, answer):
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.port, self._answer = os.ttyname(self._slave), answer
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while request := os.read(self._master, 4096):
            if request.endswith(b"stop"):
                return
            os.write(self._master, self._answer(request))

    def __enter__(self):
        return self.port

    def __exit__(self, *_):
        os.write(self._slave, b"stop")
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)


def device_with(words):
    """Answers reads of the first registers with these words."""

    def answer(request):
        kind, tag, _ = HEADER.unpack_from(request, 1)
        address = int.from_bytes(request[5:9], "little")
        return pack_frame(kind | REPLY, tag, b"\0" + words[address // 4].to_bytes(4, "little"))

    return answer


def test_a_preset_is_found_by_its_hash():
    config = read_preset("small", "pearl").hardware
    system = int.from_bytes(config.shell.system_id.encode(), "little")
    with Peer(device_with([IDENTIFICATION, SHELL_VERSION, system, config.configuration_hash])) as port:
        found = identify(port)
    assert (found.version, found.system_id) == ("2.0", config.shell.system_id)
    assert found.config == config and found.baud == usual_bauds()[0] == 1_000_000
    assert "pearl" in found.systems


def test_a_configuration_that_is_no_preset_must_be_given(board):
    found = identify(board.port, bauds=(115_200,))
    assert (
        found.config is None and found.configuration_hash == CONFIG.shell.configuration_hash and found.baud == 115_200
    )
    assert identify(board.port, config=RowMemoryConfig(depth=77)).config is None
    assert identify(board.port, config=CONFIG).config == CONFIG


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda request: b"", "at 1000000 baud nothing comes back .*; at 921600 baud nothing comes back"),
        (lambda request: request, "at 1000000 baud what is sent comes back .*echoes"),
        (
            lambda request: b"U-Boot 2024.01\r\n" * 3,
            "48 bytes come that are no answer, 55 2d 42 .* \\.\\.\\. .*another p",
        ),
        (lambda request: b"\xa5", "1 bytes come that are no answer, a5 \\(another program, or another baud rate"),
        (
            device_with([0x1234, 0, 0, 0]),
            "is not a Rewardware device: its identification is 0x00001234, not 0x57445752",
        ),
        (device_with([IDENTIFICATION, 0x1_0003, 0, 0]), "has a shell of version 1.3; this package drives 2.0"),
    ],
)
def test_what_is_no_device_is_described(answer, words):
    with Peer(answer) as port, pytest.raises(DeviceError, match=words):
        identify(port, timeout=TIMEOUT)


def test_a_port_that_is_none_is_an_error(tmp_path):
    with pytest.raises(DeviceError, match="nothing cannot be opened"):
        identify(str(tmp_path / "nothing"))
