"""Problems from YAML: what they say, and what is wrong with them."""

import copy

import pytest
import yaml

from rewardware.sw.mapping.composer.problem import read_problem

CONTENT = {
    "batch": 32,
    "experience_bytes": 44,
    "tasks": {
        "sample": {"kind": "replay", "latency": {"cpu": 2.0e-5, "fpga": {"fixed": 1.0e-7, "experience": 4.0e-9}}},
        "learn": {"kind": "learner", "latency": {"cpu": 1.0e-4, "fpga": 2.0e-5}, "resources": {"fpga": {"dsp": 64}}},
        "update": {"kind": "replay", "latency": {"cpu": 1.0e-5, "fpga": 1.0e-7}},
    },
    "edges": [
        {"source": "sample", "target": "learn", "bytes": 1408},
        {"source": "learn", "target": "update", "bytes": 128},
    ],
    "devices": {
        "cpu": {"kind": "cpu", "memory_bandwidth": 2.0e10},
        "fpga": {"kind": "fpga", "memory_bandwidth": 1.0e11, "resources": {"dsp": 100}},
    },
    "links": [{"between": ["cpu", "fpga"], "bandwidth": 1.0e9, "initiation_latency": 1.0e-6}],
}


def write(folder, content):
    file = folder / "problem.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    return file


def test_what_the_file_says(tmp_path):
    problem = read_problem(write(tmp_path, CONTENT))
    assert problem.graph.order == ("sample", "learn", "update") and problem.devices == ("cpu", "fpga")
    assert problem.graph.replay_tasks == ("sample", "update") and problem.graph.learner_entry_tasks == ("learn",)
    assert problem.latency("sample", "fpga") == 1.0e-7 + 32 * 4.0e-9
    assert problem.platform.transfer(1000, "cpu", "fpga") == problem.platform.mean_transfer(1000) == 1.0e-6 + 1.0e-6
    assert problem.platform.transfer(1000, "fpga", "fpga") == 0
    assert problem.platform.bandwidth("fpga", "fpga") == 1.0e11
    assert problem.fits(["sample", "learn"], "fpga") and not problem.fits(["learn", "learn"], "fpga")


def changed(*path, value=None):
    """The content with one value replaced, or without it."""
    content = copy.deepcopy(CONTENT)
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return content


CYCLE = [*CONTENT["edges"], {"source": "update", "target": "sample", "bytes": 1}]


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (changed("edges", value=CYCLE), ValueError, "has a cycle: (sample|learn|update) -> .* -> .* -> "),
        (changed("tasks", "learn", "latency", "fpga"), ValueError, "Task learn has no latency on fpga"),
        (changed("tasks", "learn", "latency", "gpu", value=1.0), ValueError, "latencies of task learn: gpu; there are"),
        (changed("tasks", "learn", "resources", "gpu", value={}), ValueError, "resources of task learn: gpu"),
        (changed("tasks", "learn", "resources", "fpga", "dsp", value=-1), ValueError, "dsp of task learn on fpga must"),
        (changed("tasks", "learn", "latency", "fpga", value=0), ValueError, "learn on fpga: A latency must be above 0"),
        (changed("tasks", "learn", "latency", "fpga", value="2e-5"), TypeError, "not '2e-5' .YAML wants a point"),
        (changed("tasks", "learn", "kind", value="actor"), ValueError, "must be replay or learner, not 'actor'"),
        (changed("tasks", "learn", "speed", value=1), ValueError, "Unknown field of task learn: speed"),
        (changed("tasks", "learn", "latency"), TypeError, "Task learn must be a mapping with kind, and latency"),
        (changed("tasks"), TypeError, "A problem must be a mapping with"),
        (changed("batch"), ValueError, "A problem needs batch"),
        (changed("batch", value=0), ValueError, "Batch must be at least 1, not 0"),
        (changed("links"), ValueError, "Devices cpu and fpga must have one link, not 0"),
        (changed("links", value=CONTENT["links"] * 2), ValueError, "must have one link, not 2"),
        (changed("links", 0, "between", value=["cpu", "gpu"]), ValueError, "Unknown device in a link: gpu"),
        (changed("links", 0, "between", value=["cpu", "cpu"]), ValueError, "between two devices, not cpu, cpu"),
        (changed("links", 0, "bandwidth", value=0), ValueError, "Bandwidth between cpu and fpga must be above 0"),
        (changed("links", 0, "bandwidth"), ValueError, "A link needs bandwidth"),
        (changed("devices", "cpu", "kind", value="npu"), ValueError, "must be one of cpu, gpu, fpga, not 'npu'"),
        (changed("devices", value=["cpu"]), TypeError, "A platform must be a mapping with devices by name"),
        (changed("devices", value={}), ValueError, "A platform must have at least one device"),
        (changed("edges", 0, "target", value="lern"), ValueError, "edge from sample to lern: lern; there are sample"),
        (changed("edges", 0, "bytes", value=-1), ValueError, "Bytes from sample to learn must be at least 0"),
        (
            changed("edges", value=CONTENT["edges"] * 2),
            ValueError,
            "Each edge must occur once, .* twice: from learn to",
        ),
        (changed("nodes", value=1), ValueError, "Unknown section of a problem: nodes"),
    ],
)
def test_errors_name_what_is_wrong(content, kind, words, tmp_path):
    with pytest.raises(kind, match=f"^problem.yaml: .*{words}"):
        read_problem(write(tmp_path, content))


def test_not_yaml(tmp_path):
    file = tmp_path / "problem.yaml"
    file.write_text("tasks: [")
    with pytest.raises(ValueError, match="is not YAML"):
        read_problem(file)
