import json

import pytest

from rewardware.sw.cli import unit_table
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.cli.unit_table import Row, write_table


@pytest.fixture
def small(monkeypatch):
    rows = [Row(design="float_comparator", settings={"format": "binary16_flush", "depth": 2})]
    monkeypatch.setitem(unit_table.TABLES, "small", rows)


def test_a_table_is_printed_and_written_into_its_page(small, capsys, tmp_path):
    page = tmp_path / "small.md"
    page.write_text("# Units\n\n<!-- table: small -->\nold\n<!-- end: small -->\n\nAfter.\n")
    assert dispatch(["report", "small", "--docs", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.strip()
    assert printed.splitlines()[2].startswith("| `float_comparator` | binary16, flush | 2 | ")
    assert page.read_text() == (f"# Units\n\n<!-- table: small -->\n{printed}\n<!-- end: small -->\n\nAfter.\n")
    assert dispatch(["report", "small", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["table"] == "small"
    (row,) = content["rows"]
    assert row["latency"] == 2 and row["xcup"]["lut"] > 10 and row["frequency_mhz"] > 50


def test_numbers_are_named_and_formats_are_not():
    none = {"lut": 1, "ff": 2, "dsp": 0}
    row = {"design": "unit", "latency": 3, "xcup": none, "ecp5": none, "frequency_mhz": 99.6}
    settings = (
        {"values": 6, "group": 3, "comparison": "lookup"},
        {"source": "binary32", "target": "binary16_flush", "depth": 2},
    )
    lines = unit_table.as_markdown([row | {"settings": chosen} for chosen in settings]).splitlines()
    assert lines[2] == "| `unit` | values 6, group 3, lookup | 3 | 1 / 2 / 0 | 1 / 2 / 0 | 100 |"
    assert lines[3].startswith("| `unit` | binary32 to binary16, flush | 3 | ")


def test_mistakes_are_named(small, capsys, tmp_path):
    assert dispatch(["report", "float_adder", "--docs", str(tmp_path)]) == 2
    assert "--docs is only for tables of units (float, tree, small), not for float_adder" in capsys.readouterr().err
    (tmp_path / "small.md").write_text("# Units\n")
    with pytest.raises(ValueError, match="small.md must have a place for the table: <!-- table: small -->"):
        write_table("small", "", tmp_path)
