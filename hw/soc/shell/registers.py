"""The registers of every shell, from address 0. No Amaranth here."""

import enum

from ...cores.error_flags import ERROR_FLAGS
from ...cores.records import Field
from ..bus.registers import Access, Register, RegisterField

__all__ = ["IDENTIFICATION", "INTERRUPTS", "SHELL_VERSION", "State", "shell_registers"]

IDENTIFICATION = int.from_bytes(b"RWDW", "little")
SHELL_VERSION = 0x0002_0000
COUNTER_WIDTH = 48


class State(enum.IntEnum):
    """State of the device, in the status register."""

    IDLE = 0
    RUNNING = 1
    DONE = 2
    ERROR = 3

    @classmethod
    def of(cls, status):
        """The state in a word of the status register."""
        return cls(status & max(cls))


_STATES = ", ".join(f"{state.value} {state.name.lower()}" for state in State)

# The position is the bit in the interrupt registers.
INTERRUPTS = {"done": "a program is done and its rows have left", "error": "a flag stopped a program"}


def shell_registers(config):
    """Registers of a shell, in the order of their addresses.

    Parameters
    ----------
    config : ShellConfig
    """
    return (*_constants(config), *_control(config.engines), *_events(), *_counters(config.engines))


def _constants(config):
    """Who the device is."""

    def constant(name, value, description, fields=()):
        return Register(name=name, access=Access.CONSTANT, reset=value, description=description, fields=fields)

    halves = (RegisterField(Field("minor", 16), 0), RegisterField(Field("major", 16), 16))
    system = int.from_bytes(config.system_id.encode("ascii"), "little")
    return (
        constant("identification", IDENTIFICATION, 'The characters "RWDW".'),
        constant("version", SHELL_VERSION, "Version of this register map.", halves),
        constant("system", system, "The accelerator's four characters."),
        constant(
            "configuration_hash",
            config.configuration_hash,
            "Hash of the configuration that the hardware was made from.",
        ),
    )


def _control(engines):
    """Registers of status and control."""
    busy = (
        RegisterField(Field(f"busy_{engine}"), 8 + index, f"engine {engine} has work")
        for index, engine in enumerate(engines)
    )
    soft_reset = "end the program and empty engines and stream buffers; registers, flags and counters stay"
    return (
        Register(
            name="status",
            access=Access.READ_ONLY,
            width=16,
            description="State of the device.",
            fields=(RegisterField(Field("state", 2, values=State), 0, _STATES), *busy),
        ),
        Register(
            name="control",
            access=Access.STROBE,
            width=2,
            description="Writing ones starts what is named. Both at once are refused.",
            fields=(
                RegisterField(Field("start"), 0, "run the program from start_address; refused unless idle or done"),
                RegisterField(Field("soft_reset"), 1, soft_reset),
            ),
        ),
        Register(
            name="start_address",
            access=Access.READ_WRITE,
            width=16,
            description="Instruction at which a start begins.",
        ),
    )


def _events():
    """Registers of events: bits that stay until they are cleared."""
    errors = {flag.name: flag.description + (" (stops the program)" if flag.stops else "") for flag in ERROR_FLAGS}

    def bits(descriptions):
        return tuple(
            RegisterField(Field(name), index, description)
            for index, (name, description) in enumerate(descriptions.items())
        )

    return (
        Register(
            name="errors",
            access=Access.WRITE_ONE_TO_CLEAR,
            width=len(errors),
            description="Sticky flags; they survive a soft reset.",
            fields=bits(errors),
        ),
        Register(
            name="interrupt_enable",
            access=Access.READ_WRITE,
            width=len(INTERRUPTS),
            description="Ones let the bits of interrupt_status raise the interrupt.",
            fields=bits(dict.fromkeys(INTERRUPTS, "")),
        ),
        Register(
            name="interrupt_status",
            access=Access.WRITE_ONE_TO_CLEAR,
            width=len(INTERRUPTS),
            description="What happened since ones were written.",
            fields=bits(INTERRUPTS),
        ),
    )


def _counters(engines):
    """How far a program is, and what it took."""

    def counter(name, description):
        return Register(name=name, access=Access.READ_ONLY, width=COUNTER_WIDTH, description=description)

    return (
        Register(name="program_counter", access=Access.READ_ONLY, width=16, description="Instruction being issued."),
        Register(name="retired", access=Access.READ_ONLY, description="Instructions issued since the start."),
        counter("cycles", "Clock cycles since the start, while running."),
        *(counter(f"busy_{engine}", f"Cycles in which engine {engine} had work.") for engine in engines),
    )
