"""The site's sources, without building it: `make docs` builds it, and fails at a warning."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from docs.extensions import diagrams, recordings
from docs.extensions.configurations import configuration_tables
from docs.extensions.cores import (
    KINDS,
    PARTS,
    constructor_signature,
    figures_of_cores,
    latest_document,
    room_page,
    settings_of,
    write_pages,
)
from docs.extensions.registers import own_registers
from rewardware.hw import cores
from rewardware.hw.cores import array, memory, stream, tree
from rewardware.hw.cores.convolution.gemm_config import GemmEngineConfig
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.hw.cores.stream.fork import StreamFork
from rewardware.hw.soc.devices import devices
from rewardware.hw.soc.export.catalogue import catalogue
from rewardware.hw.soc.presets import read_preset

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = ["What it is", "Figures", "How one sample travels", "Use it", "In detail", "Registers", "Limits"]
SYSTEMS = re.findall(r"^\| \[[^]]+\]\((\S+)\)", (DOCS / "systems.md").read_text(), re.MULTILINE)


def headings(page, level):
    """The headings of a level, outside of fences."""
    text = re.sub(r"^```.*?^```", "", (DOCS / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^{'#' * level} (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("page", SYSTEMS)
def test_pages_of_systems_have_the_same_sections(page):
    assert headings(page, 2) == SECTIONS


def test_every_system_has_a_page_with_a_diagram_and_its_registers():
    pages = "".join((DOCS / page).read_text() for page in SYSTEMS)
    own = [name for name, device in devices().items() if device.component.startswith("rewardware.")]
    assert own and not [name for name in own if f"{{registers}} {name}\n" not in pages and name != "pearl"]
    for page in SYSTEMS:
        way = (DOCS / page).read_text().partition("## How one sample travels")[2].partition("\n## ")[0]
        assert "```mermaid" in way, page


def test_registers_are_those_that_a_system_adds():
    lines = own_registers("mcts").splitlines()[2:]
    assert lines[0].startswith("| 0x0100 | `exploration` |") and not [line for line in lines if "`program`" in line]


def test_every_device_has_its_configuration_on_the_page():
    page = (DOCS / "configurations.md").read_text()
    own = [name for name, device in devices().items() if device.component.startswith("rewardware.")]
    assert own and sorted(re.findall(r"^```\{configuration\} (\w+)$", page, re.MULTILINE)) == sorted(own)


def test_the_file_on_the_page_is_a_configuration(tmp_path):
    text = re.search(r"^```yaml\n(.*?)^```$", (DOCS / "configurations.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    (tmp_path / "mine.yaml").write_text(text)
    preset = read_preset(tmp_path / "mine.yaml", "pearl")
    assert (preset.config.leaves, preset.config.fanout, preset.training) == (3000, 8, {"learning_starts": 500})


def test_a_configuration_has_a_row_for_every_entry_of_the_docstrings():
    assert configuration_tables("pearl").splitlines()[2:4] == [
        "| `leaves` | must be given | Most experiences (2 to 2**24); any number. |",
        "| `fanout` | `16` | K, children of a node: 2, 4, 8, 16 or 32, "
        "so that a digit of a leaf's index is made of wires. |",
    ]
    hardware, memories = configuration_tables("learninggroup").split("\n\n")
    assert "| `grouping_rows`, `index_rows` | `4096`, `256` |" in memories and "optimizer_format" in hardware
    assert "`{format: binary32, adder_depth: 4, multiplier_depth: 5}`" in configuration_tables("a3c")


@pytest.mark.parametrize("room", [array, tree], ids=lambda room: room.__name__)
def test_a_room_has_all_its_components_in_order(room):
    text = room_page(room).partition("Components\n")[2].partition("\nPorts\n")[0]
    names = [line.rpartition(".")[2] for line in text.splitlines() if line.startswith(".. autoclass::")]
    assert names == sorted(names) and len(names) > 10
    assert {"array": "ArrayMatrixEngine", "tree": "SearchTree"}[room.__name__.rpartition(".")[2]] in names


@pytest.mark.parametrize("room", [array, tree, memory, cores], ids=lambda room: room.__name__)
def test_a_room_has_every_public_class_once(room):
    names = re.findall(r"^\.\. autoclass:: (\S+)$", room_page(room), re.MULTILINE)
    assert len(names) == len(set(names)) and not [name for name in names if name.rpartition(".")[2].startswith("_")]


def test_classes_that_rooms_share_have_a_page_of_their_own():
    names = re.findall(r"^\.\. autoclass:: (\S+)$", room_page(cores), re.MULTILINE)
    assert "rewardware.hw.cores.engine.EngineSignature" in names
    assert {name.count(".") for name in names} == {4}


def test_the_latest_document_has_figures_of_every_core_or_says_that_it_leaves_them_out():
    document = latest_document()
    found, left_out = figures_of_cores(document), document["left_out"].get("cores", [])
    assert sorted([*found, *left_out]) == sorted(name for name, design in catalogue().items() if not design.system)
    for resources in found.values():
        assert tuple(resources) == PARTS and not [one for one in resources.values() if not {*KINDS} <= {*one}]


def test_a_room_shows_what_the_document_has_of_its_cores():
    taken = {"lut": 12, "ff": 3, "dsp": 0, "bram": 0.5}
    rows = [{"id": "node_bank", "resources": {"xcu50": taken, "lfe5u-85f": taken | {"bram": 1}}}]
    document = {"version": "9.8", "systems": {"cores": {"rows": rows}}}
    section = room_page(tree, document).partition("Figures\n")[2].partition("\nComponents\n")[0]
    assert "in version 9.8" in section and "take Yosys long" in section
    head, *shown = [entry.split("\n     - ") for entry in section.split("\n   * - ")[1:]]
    assert head[2:] == ["xcu50: LUT / FF / DSP / BRAM", "lfe5u-85f: LUT / FF / DSP / BRAM"]
    found = {re.match(r":class:`(\w+) <rewardware.hw.cores.tree.", cells[0])[1]: cells[1:] for cells in shown}
    designs = [design for design in catalogue().values() if ".cores.tree." in design.component]
    assert list(found) == [design.name for design in designs] and len(found) > 4
    for name, (configuration, *figures) in found.items():
        assert [text.strip() for text in figures] == (
            ["12 / 3 / 0 / 0.5", "12 / 3 / 0 / 1"] if name == "node_bank" else ["not measured"] * 2
        )
        assert configuration == ("``levels=4, banks=8, nodes=1000``" if name == "search_tree" else "defaults")
    assert "The catalogue has no core of this room" in room_page(stream, document)


def test_settings_are_those_that_are_not_the_defaults():
    nested = GemmEngineConfig(
        array=SystolicArrayConfig(rows=8, columns=6), input_rows=1024, weight_rows=64, sum_rows=32, size_width=9
    )
    sizes = "input_rows=1024, weight_rows=64, sum_rows=32, size_width=9"
    assert settings_of(nested) == f"array=(rows=8, columns=6), {sizes}"


def test_pages_of_rooms_that_are_gone_go_and_others_keep_their_time(tmp_path):
    app = SimpleNamespace(srcdir=tmp_path)
    (tmp_path / "cores").mkdir()
    (tmp_path / "cores/gone.rst").write_text("gone")
    write_pages(app)
    written = {page.name: page.stat().st_mtime_ns for page in (tmp_path / "cores").iterdir()}
    assert {"tree.rst", "shared.rst", "bus.rst", "shell.rst"} <= {*written} and "gone.rst" not in written
    write_pages(app)
    assert written == {page.name: page.stat().st_mtime_ns for page in (tmp_path / "cores").iterdir()}


def drawn(directive, **fields):
    """The SVG of a directive's only node."""
    made = object.__new__(directive)
    numbers = iter(fields.pop("numbers"))
    made.state = SimpleNamespace(
        document=SimpleNamespace(settings=SimpleNamespace(env=SimpleNamespace(new_serialno=lambda kind: next(numbers))))
    )
    vars(made).update(fields)
    (node,) = made.run()
    return node.astext()


def test_diagrams_of_a_page_share_no_names_and_are_scaled(monkeypatch):
    one, two = (drawn(diagrams.Mermaid, numbers=[number], content=["flowchart LR", "  a --> b"]) for number in (1, 2))
    assert "merman_1" in one and "merman_2" in two and not re.search(r"\bmerman\b", one + two)
    monkeypatch.setattr(diagrams, "SCALE", 1)
    whole = drawn(diagrams.Mermaid, numbers=[1], content=["flowchart LR", "  a --> b"])
    small, large = (float(re.search(r"max-width:([0-9.]+)px", svg)[1]) for svg in (one, whole))
    assert small == round(0.8 * large)


def test_a_signature_is_that_of_the_constructor():
    assert constructor_signature(None, "class", "", StreamFork, None, "(*args)", None) == ("(shape, ways)", None)


def lines_of(recorded):
    """The marks of each line, cycle by cycle, where a dot goes on with the one before."""
    waves = {line["name"]: line["wave"] for line in recorded["signal"] if line}
    return {name: re.sub(r".\.*", lambda found: found[0][0] * len(found[0]), wave) for name, wave in waves.items()}


def transfers(lines, stream):
    return sum(pair == ("1", "1") for pair in zip(lines[f"{stream}valid"], lines[f"{stream}ready"], strict=True))


def test_a_recorded_stream_carries_every_value_once():
    recorded = recordings.stream_handshake()
    payloads = {line["name"]: line["data"] for line in recorded["signal"] if line and "data" in line}
    for side in "io":
        assert transfers(lines_of(recorded), f"{side}.") == 4
        assert payloads[f"{side}.payload"] == ["0xa0", "0xa1", "0xa2", "0xa3"]
    # The page says so.
    assert lines_of(recorded)["o.ready"].count("0") == 2


def test_a_recorded_write_is_one_transfer_of_each_channel_and_one_access():
    lines = lines_of(recordings.axi_lite_write())
    assert [transfers(lines, channel) for channel in ("aw", "w", "b")] == [1, 1, 1]
    assert lines["register access"].count("1") == 1
