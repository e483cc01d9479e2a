"""Work that takes processor time, each kind in a test of its own, for the test of ``--processor-time``.

Not collected by itself: its file is named to pytest by whoever wants it.
"""

import shutil
import subprocess
import sys
import time

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.verilator.build import build_library
from tests.mutate.example import Maximum

HARNESS = '#include "Vtop.h"\nextern "C" int result() { return Vtop().result; }\n'

SECONDS = 0.4
BUSY = f"import time\nend = time.process_time() + {SECONDS}\nwhile time.process_time() < end: pass"


def test_works():
    exec(BUSY)


def test_rests():
    time.sleep(SECONDS)


def test_starts_a_program():
    subprocess.run([sys.executable, "-c", BUSY], check=True)


def test_builds(tmp_path):
    (tmp_path / "harness.cpp").write_text(HARNESS)
    # Like no other design, and for nobody else.
    text = f"{emit(Maximum())}// {time.time_ns()}\n"
    shutil.rmtree(build_library(text, "top", [tmp_path / "harness.cpp"]).parent)


def test_is_measured_where_asked(pytestconfig):
    asked = pytestconfig.option.processor_time is not None
    assert ("tests.processor_time" in sys.modules) == asked
    assert hasattr(emit.__globals__["convert"], "__wrapped__") == asked
    assert hasattr(subprocess.Popen._handle_exitstatus, "__wrapped__") == asked
