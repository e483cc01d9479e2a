"""Components to Verilog, the same bytes on every machine."""

import gc
import os

from amaranth.back import verilog
from amaranth.lib import wiring


def emit(component: wiring.Component, name: str = "top") -> str:
    """Convert ``component`` to Verilog with the top module ``name``."""
    os.environ["AMARANTH_USE_YOSYS"] = "builtin"
    # A design is millions of small objects without cycles: collecting garbage doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)
    finally:
        if collecting:
            gc.enable()
