"""A self-test that every device allows: registers, soft reset, errors, a program, rows, and the clock it runs at."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...hw.soc.bus.registers import Access, Register
from ...hw.soc.shell.registers import State
from .device import Device, ShellDevice
from .errors import DeviceError, DeviceFault

__all__ = ["CheckResult", "measure_clock", "self_test"]

# Two that differ in every bit.
PATTERNS = (0xAAAA_AAAA, 0x5555_5555)
TEST_ROWS = 4
CLOCK_SECONDS = 0.25
# Instructions that wait for the host: while one runs, the device counts cycles.
WAITING = ("serve", "load")


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """One check of a self-test.

    Parameters
    ----------
    name : str
    passed : bool or None
        ``None``: the device does not allow the check.
    text : str
        Text of what was done, or of what was wrong.
    """

    name: str
    passed: bool | None
    text: str


def self_test(device: Device) -> Iterator[CheckResult]:
    """Run all checks on an open device, each whatever came of the others.

    Programs in its program memory are lost; registers and rows of memories are put back. A soft reset is given, which
    empties the tree of a replay manager.
    """
    checks: dict[str, Callable[[Device], str | None]] = {
        "soft reset": _check_soft_reset,
        "registers": _check_registers,
        "refusal": _check_refusal,
        "errors": _check_errors,
        "program": _check_program,
        "rows": _check_rows,
    }
    for name, check in checks.items():
        try:
            text = check(device)
        except DeviceError as error:
            yield CheckResult(name=name, passed=False, text=str(error))
            continue
        if text is None:
            yield CheckResult(name=name, passed=None, text="not tried: no loads and stores of rows by their address")
        else:
            yield CheckResult(name=name, passed=True, text=text)


def _require(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise DeviceError(f"{what} is {found}, not {expected}")


def _check_soft_reset(device: Device) -> str:
    device.soft_reset()
    _require("State after a soft reset", State.of(device.read_register("status")).name.lower(), "idle")
    _require("Register errors after a soft reset", device.read_register("errors"), 0)
    return "the device is idle, without errors"


def _check_registers(device: Device) -> str:
    written = [
        (entry.address, entry.item)
        for entry in device.config.shell.address_map.placed
        if isinstance(entry.item, Register) and entry.item.access is Access.READ_WRITE
    ]
    for address, register in written:
        before = device.read(address)
        try:
            for pattern in PATTERNS:
                value = pattern & (1 << register.width) - 1
                device.write(address, value)
                _require(f"Register {register.name}, written {value:#x},", device.read(address), value)
        finally:
            device.write(address, before)
    return f"{len(written)} registers hold what is written"


def _check_refusal(device: Device) -> str:
    address = 0
    for entry in device.config.shell.address_map.placed:
        if entry.address != address:
            break
        address += entry.item.size
    try:
        device.read(address)
    except DeviceError:
        return f"reading address {address:#x}, which is unused, is refused"
    raise DeviceError(f"Reading address {address:#x}, which is unused, was not refused")


def _check_errors(device: Device) -> str:
    # No instruction has the opcode 0.
    device.load_program([0])
    try:
        device.run(cycle_limit=100_000)
    except DeviceFault as fault:
        _require("What an instruction that is none raised", fault.flags, ("bad_instruction",))
    else:
        raise DeviceError("An invalid instruction raised no error")
    finally:
        device.soft_reset()
    _require("Register errors after a soft reset", device.read_register("errors"), 0)
    return "an instruction that is none stops the device, and a soft reset cures it"


def _check_program(device: Device) -> str:
    instructions = device.config.shell.instruction_set
    program = [instructions.encode("wait")] * 3 + [instructions.encode("halt")]
    device.load_program(program)
    report = device.run(cycle_limit=100_000)
    _require("Number of instructions that a program of 4 retired", report.retired, 4)
    return f"a program of 4 instructions ran in {report.cycles} cycles"


def _check_rows(device: Device) -> str | None:
    """Ones to rows of the first memory tell which bits it has; random bits must come back in those."""
    shell = device.config.shell
    load, store = (_row_fields(device, name) for name in ("load", "store"))
    if load is None or store is None:
        return None
    shape = (TEST_ROWS, shell.stream_lanes)
    instructions = shell.instruction_set
    halt = instructions.encode("halt")

    def stored() -> np.ndarray:
        device.load_program([instructions.encode("store", **store), halt])
        device.run(cycle_limit=1_000_000)
        return device.receive(TEST_ROWS)

    def load_rows(rows: np.ndarray) -> None:
        device.load_program([instructions.encode("load", **load), halt])
        device.send(rows)
        device.run(cycle_limit=1_000_000)

    before = stored()
    try:
        load_rows(np.full(shape, 0xFFFF_FFFF, dtype=np.uint32))
        there = stored()
        if not there.any():
            raise DeviceError("Rows of ones came back as zeros")
        sent = np.random.default_rng(1).integers(0, 1 << 32, shape, dtype=np.uint32)
        load_rows(sent)
        back = stored()
        wrong = np.argwhere(back != sent & there)
        if len(wrong):
            row, lane = wrong[0]
            raise DeviceError(
                f"Word {lane} of row {row} came back as {back[row, lane]:#010x}, not {(sent & there)[row, lane]:#010x}"
            )
    finally:
        load_rows(before)
    bits = sum(int(word).bit_count() for word in there[0])
    return f"{TEST_ROWS} rows of {bits} bits went to a memory and came back"


def _row_fields(device: Device, name: str) -> dict[str, int] | None:
    """Fields of an instruction that moves the first rows of the first memory of the first core, if there is one."""
    instructions = device.config.shell.instruction_set
    operands = next((entry.arguments for entry in instructions.formats if entry.name == name), ())
    names = [operand.name for operand in operands]
    if not {"base", "count"} <= set(names):
        return None
    fields = {operand.name: 0 for operand in operands if operand.default is None or operand.name == "core"}
    fields["count"] = TEST_ROWS
    if "lanes" in fields:
        fields["lanes"] = device.config.lanes
    return fields


def measure_clock(device: ShellDevice, seconds: float = CLOCK_SECONDS) -> float | None:
    """Clock of the device in MHz, by what it counts while it waits for rows; ``None`` if nothing of it waits.

    The time that a read of the counter takes is the error: at one million baud some per cent.
    """
    instructions = device.config.shell.instruction_set
    waiting = next((entry for entry in instructions.formats if entry.name in WAITING), None)
    if waiting is None:
        return None
    fields = {operand.name: 1 for operand in waiting.arguments if operand.default is None}
    device.load_program([instructions.encode(waiting.name, **fields), instructions.encode("halt")])
    device.start()
    try:
        first, began = device.read_register("cycles"), time.monotonic()
        time.sleep(seconds)
        last, ended = device.read_register("cycles"), time.monotonic()
    finally:
        device.soft_reset()
    return (last - first) / (ended - began) / 1e6
