"""Builds of all boards around a system that is a module with its ports alone, and their files as tools read them."""

import functools
import re
from tkinter import Tcl

from rewardware.hw.soc.boards.board import find_board
from rewardware.hw.soc.boards.board_top import board_files, system_module

__all__ = ["built", "pins_by_port", "ports_of_top", "run_tcl", "system_verilog"]


def system_verilog(board):
    """A system that connects its receiver to its transmitter."""
    name = system_module(board)
    return (
        f"module {name}(clk, rst, rx, tx, interrupt);\n  input clk, rst, rx;\n  output reg tx;\n"
        "  output interrupt;\n  assign interrupt = tx;\n  always @(posedge clk) tx <= rx & ~rst;\nendmodule\n"
    )


@functools.cache
def built(name):
    """The files of a board by its name, made once."""
    board = find_board(name)
    return board_files(board, system_verilog(board))


def ports_of_top(board):
    """Names of the ports of the board's top."""
    header = re.search(rf"^module {board.module}\((.*?)\);", built(board.name).files[f"{board.module}.v"], re.M | re.S)
    return [port.strip() for port in header[1].split(",")]


def run_tcl(text):
    """Commands that a script calls and Tcl does not have, each with its words; nested ones return their last word."""
    tcl, calls = Tcl(), []

    def record(*words):
        calls.append(words)
        return words[-1]

    tcl.createcommand("unknown", record)
    for name in ("project", "flow"):
        tcl.eval(f"package provide ::quartus::{name} 1.0")
    tcl.eval(text)
    return calls


def pins_by_port(board):
    """Pin of each port in the board's constraints."""
    files = built(board.name).files
    if board.family == "ecp5":
        return dict(re.findall(r'LOCATE COMP "(\S+)" SITE "(\w+)"', files[f"{board.module}.lpf"]))
    if board.family == "ice40":
        return dict(re.findall(r"set_io (\S+) (\w+)", files[f"{board.module}.pcf"]))
    if board.family == "xc7":
        calls = run_tcl(files[f"{board.module}.xdc"])
        return {words[3]: words[2] for words in calls if words[:2] == ("set_property", "LOC")}
    calls = run_tcl(files[f"{board.module}.qsf"])
    return {words[2]: words[3].removeprefix("PIN_") for words in calls if words[0] == "set_location_assignment"}
