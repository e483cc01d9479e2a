"""Tables of what units take and how fast they are, for the documentation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.tables import insert_table, markdown

__all__ = ["TABLES", "Row", "as_markdown", "measure", "write_table"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A unit in one configuration.

    Parameters
    ----------
    design : str
        In the catalogue.
    settings : dict
        Settings of its configuration.
    """

    design: str
    settings: dict[str, Any] = field(default_factory=dict)


def _rows(design: str, *settings: dict[str, Any]) -> list[Row]:
    return [Row(design=design, settings=chosen) for chosen in settings]


# For each table the page that has it, and its rows.
TABLES: dict[str, list[Row]] = {
    "float": [
        *_rows(
            "float_adder",
            {"format": "binary16", "depth": 2},
            {"format": "binary16", "depth": 4},
            {"format": "binary16", "depth": 6},
            {"format": "binary16_flush", "depth": 4},
            {"format": "bfloat16", "depth": 4},
            {"format": "binary32", "depth": 4},
            {"format": "binary32", "depth": 6},
        ),
        *_rows(
            "float_multiplier",
            {"format": "binary16", "depth": 3},
            {"format": "binary16", "depth": 5},
            {"format": "binary16_flush", "depth": 2},
            {"format": "bfloat16", "depth": 3},
            {"format": "binary32", "depth": 5},
            {"format": "binary32_flush", "depth": 3},
        ),
        *_rows(
            "float_fused_multiply_add",
            {"format": "binary16", "depth": 4},
            {"format": "binary16", "depth": 6},
            {"format": "binary32", "depth": 6},
        ),
        *_rows("float_comparator", {"format": "binary16", "depth": 2}),
        *_rows("fixed_to_float", {"format": "binary16", "depth": 3}),
        *_rows("float_to_fixed", {"format": "binary16", "depth": 3}),
        *_rows(
            "float_converter",
            {"source": "binary32", "target": "binary16", "depth": 2},
            {"source": "binary16", "target": "binary32", "depth": 2},
        ),
        *_rows("float_reciprocal", {"format": "binary16"}, {"format": "binary32"}),
        *_rows("float_square_root", {"format": "binary16"}, {"format": "binary32"}),
        *_rows("float_reciprocal_square_root", {"format": "binary16"}, {"format": "binary32"}),
        *_rows("float_exponential", {"format": "binary16"}, {"format": "binary32"}),
        *_rows("float_logarithm", {"format": "binary16"}, {"format": "binary32"}),
        *_rows(
            "float_sigmoid_tanh",
            {"format": "binary16"},
            {"format": "binary16_flush"},
            {"format": "bfloat16"},
            {"format": "binary32"},
        ),
    ],
    "tree": [
        *_rows(
            "selector",
            *(
                {"values": values, "group": group, "comparison": comparison}
                for values in (6, 18)
                for group in (2, 3, 4, 6)
                for comparison in ("lookup", "logic")
            ),
        ),
    ],
}


def measure(row: Row) -> dict[str, Any]:
    """Resources of a unit on UltraScale+ and ECP5, and its clock on ECP5 between registers."""
    from ...hw.cores.verilog.emit import emit
    from ...hw.soc.export.catalogue import find_design
    from ...hw.soc.export.registered import RegisteredUnit
    from ..measurement.tool_cache import place_once, synthesise_once

    design = find_design(row.design)
    configuration = design.configure(settings=row.settings)
    unit = design.create(configuration)
    verilog = emit(unit, row.design)
    surrounded = emit(RegisteredUnit(design.create(configuration)), row.design)
    placed = place_once(synthesise_once(surrounded, row.design, "ecp5", depth=0, netlist=True), frequency=150.0)
    return {
        "design": row.design,
        "settings": row.settings,
        "latency": unit.latency,
        "xcup": dict(synthesise_once(verilog, row.design, "xcup", depth=0).result.total.items()),
        "ecp5": dict(synthesise_once(verilog, row.design, "ecp5", depth=0).result.total.items()),
        "frequency_mhz": round(min(placed.result.clocks.values()), 1),
    }


def as_markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table for a page."""
    table = [["unit", "numbers", "stages", "xcup LUT / FF / DSP", "ECP5 LUT / FF / MULT18", "ECP5 MHz"]]
    for row in rows:
        cells = [f"`{row['design']}`", _numbers(row["settings"]), str(row["latency"])]
        cells += [" / ".join(f"{row[family][kind]:g}" for kind in ("lut", "ff", "dsp")) for family in ("xcup", "ecp5")]
        table.append([*cells, f"{row['frequency_mhz']:.0f}"])
    return markdown(table, left=range(6))


def _numbers(settings: dict[str, Any]) -> str:
    """Settings of a unit as text: formats by their names, numbers after the setting's name."""
    chosen = {name: value for name, value in settings.items() if name != "depth"}
    if all(isinstance(value, str) for value in chosen.values()):
        return " to ".join(chosen.values()).replace("_flush", ", flush")
    return ", ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in chosen.items())


def write_table(name: str, table: str, folder: Path) -> None:
    """Put a table into its page, between the comments that mark its place."""
    page = folder / f"{name}.md"
    if not insert_table(page, name, table):
        raise ValueError(f"{page} must have a place for the table: <!-- table: {name} --> and <!-- end: {name} -->")
