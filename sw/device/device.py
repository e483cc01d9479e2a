"""The driver: the same for every link and every accelerator."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from ...hw.cores.error_flags import ERROR_FLAGS
from ...hw.soc.bus.registers import Register, Window
from ...hw.soc.shell.registers import IDENTIFICATION, SHELL_VERSION, State
from .errors import DeviceError, DeviceFault, DeviceTimeout
from .transport import Transport

__all__ = ["Device", "RunReport", "ShellDevice"]

# Cycles between two looks at a running device: short enough for Ctrl-C and a progress bar.
CHUNK_CYCLES = 50_000
# For rows that are on their way when a program is done, and for a reset to pass.
RECEIVE_LIMIT_CYCLES = 100_000
SETTLE_CYCLES = 256

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """Report of one run of a program.

    Parameters
    ----------
    cycles : int
        Clock cycles from start to halt.
    busy : dict
        For each engine the cycles in which it worked.
    retired : int
        Instructions.
    errors : tuple of str
        Flags raised that do not stop a program, such as ``overflow``; they are cleared.
    """

    cycles: int
    busy: dict[str, int]
    retired: int
    errors: tuple[str, ...]


@runtime_checkable
class Device(Protocol):
    """A device to its user: registers, rows, programs. :func:`open_device` makes one."""

    config: Any

    def read(self, address: int) -> int:
        """A 32-bit word at a byte address."""
        ...

    def write(self, address: int, value: int) -> None:
        """Write a 32-bit word."""
        ...

    def read_register(self, name: str) -> int:
        """A register by name, whole and with its sign."""
        ...

    def write_register(self, name: str, value: int) -> None:
        """Write a register by name."""
        ...

    def send(self, rows: np.ndarray) -> None:
        """Queue one packet of 32-bit words, shape (n, lanes)."""
        ...

    def receive(self, count: int) -> np.ndarray:
        """One packet, which must have ``count`` rows."""
        ...

    def load_program(self, instructions: Iterable[int], address: int = 0) -> None:
        """Write a program to the program memory from instruction ``address``."""
        ...

    def run(self, start: int = 0, cycle_limit: int = 10_000_000, progress: Progress | None = None) -> RunReport:
        """Run the program from ``start`` to its halt."""
        ...

    def soft_reset(self) -> None:
        """Bring the device from any state back to idle; memories and registers stay."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class ShellDevice:
    """A :class:`Device` behind a shell.

    Parameters
    ----------
    transport : Transport
    config : object
        With ``shell``, a ``ShellConfig``.

    Raises
    ------
    DeviceError
        The other end is no shell, or one of another version, accelerator or configuration.
    """

    def __init__(self, transport: Transport, config: Any):
        self.config = config
        self.transport = transport
        self._shell = config.shell
        self._map = config.shell.address_map
        self._arrived: list[tuple[np.ndarray, bool]] = []
        try:
            self._check()
        except BaseException:
            transport.close()
            raise

    def _check(self) -> None:
        shell = self._shell
        expected = (
            ("identification", IDENTIFICATION, "no Rewardware device: identification"),
            ("version", SHELL_VERSION, "a shell of another version: version"),
            ("system", int.from_bytes(shell.system_id.encode("ascii"), "little"), "another accelerator: system"),
            ("configuration_hash", shell.configuration_hash, "built for another configuration: hash"),
        )
        for name, value, what in expected:
            found = self.read_register(name)
            if found != value:
                raise DeviceError(f"{self.transport.name} is {what} {found:#010x}, expected {value:#010x}")

    def read(self, address: int) -> int:
        """A 32-bit word at a byte address."""
        return self.transport.read(address)

    def write(self, address: int, value: int) -> None:
        """Write a 32-bit word."""
        self.transport.write(address, value)

    def read_register(self, name: str) -> int:
        """A register by name, whole and with its sign."""
        address, register = self._register(name)
        raw = self.transport.read(address)
        if register.size > 4:
            raw |= self.transport.read(address + 4) << 32
        return register.to_value(raw)

    def write_register(self, name: str, value: int) -> None:
        """Write a register by name; ``ValueError`` for a value that does not fit."""
        address, register = self._register(name)
        self.transport.write(address, register.to_raw(value))

    def _register(self, name: str) -> tuple[int, Register]:
        placed = self._map[name]
        if isinstance(placed.item, Window):
            raise KeyError(f"{name!r} is a window, not a register")
        return placed.address, placed.item

    def send(self, rows: np.ndarray) -> None:
        """Queue one packet of 32-bit words, shape (n, lanes); it goes to the device while a program runs."""
        rows = np.asarray(rows)
        lanes = self._shell.stream_lanes
        if rows.ndim != 2 or rows.shape[1] != lanes or not len(rows):
            raise ValueError(f"Rows must have the shape (n, {lanes}) with n at least 1, not {rows.shape}")
        if rows.dtype == np.int32:
            rows = rows.view(np.uint32)
        if rows.dtype != np.uint32:
            raise TypeError(f"Rows must be of uint32 or int32, not {rows.dtype}")
        self.transport.send(rows)

    def receive(self, count: int) -> np.ndarray:
        """One packet, which must have ``count`` rows: an array of uint32, shape (count, lanes).

        Raises
        ------
        DeviceTimeout
            Fewer have come.
        DeviceError
            The packet is shorter or longer.
        """
        self._collect()
        if len(self._arrived) < count:
            self.transport.advance(RECEIVE_LIMIT_CYCLES, rows=count - len(self._arrived))
            self._collect()
        if len(self._arrived) < count:
            raise DeviceTimeout(
                f"{self.transport.name} sent {len(self._arrived)} of {count} rows within {RECEIVE_LIMIT_CYCLES} cycles"
            )
        packet, self._arrived = self._arrived[:count], self._arrived[count:]
        ends = [index for index, (_, last) in enumerate(packet) if last]
        if ends != [count - 1]:
            length = f"ended after {ends[0] + 1} rows" if ends else "did not end there"
            raise DeviceError(f"{self.transport.name} sent a packet that {length}, {count} rows were expected")
        return np.array([row for row, _ in packet], dtype=np.uint32)

    def _collect(self) -> None:
        rows, last = self.transport.receive()
        self._arrived += zip(rows, last.tolist(), strict=True)

    def load_program(self, instructions: Iterable[int], address: int = 0) -> None:
        """Write a program to the program memory from instruction ``address``; ``ValueError`` if it does not fit."""
        instructions = list(instructions)
        depth, width = self._shell.instruction_depth, self._shell.instruction_set.width
        if address < 0 or address + len(instructions) > depth:
            raise ValueError(
                f"A program must fit into the {depth} instructions of the program memory, "
                f"not take {len(instructions)} from {address}"
            )
        for word in instructions:
            if not 0 <= word < 1 << width:
                raise ValueError(f"An instruction must have at most {width} bits, not {word:#x}")
        place = self._map["program"].address + address * width // 8
        words = [word >> 32 * part & 0xFFFF_FFFF for word in instructions for part in range(width // 32)]
        self.transport.write_words(place, words)

    def run(self, start: int = 0, cycle_limit: int = 10_000_000, progress: Progress | None = None) -> RunReport:
        """Run the program from ``start`` to its halt.

        Parameters
        ----------
        start : int
            Instruction.
        cycle_limit : int
            Clock cycles.
        progress : callable or None
            Called with the cycles so far, every now and then.

        Raises
        ------
        DeviceFault
            An error flag stopped it. The flags stay until :meth:`soft_reset`.
        DeviceTimeout
            The limit was reached; the device is still running.
        """
        self.start(start)
        return self.finish(cycle_limit, progress)

    def start(self, start: int = 0) -> None:
        """Begin the program from ``start``; rows go and come while it runs, and :meth:`finish` waits for its end."""
        self._refuse_unless_ready()
        self.write_register("start_address", start)
        self.write_register("control", 1)

    def finish(self, cycle_limit: int = 10_000_000, progress: Progress | None = None) -> RunReport:
        """Wait for the halt of a program that runs.

        Parameters, errors and result are those of :meth:`run`; cycles count from the start.
        """
        while True:
            state, cycles = self._state(), self.read_register("cycles")
            if progress is not None:
                progress(cycles)
            flags = self._flags()
            stopped = tuple(flag.name for flag in ERROR_FLAGS if flag.stops and flag.name in flags)
            if stopped:
                self._collect()
                counter = self.read_register("program_counter")
                raise DeviceFault(
                    stopped,
                    f"{self.transport.name} stopped with {', '.join(stopped)} near instruction {counter} "
                    f"after {cycles} cycles; soft_reset() clears it",
                )
            if state is State.DONE:
                break
            if cycles >= cycle_limit:
                counter = self.read_register("program_counter")
                raise DeviceTimeout(
                    f"{self.transport.name} was not done within the limit of {cycle_limit} cycles: "
                    f"state {state.name.lower()}, at instruction {counter}; soft_reset() stops it"
                )
            self.transport.advance(min(CHUNK_CYCLES, cycle_limit - cycles), until_done=True)
            self._collect()
        if flags:
            self.write_register(
                "errors", sum(1 << index for index, flag in enumerate(ERROR_FLAGS) if flag.name in flags)
            )
        return RunReport(
            cycles=cycles,
            busy={engine: self.read_register(f"busy_{engine}") for engine in self._shell.engines},
            retired=self.read_register("retired"),
            errors=flags,
        )

    def _refuse_unless_ready(self) -> None:
        state = self._state()
        if state in (State.RUNNING, State.ERROR):
            raise DeviceError(
                f"{self.transport.name} cannot start: its state is {state.name.lower()}; soft_reset() first"
            )

    def _state(self) -> State:
        return State.of(self.read_register("status"))

    def _flags(self) -> tuple[str, ...]:
        raised = self.read_register("errors")
        return tuple(flag.name for index, flag in enumerate(ERROR_FLAGS) if raised >> index & 1)

    def soft_reset(self) -> None:
        """Bring the device from any state back to idle: error flags cleared, rows under way dropped, memories and
        registers as they are."""
        self.transport.forget()
        # The first one stops everything; rows that end the packets cut off by it, on both sides, go with the second.
        for _ in range(2):
            self.write_register("control", 2)
            self.transport.advance(SETTLE_CYCLES)
        self.transport.forget()
        self._arrived.clear()
        self.write_register("errors", (1 << len(ERROR_FLAGS)) - 1)

    def close(self) -> None:
        """Give the device back."""
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
