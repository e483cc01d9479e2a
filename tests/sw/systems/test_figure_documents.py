"""Figures of all systems as one document, and several such documents side by side."""

import json

import pytest

from rewardware.hw.soc.devices import load_object
from rewardware.sw.core.versions import package_version
from rewardware.sw.measurement.bench import BenchOfPresets, make_row
from rewardware.sw.systems import figure_documents
from rewardware.sw.systems.descriptor import systems_with
from rewardware.sw.systems.figure_documents import (
    comparison,
    comparison_table,
    figures_of_all,
    read_document,
    suite_rows,
)


class Small(BenchOfPresets):
    """A figure that is tracked, and one that takes long."""

    system = "small"
    tracked = ("cycles",)

    def ids(self):
        return {"cycles": lambda: make_row(7, "cycles", "counted", "here"), "seconds": lambda: make_row(1, "s", "", "")}


class Slow(Small):
    tracked = ()


@pytest.fixture
def benches(monkeypatch):
    monkeypatch.setattr(figure_documents, "systems_with", lambda command: {})
    return {"small": f"{__name__}:Small", "slow": f"{__name__}:Slow"}


def test_a_document_says_what_it_leaves_out(benches):
    document = figures_of_all(benches)
    assert document["version"] == package_version()
    assert document["systems"] == {
        "small": {
            "config": "of each figure",
            "rows": [{"id": "cycles", "value": 7, "unit": "cycles", "paper": None, "kind": "counted", "how": "here"}],
        }
    }
    assert document["left_out"] == {"small": ["seconds"], "slow": ["cycles", "seconds"]}
    assert "--also" in document["why_left_out"]


def test_further_figures_are_made_where_they_are_named(benches):
    document = figures_of_all(benches, ["slow:seconds"])
    assert [row["id"] for row in document["systems"]["slow"]["rows"]] == ["seconds"]
    assert document["left_out"] == {"small": ["seconds"], "slow": ["cycles"]}
    with pytest.raises(ValueError, match="--also must be all or figures as SYSTEM:ID, not 'slow:second': did you mean"):
        figures_of_all(benches, ["slow:second"])
    document = figures_of_all(benches, ["slow:all"])
    assert [row["id"] for row in document["systems"]["slow"]["rows"]] == ["cycles", "seconds"]
    assert document["left_out"] == {"small": ["seconds"]}
    document = figures_of_all(benches, ["all"])
    assert [row["id"] for row in document["systems"]["slow"]["rows"]] == ["cycles", "seconds"]
    assert document["left_out"] == {} and document["why_left_out"] is None


@pytest.mark.parametrize("system", systems_with("bench"))
def test_tracked_figures_are_there(system):
    bench = load_object(systems_with("bench")[system].bench)()
    assert set(bench.tracked) <= set(bench.ids()) and len(set(bench.tracked)) == len(bench.tracked)


def document(version, **values):
    rows = [{"id": name, "value": value, "unit": unit, "kind": "counted"} for name, (value, unit) in values.items()]
    return {"kind": "rewardware figures", "version": version, "systems": {"pearl": {"config": "", "rows": rows}}}


def test_a_comparison_has_every_figure_of_every_document():
    old = document("1", kept=(4, "cycles"), gone=(1, "cycles"), scaled=(2.0, "ms"), zero=(0, "%"))
    new = document("2", kept=(3, "cycles"), scaled=(2000.0, "us"), zero=(0, "%"), added=(5, "cycles"))
    found = comparison([old, new])
    assert found["versions"] == ["1", "2"]
    assert {row["id"]: (row["unit"], row["values"], row["change_percent"]) for row in found["rows"]} == {
        "kept": ("cycles", [4, 3], -25.0),
        "gone": ("cycles", [1, None], None),
        "scaled": ("us", [None, 2000.0], None),
        "zero": ("%", [0, 0], 0.0),
        "added": ("cycles", [None, 5], None),
    }
    assert comparison([old])["rows"][0]["change_percent"] is None
    assert comparison([document("1", a=(0, "x")), document("2", a=(1, "x"))])["rows"][0]["change_percent"] is None
    three = comparison([document(str(value), a=(value, "x")) for value in (1, 4, 2)])
    assert [(row["values"], row["change_percent"]) for row in three["rows"]] == [([1, 4, 2], -50.0)]
    lines = comparison_table(found).splitlines()
    assert lines[0].split() == ["system", "figure", "unit", "1", "2", "change"]
    assert lines[1].split() == ["pearl", "kept", "cycles", "4", "3", "-25.0", "%"]
    assert lines[2].split() == ["pearl", "gone", "cycles", "1"]
    assert lines[4].split() == ["pearl", "zero", "%", "0", "0", "none"]


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps(document("1")))
    assert read_document(path)["version"] == "1"
    for text in ('{"kind": "else"}', "[]", "{"):
        path.write_text(text)
        with pytest.raises(ValueError, match="other.json must be a document of rewardware bench --all --json"):
            read_document(path)


def test_the_suite_is_read_from_the_report_of_pytest(tmp_path):
    path = tmp_path / "suite.xml"
    path.write_text('<testsuites><testsuite tests="3" failures="0" errors="0" time="12.34"/></testsuites>')
    assert [(row["id"], row["value"], row["unit"]) for row in suite_rows(path)["rows"]] == [
        ("suite_seconds", 12.3, "s"),
        ("suite_tests", 3, "tests"),
    ]
    for text, words in (
        ('<testsuites><testsuite tests="3" failures="1" errors="1" time="1"/></testsuites>', "not with 2 failed"),
        ('<testsuites><testsuite tests="3" failures="0" errors="1" time="1"/></testsuites>', "not with 1 failed"),
        ("<testsuites/>", "it has no test suite"),
        ("nothing", "must be a report of pytest --junitxml"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=words):
            suite_rows(path)
