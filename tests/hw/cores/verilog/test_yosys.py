"""Yosys within the process."""

import os
import signal
import threading

import pytest
from amaranth.back import verilog

from rewardware.hw.cores.stream.fork import StreamFork
from rewardware.hw.cores.verilog.amaranth_internals import convert
from rewardware.hw.cores.verilog.yosys import YosysError, run_yosys


def test_same_bytes_as_amaranths_own_conversion(monkeypatch):
    monkeypatch.setenv("AMARANTH_USE_YOSYS", "builtin")
    fork = StreamFork(5, 3)
    expected = verilog.convert(fork, name="fork_of_three", emit_src=False, strip_internal_attrs=True)
    assert convert(fork, "fork_of_three", None) == expected


def test_one_run_leaves_nothing_to_the_next():
    written = "read_rtlil <<rtlil\nmodule \\{}\nend\nrtlil\nwrite_verilog\n"
    assert "module first" in run_yosys(written.format("first"))
    assert "module first" not in run_yosys(written.format("second"))


def test_a_refused_script_says_what_yosys_said():
    with pytest.raises(YosysError, match="^ERROR: No such command: read_nothing"):
        run_yosys("read_nothing\n")


def test_ctrl_c_is_heard_while_it_runs():
    # Seconds of work, of which nothing is waited for.
    wires = "".join(f"wire \\w{index}\n" for index in range(500_000))
    # Where the tests run in the background of a shell Ctrl-C is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            run_yosys(f"read_rtlil <<rtlil\nmodule \\top\n{wires}end\nrtlil\nwrite_verilog\n")
        assert any(thread.name == "yosys" for thread in threading.enumerate())
    finally:
        signal.signal(signal.SIGINT, before)
