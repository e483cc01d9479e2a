import dataclasses
import re
from tkinter import Tcl

import pytest

from rewardware.hw.soc.bus.interfaces import Reset
from rewardware.hw.soc.export.description import Clock
from rewardware.hw.soc.export.formats.constraints import files

from ..descriptions import CORE, SYSTEMS, description_of

# Commands that are the same in every tool that reads Synopsys Design Constraints.
COMMANDS = ("create_clock", "set_clock_groups", "set_input_delay", "set_output_delay", "get_ports")


def calls(text):
    """Commands of a file of constraints as Tcl runs them, with the ports that they name; anything else is an error."""
    tcl, called = Tcl(), []
    for command in tcl.eval("info commands").split():
        if command not in ("if", "eval", "rename", "proc", "unknown"):
            tcl.eval(f"rename {command} {{}}")
    tcl.createcommand("get_ports", lambda ports: ports)
    for command in COMMANDS[:-1]:
        tcl.createcommand(command, lambda *arguments, command=command: called.append((command, *arguments)))
    tcl.eval(text)
    return called


@pytest.mark.parametrize("name", [*SYSTEMS, CORE])
def test_every_port_has_its_clock_and_delays(name):
    description = description_of(name)
    xdc, sdc = files(description)[f"{name}_ooc.xdc"], files(description)[f"{name}_ooc.sdc"]
    found = calls(sdc)
    assert found == calls(xdc)
    (clock,) = description.clocks
    assert found[0] == ("create_clock", "-name", clock.port, "-period", "10.000", clock.port)
    for direction, command in (("in", "set_input_delay"), ("out", "set_output_delay")):
        ports = [port for call in found if call[0] == command for port in call[-1].split()]
        wanted = [
            port.name if port.width == 1 else f"{port.name}[*]"
            for port in description.ports
            if port.direction == direction and port.name != clock.port
        ]
        assert sorted(ports) == sorted(wanted)
        # A quarter of the period.
        assert {call[3] for call in found if call[0] == command} <= {"2.500"}


def test_a_port_belongs_to_its_own_clock():
    description = description_of("pearl")
    control, *streams = description.interfaces
    described = dataclasses.replace(
        description,
        interfaces=(dataclasses.replace(control, clock="slow"), *streams),
        clocks=(*description.clocks, Clock(port="slow", frequency_mhz=50)),
        resets=(*description.resets, Reset(port="slow_reset", active_low=False, clock="slow")),
        ports=(
            *description.ports,
            *(dataclasses.replace(description.port("aclk"), name=name) for name in ("slow", "slow_reset")),
        ),
    )
    found = calls(files(described)["pearl_ooc.sdc"])
    assert ("set_clock_groups", "-asynchronous", "-group", "aclk", "-group", "slow") in found
    of_clock = {port: call[2] for call in found if "delay" in call[0] for port in call[-1].split()}
    assert of_clock["slow_reset"] == of_clock["s_axi_ctrl_rdata[*]"] == "slow"
    assert of_clock["s_axis_tdata[*]"] == of_clock["aresetn"] == "aclk"


def test_without_a_clock_there_are_no_constraints():
    assert not files(dataclasses.replace(description_of(CORE), clocks=(), resets=()))


def test_the_frequency_is_said_in_megahertz():
    description = description_of(CORE)
    text = files(dataclasses.replace(description, clocks=(Clock(port="clk", frequency_mhz=164, source="told"),)))
    assert re.search(r"# 164 MHz: told\ncreate_clock -name clk -period 6\.098 ", text[f"{CORE}_ooc.xdc"])
