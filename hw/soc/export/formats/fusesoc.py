"""The package as a core of FuseSoC (CAPI2). No Amaranth here."""

from typing import Any

import yaml

from ..description import PackageDescription

__all__ = ["files"]


def files(description: PackageDescription) -> dict[str, str]:
    """``NAME.core``, with targets to depend on (``default``) and to run."""
    name = description.name
    bench = f"{name}_smoke"
    simulation = {"toplevel": bench, "flow": "sim"}
    content: dict[str, Any] = {
        "name": f"{description.vendor}:{description.library}:{name}:{description.version}",
        "description": description.description,
        "filesets": {
            "rtl": {"files": list(description.files), "file_type": "verilogSource-2005"},
            "bench": {"files": [f"sim/{bench}.sv"], "file_type": "systemVerilogSource"},
            "waivers": {"files": [f"{name}.vlt"], "file_type": "vlt"},
        },
        "targets": {
            "default": {"filesets": ["rtl"], "toplevel": name},
            "sim": {
                "description": "A first simulation, with Icarus.",
                "filesets": ["rtl", "bench"],
                **simulation,
                "flow_options": {"tool": "icarus", "iverilog_options": ["-g2012"]},
            },
            "sim_verilator": {
                "description": "The same, with Verilator.",
                "filesets": ["waivers", "rtl", "bench"],
                **simulation,
                "flow_options": {"tool": "verilator", "mode": "cc", "verilator_options": ["--main", "--timing"]},
            },
            "lint": {
                "description": "Verilator's warnings, of which those are waived that have a reason.",
                "filesets": ["waivers", "rtl"],
                "toplevel": name,
                "flow": "lint",
                "flow_options": {"tool": "verilator", "verilator_options": ["-Wall"]},
            },
            "synth": {
                "description": "Synthesis with Yosys; `--arch` chooses another family than ecp5.",
                "filesets": ["rtl"],
                "toplevel": name,
                "flow": "generic",
                "flow_options": {"tool": "yosys", "arch": "ecp5", "output_format": "json"},
            },
        },
    }
    text = yaml.safe_dump(content, sort_keys=False, width=120, allow_unicode=True)
    return {f"{name}.core": f"CAPI=2:\n{text}"}
