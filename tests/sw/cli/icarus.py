"""Simulates an exported design in Icarus, where it is installed."""

import re

from rewardware.hw.soc.export.lint import compile_icarus
from rewardware.hw.soc.limited_command import run_limited

CYCLES = 40
LIMIT_SECONDS = 120
RESET_CYCLES = 4


def unknown_after_reset(folder, design):
    """Handshakes of a design with a clock that Icarus, which takes the design, does not know after a reset with every
    input 0.

    A memory that does not start as zeros and a process that never runs show as such. Empty without Icarus.
    """
    bench, program = folder / "bench.v", folder / "bench"
    bench.write_text(_bench(design))
    if not compile_icarus([bench, *sorted((folder / "rtl").iterdir())], "bench", program):
        return []
    result = run_limited([str(program)], LIMIT_SECONDS)
    assert result.returncode == 0, result.stderr
    assert "end" in result.stdout
    return result.stdout.split()[:-1]


def _bench(design):
    module = re.search(rf"^module {design.name}\(.*?^endmodule", design.verilog, re.MULTILINE | re.DOTALL)[0]
    ports = re.findall(r"^  (input|output) (\[\d+:0\] )?(\w+);$", module, re.MULTILINE)
    inputs = [f"  reg {width}{port} = 0;" for kind, width, port in ports if kind == "input"]
    outputs = [f"  wire {width}{port};" for kind, width, port in ports if kind == "output"]
    watched = [port for kind, _, port in ports if kind == "output" and re.search(r"(valid|ready|idle|busy)$", port)]
    reset = [f"      rst = cycle < {RESET_CYCLES};"] if ("input", "", "rst") in ports else []
    lines = [
        "module bench;",
        *inputs,
        *outputs,
        "  integer cycle;",
        f"  {design.name} dut ({', '.join(f'.{port}({port})' for _, _, port in ports)});",
        "  initial begin",
        f"    for (cycle = 0; cycle < {CYCLES}; cycle = cycle + 1) begin",
        *reset,
        f"      #5 {design.clock} = 1;",
        f"      #5 {design.clock} = 0;",
        "    end",
        *(f'    if (^{port} === 1\'bx) $display("{port}");' for port in watched),
        '    $display("end");',
        "    $finish;",
        "  end",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
