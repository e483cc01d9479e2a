"""Timing constraints for the vendors' tools, out of context: for a design that is built alone. No Amaranth here.

Inside a larger design the clock comes from elsewhere, and a second ``create_clock`` would be wrong.
"""

__all__ = ["sdc", "xdc"]

# Share of the period that an outside block may use before an input or after an output.
_OUTSIDE = 0.25


def xdc(clock: str, frequency: float) -> str:
    """For Vivado, as a file that is used out of context only."""
    period = 1000 / frequency
    return (
        f"# {frequency:g} MHz, for a design that is built alone: read_xdc -mode out_of_context\n"
        f"create_clock -name {clock} -period {period:.3f} [get_ports {clock}]\n"
        f"set_input_delay -clock {clock} {_OUTSIDE * period:.3f} "
        f"[get_ports -filter {{DIRECTION == IN && NAME != {clock}}}]\n"
        f"set_output_delay -clock {clock} {_OUTSIDE * period:.3f} [get_ports -filter {{DIRECTION == OUT}}]\n"
    )


def sdc(clock: str, frequency: float) -> str:
    """For Quartus, and other tools that read Synopsys design constraints."""
    period = 1000 / frequency
    return (
        f"# {frequency:g} MHz, for a design that is built alone: no part of the constraints of a larger one\n"
        f"create_clock -name {clock} -period {period:.3f} [get_ports {clock}]\n"
        f"set_input_delay -clock {clock} {_OUTSIDE * period:.3f} "
        f"[remove_from_collection [all_inputs] [get_ports {clock}]]\n"
        f"set_output_delay -clock {clock} {_OUTSIDE * period:.3f} [all_outputs]\n"
        "derive_clock_uncertainty\n"
    )
