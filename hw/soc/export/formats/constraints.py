"""Timing constraints out of context: for a design that is built alone. No Amaranth here.

Inside a larger design the clock comes from elsewhere, and a second ``create_clock`` would be wrong. The commands are
those of the Synopsys Design Constraints that every tool knows; ports are named one by one, since tools differ in how
they choose them.
"""

from collections.abc import Iterator

from ..description import PackageDescription

__all__ = ["files"]

# Share of the period that an outside block may use before an input or after an output.
_OUTSIDE = 0.25


def files(description: PackageDescription) -> dict[str, str]:
    """The same constraints for Vivado and for the other tools; nothing for a design without a clock."""
    if not description.clocks:
        return {}
    text = "\n".join([*_clocks(description), *_delays(description), ""])
    about = f"# {description.name}, built alone. No part of the constraints of a larger design.\n"
    return {
        f"{description.name}_ooc.xdc": f"{about}# In Vivado: read_xdc -mode out_of_context\n{text}",
        f"{description.name}_ooc.sdc": about + text,
    }


def _clocks(description: PackageDescription) -> Iterator[str]:
    for clock in description.clocks:
        yield f"# {clock.frequency_mhz:g} MHz: {clock.source}"
        yield f"create_clock -name {clock.port} -period {clock.period_ns:.3f} [get_ports {{{clock.port}}}]"
    if len(description.clocks) > 1:
        groups = " ".join(f"-group {{{clock.port}}}" for clock in description.clocks)
        yield f"set_clock_groups -asynchronous {groups}"


def _delays(description: PackageDescription) -> Iterator[str]:
    """A command for the inputs and one for the outputs of each interface, then one for each other port."""
    (first, *_), clocks = description.clocks, {clock.port: clock for clock in description.clocks}
    groups = [(interface.clock, list(interface.ports.values())) for interface in description.interfaces]
    grouped = {port for _, ports in groups for port in ports}
    other = {reset.port: reset.clock for reset in description.resets}
    other |= {interrupt.port: interrupt.clock for interrupt in description.interrupts}
    groups += [
        (other.get(port.name, first.port), [port.name])
        for port in description.ports
        if port.name not in grouped and port.name not in clocks
    ]
    for clock, ports in groups:
        delay = _OUTSIDE * clocks[clock].period_ns
        for direction, command in (("in", "set_input_delay"), ("out", "set_output_delay")):
            chosen = [port for port in map(description.port, ports) if port.direction == direction]
            if chosen:
                names = " ".join(port.bits for port in chosen)
                yield f"{command} -clock {clock} {delay:.3f} [get_ports {{{names}}}]"
