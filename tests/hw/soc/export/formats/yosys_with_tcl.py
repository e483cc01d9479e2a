"""Yosys with the command ``tcl``, which its Python package is built without: Python's Tcl runs the script.

The commands that the script gives Yosys are collected, and then run by Yosys at once.
"""

import subprocess
import sys
from pathlib import Path
from tkinter import Tcl

from rewardware.hw.soc.export.tools import find_tool


def main(arguments):
    """``yosys -l LOG -p 'tcl SCRIPT'``; anything else is an error."""
    _, log, _, script = arguments
    command, _, file = script.partition(" ")
    assert command == "tcl"
    tcl, said = Tcl(), []
    # `yosys -import` makes each command of Yosys one of Tcl; here each unknown one is.
    tcl.createcommand("say", lambda *words: said.append(" ".join(words)))
    tcl.eval("proc unknown {args} { say {*}$args }")
    tcl.createcommand("yosys", lambda option: None)
    tcl.eval(Path(file).read_text())
    return subprocess.run([*find_tool("yosys"), "-l", log, "-p", "; ".join(said)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
