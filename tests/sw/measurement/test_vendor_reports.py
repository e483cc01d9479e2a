"""Reports in the formats of the tools, with numbers of no design."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement.vendor_reports import figures_of, read_report

HEAD = """\
Copyright notice.
---------------------------------------------------
| Tool Version : Vivado v.2023.2 (lin64) Build 4029153 Fri Oct 13 20:13:54 MDT 2023
| Date         : Fri Jan  2 16:49:35 2026
| Host         : machine running 64-bit Ubuntu 22.04
| Command      : {command} -file out.rpt
| Design       : accelerator
| Device       : {device}
| Speed File   : -2
| Design State : {state}
---------------------------------------------------
"""
UTILISATION = """
1. CLB Logic
------------

+----------------------------+-------+-------+------------+-----------+-------+
|          Site Type         |  Used | Fixed | Prohibited | Available | Util% |
+----------------------------+-------+-------+------------+-----------+-------+
| CLB LUTs*                  | 54321 |     0 |          0 |    230400 | 23.58 |
|   LUT as Logic             | 50000 |     0 |          0 |    230400 | 21.70 |
| CLB Registers              | 61234 |     0 |          0 |    460800 | 13.29 |
+----------------------------+-------+-------+------------+-----------+-------+

3. BLOCKRAM
-----------

| Block RAM Tile    | 101.5 |     0 |          0 |       312 | 32.53 |
|   RAMB36/FIFO*    |   100 |     0 |          0 |       312 | 32.05 |
| URAM              |    12 |     0 |          0 |        96 | 12.50 |
| DSPs           |  777 |     0 |          0 |      1728 | 44.97 |
| DSPs           |    1 |     0 |          0 |      1728 |  0.06 |
"""
SEVEN = UTILISATION.replace("CLB LUTs*", "Slice LUTs").replace("CLB Reg", "Slice Reg").replace("| URAM ", "| None ")
CLOCKS = """
------------------------------------------------------------------------------------------------
| Clock Summary
| -------------
------------------------------------------------------------------------------------------------

Clock         Waveform(ns)         Period(ns)      Frequency(MHz)
-----         ------------         ----------      --------------
aclk          {0.000 2.500}        5.000           200.000
  slow_clock  {0.000 10.000}       20.000          50.000
idle          {0.000 4.000}        8.000           125.000


------------------------------------------------------------------------------------------------
| Intra Clock Table
| -----------------
------------------------------------------------------------------------------------------------

Clock             WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)  \
THS Failing Endpoints  THS Total Endpoints     WPWS(ns)     TPWS(ns)  TPWS Failing Endpoints  TPWS Total Endpoints
-----             -------      -------  ---------------------  -------------------      -------      -------  ---
aclk               -1.250      -80.000                    120                 5000        0.030        0.000  \
                    0                 5000        2.225        0.000                       0                  1234
  slow_clock        4.000        0.000                      0                   50        0.030        0.000  \
                    0                   50        2.225        0.000                       0                    12
idle                                                                                                          \
                                                 3.225        0.000                       0                     1


------------------------------------------------------------------------------------------------
| Inter Clock Table
| -----------------
------------------------------------------------------------------------------------------------
"""
FIT = """\
Fitter Status : Successful - Thu Jan  1 12:00:00 2026
Quartus Prime Version : 20.1.1 Build 720 11/11/2020 SJ Lite Edition
Revision Name : project
Top-level Entity Name : accelerator
Family : Cyclone V
Device : 5CSEBA6U23I7
Timing Models : Final
Logic utilization (in ALMs) : 12,345 / 41,910 ( 29 % )
Total registers : 23456
Total pins : 10 / 314 ( 3 % )
Total virtual pins : 0
Total block memory bits : 1,234,567 / 5,662,720 ( 22 % )
Total RAM Blocks : 234 / 553 ( 42 % )
Total DSP Blocks : 56 / 112 ( 50 % )
Total PLLs : 1 / 6 ( 17 % )
"""
STA = """\
Timing Analyzer report for project
Thu Jan  1 12:00:00 2026
Quartus Prime Version 20.1.1 Build 720 11/11/2020 SJ Lite Edition

; Device Name           ; 5CSEBA6U23I7 ;

+--------------------------------------------------+
; Slow 1100mV 100C Model Fmax Summary              ;
+-----------+-----------------+-------------+------+
; Fmax      ; Restricted Fmax ; Clock Name  ; Note ;
+-----------+-----------------+-------------+------+
; 88.5 MHz  ; 88.5 MHz        ; aclk        ;      ;
; 250.0 MHz ; 200.0 MHz       ; other_clock ; limit due to minimum period restriction ;
+-----------+-----------------+-------------+------+

; Slow 1100mV -40C Model Fmax Summary              ;
; 87.25 MHz ; 87.25 MHz       ; aclk        ;      ;
"""
SLACK = """\
------------------------------------------------------------
TimeQuest Timing Analyzer Summary
------------------------------------------------------------

Type  : Slow 1100mV 100C Model Setup 'aclk'
Slack : 1.250
TNS   : 0.000

Type  : Slow 1100mV -40C Model Setup 'aclk'
Slack : -0.736
TNS   : -1.000

Type  : Slow 1100mV 100C Model Hold 'aclk'
Slack : -9.000
TNS   : -1.000
"""


def vivado(command, body, device="xczu7ev-ffvc1156-2-e", state="Routed"):
    return HEAD.format(command=command, device=device, state=state) + body


def cut(text, before):
    """The text before the line that begins so."""
    return text[: text.index(f"\n{before}") + 1]


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def values_of(rows):
    return {row["id"]: row["value"] for row in rows}


@pytest.mark.parametrize("body", [UTILISATION, SEVEN])
def test_a_report_of_vivados_utilisation(write, body):
    rows = figures_of([read_report(write("util.rpt", vivado("report_utilization", body)))])
    expected = {"lut": 54321, "ff": 61234, "dsp": 777, "bram": 101.5, "uram": 12}
    if body is SEVEN:
        del expected["uram"]
    assert values_of(rows) == expected
    assert rows[0] == {
        "id": "lut",
        "value": 54321,
        "unit": "LUT",
        "paper": None,
        "kind": "placed",
        "how": "Vivado 2023.2, util.rpt",
        "tool": "Vivado",
        "version": "2023.2",
        "part": "xczu7ev-ffvc1156-2-e",
    }


@pytest.mark.parametrize("state", ["Synthesized", "Optimized"])
def test_what_is_only_synthesised_is_called_so(write, state):
    file = write("util.rpt", vivado("report_utilization", UTILISATION, state=state))
    assert {row["kind"] for row in figures_of([read_report(file)])} == {"synthesised"}


def test_the_slowest_clock_of_vivados_timing(write):
    file = write("timing.rpt", vivado("report_timing_summary", CLOCKS, device="xczu7ev-ffvc1156"))
    used = write("util.rpt", vivado("report_utilization", UTILISATION))
    rows = figures_of([read_report(used), read_report(file)])
    assert values_of(rows)["frequency"] == 160.0 and values_of(rows)["setup_slack"] == -1.25
    assert rows[-1]["how"] == "Vivado 2023.2, timing.rpt, clock aclk" and rows[-1]["part"] == "xczu7ev-ffvc1156-2-e"
    other = CLOCKS.replace(" 4.000  ", "-4.000  ")
    assert read_report(write("other.rpt", vivado("report_timing_summary", other))).clock == "slow_clock"


@pytest.mark.parametrize("table", [False, True])
def test_reports_of_quartus(write, table):
    text = FIT
    if table:
        text = "".join(f"; {name.ljust(30)} ; {value.ljust(60)} ;\n" for name, value in
                       (line.split(" : ") for line in FIT.splitlines()))  # fmt: skip
    rows = figures_of([read_report(write(name, body)) for name, body in (("p.fit.summary", text), ("p.sta.rpt", STA))])
    assert values_of(rows) == {
        "lut": 12345,
        "ff": 23456,
        "dsp": 56,
        "bram": 234,
        "memory_bits": 1234567,
        "frequency": 87.25,
    }
    assert {(row["tool"], row["version"], row["part"]) for row in rows} == {("Quartus", "20.1.1", "5CSEBA6U23I7")}
    assert {row["unit"] for row in rows} == {"ALM", "flip-flop", "DSP block", "RAM block", "bit", "MHz"}


def test_the_clock_of_quartus_is_the_restricted_one(write):
    text = STA.replace("; 250.0 MHz ; 200.0 MHz ", "; 250.0 MHz ; 66.5 MHz  ")
    report = read_report(write("p.sta.rpt", text))
    assert (report.frequency, report.clock) == (66.5, "other_clock")


def test_a_slack_takes_its_part_from_the_fit(write):
    slack = write("p.sta.summary", SLACK)
    rows = figures_of([read_report(slack), read_report(write("p.fit.summary", FIT))])
    assert values_of(rows)["setup_slack"] == -0.736 and rows[0]["how"] == "Quartus 20.1.1, p.sta.summary, clock aclk"
    with pytest.raises(ValueError, match="None of .*p.sta.summary names the part: also give fit.summary or fit.rpt"):
        figures_of([read_report(slack)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be what report_utilization or report_timing_summary of Vivado wrote, or fit.summary, "),
        ("module top;\nendmodule\n", "must be what report_utilization"),
        (vivado("report_power", UTILISATION), "must be what report_utilization"),
        (vivado("report_utilization", cut(UTILISATION, "| DSPs")), "lacks a number of dsp: it was cut off"),
        (cut(vivado("report_utilization", UTILISATION), "| Device"), "lacks version, design or device in its head"),
        (vivado("report_timing_summary", cut(CLOCKS, "| Intra")), "lacks its tables of clocks: it was cut off"),
        (vivado("report_timing_summary", cut(CLOCKS, "| Inter")), "lacks its tables of clocks: it was cut off"),
        (
            vivado("report_timing_summary", CLOCKS.replace("aclk  ", "bclk  ", 1).replace("slow_clock", "s", 1)),
            "has no clock with paths between registers",
        ),
        (cut(FIT, "Total DSP"), "lacks a number of dsp: it was cut off"),
        (cut(FIT, "Device"), "lacks the device or the version"),
        (FIT[:-30], "ends within a line: it was cut off"),
        (FIT.replace("Successful", "Failed"), "is of a fit that was not successful: Failed - Thu Jan"),
        (cut(STA, "; 88.5"), "lacks a clock in its summary of Fmax"),
        (cut(SLACK, "Slack"), "lacks a slack of setup paths"),
    ],
)
def test_foreign_and_truncated_files_are_refused(write, text, words):
    with pytest.raises(ValueError, match=f"Report .*file.rpt .*{words}"):
        read_report(write("file.rpt", text))


def test_reports_that_do_not_belong_together_are_refused(write):
    used = read_report(write("util.rpt", vivado("report_utilization", UTILISATION)))
    other = vivado("report_timing_summary", CLOCKS, device="xczu9eg-ffvb1156")
    with pytest.raises(
        ValueError, match="one part, not xczu7ev-ffvc1156-2-e .*util.rpt.* and xczu9eg-ffvb1156 .*other"
    ):
        figures_of([used, read_report(write("other.rpt", other))])
    with pytest.raises(ValueError, match="Reports must be of one tool, not Vivado .* and Quartus"):
        figures_of([used, read_report(write("p.fit.summary", FIT))])
    with pytest.raises(ValueError, match="Two reports say lut: give one of each kind"):
        figures_of([used, used])


def test_the_command_prints_rows_of_figures(write, capsys, tmp_path):
    files = [str(write("p.fit.summary", FIT)), str(write("p.sta.rpt", STA))]
    assert dispatch(["report", "fixar", "--config", "tiny", "--import", *files, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("fixar, configuration tiny, on 5CSEBA6U23I7\n") and "87.25  MHz" in said
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert (report["system"], report["config"]) == ("fixar", "tiny") and len(report["rows"]) == 6
    for arguments, words in (
        (["nothing", "--import", *files], "Design must be one of"),
        (["fixar", "--place", "--import", *files], "--place is for a report that is made here, not for one that is "),
        (["fixar", "--seed", "0", "--import", *files], "--seed is for a report that is made here"),
        (["fixar", "--seeds", "2", "--import", *files], "--seeds is for a report that is made here"),
        (["fixar", "--jobs", "2", "--import", *files], "--jobs is for a report that is made here"),
        (["fixar", "--levels", "--import", *files], "--levels is for a report that is made here"),
        (["fixar", "--import", str(tmp_path / "none.rpt")], "none.rpt cannot be read: No such file"),
    ):
        assert dispatch(["report", *arguments]) == 2
        assert words in capsys.readouterr().err
