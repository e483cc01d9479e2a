import dataclasses

import pytest

from rewardware.hw.soc.export.catalogue import catalogue, find_design
from rewardware.hw.soc.presets import load_preset, read_preset


@pytest.mark.parametrize("name", catalogue())
def test_every_design_is_created_and_described(name):
    design = find_design(name)
    preset = read_preset(design.default_preset or "tiny", design.preset_system).hardware
    configuration = design.configure(preset)
    assert design.create(configuration)._MustUse__used is not None
    assert design.description.endswith((".", ":"))
    assert (configuration is None) == (not design.parameters())


def test_every_core_is_in_the_catalogue():
    classes = {design.component.rpartition(":")[2] for design in catalogue().values()}
    assert {"ProcessingElementColumn", "AdaptiveArrayCore", "AdamEngine", "Quantizer", "Rescaler"} <= classes


def test_settings_go_over_the_preset_and_the_preset_over_the_defaults():
    design = find_design("array_core")
    tiny = load_preset("tiny")
    assert design.configure().lanes == 16
    assert design.configure(tiny).lanes == tiny.lanes
    assert design.configure(tiny, {"lanes": 10}).lanes == 10


@pytest.mark.parametrize("name", ["processing_element", "array_core", "accumulator_bank"])
def test_a_core_takes_every_field_of_its_part_of_a_preset(name):
    board = load_preset("ulx3s")
    assert board.pipelined
    assert find_design(name).configure(board) == board.array_engine.array


def test_a_system_takes_every_field_of_its_preset():
    tiny = load_preset("tiny")
    assert find_design("fixar").configure(tiny) == tiny
    assert find_design("fixar").configure(tiny, {"slots": 9}) == dataclasses.replace(tiny, slots=9)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("array_core", {"lane": 4}, "Parameter of array_core must be one of lanes, .*, not 'lane'"),
        ("rescaler", {"lanes": 4}, "Parameter of rescaler must be one of none: it has no parameters, not 'lanes'"),
        ("array_core", {"lanes": 5}, "Lanes must be even, not 5"),
    ],
)
def test_mistakes_are_named(name, settings, message):
    with pytest.raises(ValueError, match=message):
        find_design(name).configure(settings=settings)


def test_unknown_design_names_those_there_are():
    with pytest.raises(ValueError, match="Design must be one of a3c, dynamap, .*, not 'fixxar'"):
        find_design("fixxar")
