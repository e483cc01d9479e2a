"""Reads what Vivado and Quartus say of a design that they placed: resources, clock, part, version."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .bench import make_row

__all__ = ["VendorReport", "figures_of", "read_report"]

# Units of resources by the names that the tools have for them, and these in the order of a table.
_VIVADO = (
    ("lut", "LUT", ("CLB LUTs", "Slice LUTs")),
    ("ff", "flip-flop", ("CLB Registers", "Slice Registers")),
    ("dsp", "DSP", ("DSPs", "DSP Slices")),
    ("bram", "RAMB36", ("Block RAM Tile",)),
    ("uram", "URAM288", ("URAM",)),
)
_QUARTUS = (
    ("lut", "ALM", ("Logic utilization (in ALMs)",)),
    ("lut", "logic element", ("Total logic elements",)),
    ("ff", "flip-flop", ("Total registers",)),
    ("dsp", "DSP block", ("Total DSP Blocks",)),
    ("dsp", "9-bit multiplier", ("Embedded Multiplier 9-bit elements",)),
    ("bram", "RAM block", ("Total RAM Blocks",)),
    ("memory_bits", "bit", ("Total block memory bits",)),
)
# Without these a report was cut off.
_NEEDED = ("lut", "ff", "dsp")


@dataclass(frozen=True, kw_only=True)
class VendorReport:
    """Contents of one file.

    Parameters
    ----------
    file : Path
    tool : str
        ``"Vivado"`` or ``"Quartus"``.
    version, design, part : str
        Empty where the file does not say it.
    placed : bool
        Not only synthesised.
    resources : dict
        Number and unit by the name of a resource.
    frequency : float or None
        MHz that the slowest constrained clock reaches.
    clock : str
        Name of that clock.
    slack : float or None
        Nanoseconds that its setup paths have left.
    """

    file: Path
    tool: str
    version: str = ""
    design: str = ""
    part: str = ""
    placed: bool = True
    resources: dict[str, tuple[float, str]] = field(default_factory=dict)
    frequency: float | None = None
    clock: str = ""
    slack: float | None = None


def read_report(file: Path) -> VendorReport:
    """Read a report of utilisation or timing.

    Parameters
    ----------
    file
        What Vivado's ``report_utilization`` or ``report_timing_summary`` wrote; from Quartus ``*.fit.summary``,
        ``*.fit.rpt``, ``*.flow.rpt``, ``*.sta.rpt`` or ``*.sta.summary``.

    Raises
    ------
    ValueError
        It is none of these, or it was cut off, or the tool failed; the text says which.
    """
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"Report {file} cannot be read: {error.strerror}") from None
    if text and not text.endswith("\n"):
        raise ValueError(f"Report {file} ends within a line: it was cut off")
    if re.search(r"^\| Tool Version\s*: Vivado", text, re.MULTILINE):
        if "report_timing_summary" in text:
            return _vivado_timing(file, text)
        if "report_utilization" in text:
            return _vivado_utilisation(file, text)
    elif re.search(r"^Type\s*:.*Model Setup ", text, re.MULTILINE):
        return _quartus_slack(file, text)
    elif "Fmax Summary" in text:
        return _quartus_timing(file, text)
    elif re.search(r"^;? *(Fitter|Flow) Status\b", text, re.MULTILINE):
        return _quartus_fit(file, text)
    raise ValueError(
        f"Report {file} must be what report_utilization or report_timing_summary of Vivado wrote, or fit.summary, "
        "fit.rpt, flow.rpt, sta.rpt or sta.summary of Quartus, whole"
    )


def _cut_off(file: Path, what: str) -> ValueError:
    return ValueError(f"Report {file} lacks {what}: it was cut off, or is of another version of the tool")


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _resources(
    file: Path, values: dict[str, str], names: Sequence[tuple[str, str, Sequence[str]]]
) -> dict[str, tuple[float, str]]:
    """Resources in use, from texts that begin with their number."""
    found: dict[str, tuple[float, str]] = {}
    for resource, unit, known in names:
        for name in known:
            if name in values and (used := re.match(r"[\d,.]+", values[name])):
                found.setdefault(resource, (_number(used[0]), unit))
    missing = [resource for resource in _NEEDED if resource not in found]
    if missing:
        raise _cut_off(file, f"a number of {', '.join(missing)}")
    return found


def _vivado_head(file: Path, text: str) -> dict[str, Any]:
    head = {name.strip(): value.strip() for name, value in re.findall(r"^\| ([\w ]+?)\s*: (.*)$", text, re.MULTILINE)}
    version = re.match(r"Vivado v\.(\S+)", head["Tool Version"])
    if version is None or "Design" not in head or "Device" not in head:
        raise _cut_off(file, "version, design or device in its head")
    return {
        "file": file,
        "tool": "Vivado",
        "version": version[1],
        "design": head["Design"],
        "part": head["Device"],
        "placed": not head.get("Design State", "").startswith(("Synthesized", "Optimized")),
    }


def _vivado_utilisation(file: Path, text: str) -> VendorReport:
    rows = re.findall(r"^\|\s*([^|]+?)\*?\s*\|\s*([\d.]+)\s*\|", text, re.MULTILINE)
    # The first row of a name is the whole design's.
    return VendorReport(**_vivado_head(file, text), resources=_resources(file, dict(reversed(rows)), _VIVADO))


def _vivado_timing(file: Path, text: str) -> VendorReport:
    head = _vivado_head(file, text)
    periods = dict(re.findall(r"^ *(\S+) +\{[^}]*\} +([\d.]+) +[\d.]+ *$", text, re.MULTILINE))
    table = re.search(r"^\| Intra Clock Table$(.*?)(?=^\| Inter Clock Table$)", text, re.MULTILINE | re.DOTALL)
    if not periods or table is None:
        raise _cut_off(file, "its tables of clocks")
    # The row of a clock without setup paths begins with the slack of its pulses.
    rows = re.findall(
        r"^ *(\S+) +(-?[\d.]+) +-?[\d.]+ +\d+ +\d+ +-?[\d.]+ +-?[\d.]+ +\d+ +\d+ ", table[1], re.MULTILINE
    )
    slacks = {clock: float(slack) for clock, slack in rows if clock in periods}
    if not slacks:
        raise ValueError(f"Report {file} has no clock with paths between registers")
    clock = min(slacks, key=lambda name: slacks[name])
    frequency = 1000 / (float(periods[clock]) - slacks[clock])
    return VendorReport(**head, frequency=frequency, clock=clock, slack=slacks[clock])


def _quartus_version(text: str) -> str:
    found = re.search(r"Quartus (?:Prime|II)(?: 64-Bit)? Version\s*[:;]?\s*(\d[\w.]*)", text)
    return found[1] if found else ""


def _quartus_fit(file: Path, text: str) -> VendorReport:
    # A table's line or a summary's: `; name ; value ;`, `name : value`.
    values = dict(re.findall(r"^;? *([^;:\n]+?)\s*[;:] *([^;\n]+?) *;?$", text, re.MULTILINE))
    status = str(values.get("Fitter Status", values.get("Flow Status")))
    if not status.startswith("Successful"):
        raise ValueError(f"Report {file} is of a fit that was not successful: {status}")
    if "Device" not in values or not _quartus_version(text):
        raise _cut_off(file, "the device or the version")
    return VendorReport(
        file=file,
        tool="Quartus",
        version=_quartus_version(text),
        design=values.get("Top-level Entity Name", ""),
        part=values["Device"],
        resources=_resources(file, values, _QUARTUS),
    )


def _quartus_timing(file: Path, text: str) -> VendorReport:
    rows = re.findall(r"^; *[\d.]+ MHz *; *([\d.]+) MHz *; *(.+?) *;", text, re.MULTILINE)
    if not rows:
        raise _cut_off(file, "a clock in its summary of Fmax")
    # The slowest of all models of speed, voltage and temperature.
    frequency, clock = min((float(restricted), clock) for restricted, clock in rows)
    device = re.search(r"^; Device(?: Name)? *; *(\S+) *;", text, re.MULTILINE)
    return VendorReport(
        file=file,
        tool="Quartus",
        version=_quartus_version(text),
        part=device[1] if device else "",
        frequency=frequency,
        clock=clock,
    )


def _quartus_slack(file: Path, text: str) -> VendorReport:
    rows = re.findall(r"^Type\s*:.*Model Setup '(.*)'\nSlack\s*: (-?[\d.]+)$", text, re.MULTILINE)
    if not rows:
        raise _cut_off(file, "a slack of setup paths")
    slack, clock = min((float(slack), clock) for clock, slack in rows)
    return VendorReport(file=file, tool="Quartus", clock=clock, slack=slack)


def figures_of(reports: Iterable[VendorReport]) -> list[dict[str, Any]]:
    """Rows of figures, as those of a bench, with ``tool``, ``version`` and ``part`` besides.

    Raises
    ------
    ValueError
        They are not of one tool and one part, or none says the part, or two say the same.
    """
    reports = list(reports)
    common = {name: _agreed(reports, name) for name in ("tool", "version", "design", "part")}
    if not common["part"]:
        files = ", ".join(str(report.file) for report in reports)
        raise ValueError(f"None of {files} names the part: also give fit.summary or fit.rpt")
    rows: list[dict[str, Any]] = []
    for report in reports:
        how = f"{common['tool']} {common['version']}, {report.file.name}".replace(" ,", ",")
        kind = "placed" if report.placed else "synthesised"
        clock = f"{how}, clock {report.clock}"
        found = [(name, value, unit, how) for name, (value, unit) in report.resources.items()]
        found += [("frequency", report.frequency, "MHz", clock)] if report.frequency is not None else []
        found += [("setup_slack", report.slack, "ns", clock)] if report.slack is not None else []
        for name, value, unit, words in found:
            if any(row["id"] == name for row in rows):
                raise ValueError(f"Two reports say {name}: give one of each kind")
            about = {key: common[key] for key in ("tool", "version", "part")}
            rows.append({"id": name, **make_row(round(float(value or 0), 3), unit, kind, words), **about})
    return rows


def _agreed(reports: Sequence[VendorReport], name: str) -> str:
    """The one value of a name in all reports that have it."""
    said = {getattr(report, name): report.file for report in reports if getattr(report, name)}
    longest = max(said, key=len, default="")
    for value in said:
        # A report of timing leaves out the speed grade.
        if value != longest and not (name == "part" and _letters(longest).startswith(_letters(value))):
            pairs = " and ".join(f"{one} ({file})" for one, file in said.items())
            raise ValueError(f"Reports must be of one {name}, not {pairs}")
    return longest


def _letters(part: str) -> str:
    """Vivado writes xczu3eg-sbva484, xczu3egsbva484-1 and 7z020clg484-1 for parts with and without a speed grade."""
    return re.sub(r"[^a-z0-9]", "", part.lower()).removeprefix("xc")
