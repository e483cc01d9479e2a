"""Find out what answers at a serial port: which device, made from which configuration, or why nothing does."""

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import serial

from ...hw.soc.boards.board import usual_bauds
from ...hw.soc.bus.uart_config import Kind
from ...hw.soc.devices import devices
from ...hw.soc.presets import list_presets, read_preset
from ...hw.soc.sequencer.instructions import InstructionSet
from ...hw.soc.shell.config import ShellConfig
from ...hw.soc.shell.registers import IDENTIFICATION, SHELL_VERSION
from .errors import DeviceError, DeviceTimeout
from .uart import UartTransport, pack_frame

__all__ = ["Identity", "identify"]

# Bytes of what answers that is no device, for the message.
SHOWN_BYTES = 16
# A shell of which only what all have in common is asked for.
_ANY_SHELL = SimpleNamespace(
    shell=ShellConfig(
        system_id="none",
        configuration_hash=0,
        instruction_set=InstructionSet(engines=("none",), formats=(), width=32),
        stream_width=32,
    )
)


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Identity of a device, as it reports it.

    Parameters
    ----------
    port : str
        Where it is.
    baud : int
        Baud rate at which it answered.
    version : str
        Version of its shell, such as ``"2.0"``.
    system_id : str
        The accelerator's four characters.
    configuration_hash : int
    systems : tuple of str
        Systems with these characters.
    config : object or None
        The configuration with this hash; ``None``: it is that of no preset, nor of the one given.
    """

    port: str
    baud: int
    version: str
    system_id: str
    configuration_hash: int
    systems: tuple[str, ...]
    config: Any


def identify(port: str, *, bauds: Sequence[int] = (), timeout: float = 1.0, config: Any = None) -> Identity:
    """Ask the device at a serial port what it is.

    Parameters
    ----------
    port : str
    bauds : sequence of int
        To try, one after the other; none: those of the boards there are.
    timeout : float
        Seconds to wait for an answer, at most three times for each baud rate.
    config : object or None
        A configuration that is no preset, which the device may have been made from.

    Raises
    ------
    DeviceError
        There is no such port, nothing answers, or what answers is no device of this version. The text says which.
    """
    symptoms = []
    for baud in bauds or usual_bauds():
        link = UartTransport(port, _ANY_SHELL, baud=baud, timeout=timeout)
        try:
            return _identity(link, port, baud, config)
        except DeviceTimeout:
            pass
        finally:
            link.close()
        symptoms.append(f"at {baud} baud {_symptom(port, baud, timeout)}")
    raise DeviceError(f"No device at {port}: {'; '.join(symptoms)}")


def _identity(link: UartTransport, port: str, baud: int, config: Any) -> Identity:
    registers = _ANY_SHELL.shell.address_map
    names = ("identification", "version", "system", "configuration_hash")
    words = {name: link.read(registers[name].address) for name in names}
    if words["identification"] != IDENTIFICATION:
        raise DeviceError(
            f"The device at {port} speaks the protocol but is not a Rewardware device: its identification is "
            f"{words['identification']:#010x}, not {IDENTIFICATION:#010x}"
        )
    if words["version"] != SHELL_VERSION:
        raise DeviceError(
            f"The device at {port} has a shell of version {_version(words['version'])}; this package drives "
            f"{_version(SHELL_VERSION)}: build the device with this package, or take the package that it was built with"
        )
    system_id = words["system"].to_bytes(4, "little").decode("latin-1")
    known = _configurations()
    given = {} if config is None else {_key(config): config}
    return Identity(
        port=port,
        baud=baud,
        version=_version(words["version"]),
        system_id=system_id,
        configuration_hash=words["configuration_hash"],
        systems=tuple(sorted({found.system for (name, _), found in (known | given).items() if name == system_id})),
        config=(known | given).get((system_id, words["configuration_hash"])),
    )


def _version(word: int) -> str:
    return f"{word >> 16}.{word & 0xFFFF}"


def _key(config: Any) -> tuple[str, int]:
    return config.shell.system_id, config.shell.configuration_hash


@functools.cache
def _configurations() -> dict[tuple[str, int], Any]:
    """Configurations of the devices' presets, by the system's characters and the hash."""
    configs = (read_preset(name, system).hardware for system in devices() for name in list_presets(system))
    return {_key(config): config for config in configs}


def _symptom(port: str, baud: int, timeout: float) -> str:
    """Describe what comes from a port whose other end did not answer a request."""
    request = pack_frame(Kind.READ, 0, bytes(4))
    with serial.Serial(port, baud, timeout=timeout, write_timeout=timeout) as wire:
        wire.reset_input_buffer()
        wire.write(request)
        came, deadline = b"", time.monotonic() + timeout
        while len(came) < 1024 and time.monotonic() < deadline and (more := wire.read(1)):
            came += more + wire.read(wire.in_waiting)
    if not came:
        return (
            "nothing comes back (another port? the board without its bitstream, or in reset? receiver and transmitter "
            "exchanged? another baud rate?)"
        )
    if came == request:
        return "what is sent comes back (receiver and transmitter are connected, or the other end echoes)"
    return (
        f"{len(came)} bytes come that are no answer, {came[:SHOWN_BYTES].hex(' ')}{' ...' * (len(came) > SHOWN_BYTES)} "
        "(another program, or another baud rate)"
    )
