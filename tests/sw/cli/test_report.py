import json

from rewardware.sw.cli.dispatch import dispatch


def test_a_report_in_json_adds_up(capsys):
    assert dispatch(["report", "operand_former", "--part", "xcu50", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["family"] == "xcup"
    for resource, total in report["total"].items():
        assert total == sum(block["instances"] * block[resource] for block in report["blocks"])
    assert report["share_percent"]["lut"] == 100 * report["total"]["lut"] / 871680


def test_a_report_for_people_has_blocks_total_and_share(capsys):
    assert dispatch(["report", "operand_former", "--part", "xcu50"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("operand_former on xcu50: Alveo U50")
    assert any(line.startswith("total") for line in lines) and any(line.startswith("of xcu50") for line in lines)


def test_mistakes_are_named(capsys):
    assert dispatch(["report", "operand_former", "--part", "xcu51"]) == 2
    assert "Part must be one of xcu50, " in capsys.readouterr().err
    assert dispatch(["report", "operand_former", "--part", "xc7", "--place"]) == 2
    assert "Place and route is there for ecp5 alone, not xc7" in capsys.readouterr().err
    assert dispatch(["report", "operand_former", "--depth", "-1"]) == 2
    assert "--depth must be 0 or more, not -1" in capsys.readouterr().err
