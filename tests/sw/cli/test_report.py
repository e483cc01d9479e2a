import json
import threading

from rewardware.hw.soc.export.placement import read_placement
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement import tool_cache as cached


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
    assert "Place and route is available only for ecp5, not xc7" in capsys.readouterr().err
    assert dispatch(["report", "operand_former", "--depth", "-1"]) == 2
    assert "--depth must be 0 or more, not -1" in capsys.readouterr().err


def test_a_core_without_a_clock_has_no_frequency(monkeypatch, capsys, tmp_path):
    (tmp_path / "report.json").write_text(json.dumps({"fmax": {}, "utilization": {}, "critical_paths": []}))
    placed = cached.Placed(read_placement(tmp_path), tmp_path)
    monkeypatch.setattr(cached, "place_once", lambda synthesised, frequency: placed)
    arguments = ["report", "selector", "--part", "ecp5", "--place"]
    assert dispatch([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frequency_mhz"] is None
    assert dispatch(arguments) == 0
    said = capsys.readouterr().out
    assert "Clock by nextpnr, speed grade 6: none, nothing is registered" in said and "inf" not in said


def test_the_placer_has_a_seed(monkeypatch, capsys, tmp_path):
    (tmp_path / "report.json").write_text(json.dumps({"fmax": {}, "utilization": {}, "critical_paths": []}))
    placed, options = cached.Placed(read_placement(tmp_path), tmp_path), []

    def place(synthesised, **chosen):
        options.append(chosen)
        return placed

    monkeypatch.setattr(cached, "place_once", place)
    for seed in ([], ["--seed", "7"]):
        assert dispatch(["report", "selector", "--part", "ecp5", "--place", *seed]) == 0
    # Without one the results that the cache has stay those of today.
    assert options == [{"frequency": 100.0}, {"frequency": 100.0, "seed": 7}]
    options.clear()
    capsys.readouterr()
    assert dispatch(["report", "selector", "--part", "ecp5", "--place", "--seeds", "3"]) == 0
    assert [chosen["seed"] for chosen in options] == [1, 2, 3]
    assert "3 seeds: 0.0 to 0.0 MHz, the best with seed 1" in capsys.readouterr().out
    options.clear()
    together = threading.Barrier(2, timeout=60)

    def place_together(synthesised, **chosen):
        together.wait()
        return place(synthesised, **chosen)

    monkeypatch.setattr(cached, "place_once", place_together)
    assert dispatch(["report", "selector", "--part", "ecp5", "--place", "--seeds", "4", "--jobs", "2"]) == 0
    assert sorted(chosen["seed"] for chosen in options) == [1, 2, 3, 4]
    for arguments, said in (
        (["selector", "--seed", "7"], "--seed and --seeds set the placer, which needs --place"),
        (["selector", "--seeds", "7"], "--seed and --seeds set the placer, which needs --place"),
        (["selector", "--place", "--seeds", "0"], "--seeds must be at least 1, not 0"),
        (["selector", "--place", "--seeds", "2", "--jobs", "0"], "--jobs must be at least 1, not 0"),
        (["selector", "--place", "--seed", "2", "--jobs", "2"], "--jobs is for several seeds, which need --seeds"),
        (["float", "--jobs", "2"], "--jobs is for several seeds, which need --seeds"),
        (["selector", "--place", "--seed", "-1"], "--seed must be at least 0, not -1"),
        (["float", "--place", "--seed", "7"], "--seed and --seeds are for one design, not for the table float"),
        (["float", "--levels"], "--levels is for one design, not for the table float"),
    ):
        capsys.readouterr()
        assert dispatch(["report", *arguments]) == 2
        assert said in capsys.readouterr().err


def test_large_memories_can_be_ultraram(capsys):
    memory = "report unaligned_memory --set lanes=2 --set rows=4096 --set width=64 --part xcu200 --json".split()
    for option, bram, uram in ([], 16, 0), (["--uram"], 0, 2):
        assert dispatch([*memory, *option]) == 0
        total = json.loads(capsys.readouterr().out)["total"]
        assert (total["bram"], total["uram"]) == (bram, uram)
    assert dispatch(["report", "unaligned_memory", "--part", "ecp5", "--uram"]) == 2
    assert "--uram is available only for xcup, not ecp5" in capsys.readouterr().err


def test_levels_of_the_longest_path_are_counted_where_asked(capsys):
    levels = {}
    for part in ("xcu50", "ecp5", "5cseba6"):
        arguments = ["report", "rescaler", "--part", part, "--depth", "0", "--levels"]
        assert dispatch([*arguments, "--json"]) == 0
        levels[part] = json.loads(capsys.readouterr().out)["levels"]
        assert dispatch(arguments) == 0
        assert f"Longest path by Yosys: {levels[part]} cells of logic between" in capsys.readouterr().out
    # Carry cells have eight bits, two and one.
    assert 3 < levels["xcu50"] < levels["ecp5"] < levels["5cseba6"] < 100
    assert dispatch(["report", "rescaler", "--part", "xcu50", "--depth", "0", "--json"]) == 0
    assert "levels" not in json.loads(capsys.readouterr().out)
