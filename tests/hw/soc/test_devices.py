"""Devices are found by their descriptors."""

import dataclasses

import pytest

from rewardware.hw.soc.devices import DeviceDescriptor, component_of, devices, find_device, register_device
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.presets import list_presets, load_preset
from tests.hw.soc.shell.row_memory import DEVICE, RowMemory, RowMemoryConfig

NAMES = {
    "dynamap",
    "fixar",
    "learninggroup",
    "maac",
    "mcts",
    "pearl",
    "pearl_ddpg_learner",
    "pearl_learner",
    "pearl_sac_learner",
}


def test_every_folder_with_a_descriptor_is_there():
    assert set(devices()) >= NAMES
    assert list(devices()) == sorted(devices())


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_descriptor_names_what_there_is(name):
    device = find_device(name)
    assert device.name == name
    for preset in {device.default_preset, *device.board_presets}:
        config = load_preset(preset, name)
        assert type(config) is device.configuration_class
        assert config.system == name
    assert device.preset_folder.joinpath(f"{device.default_preset}.yaml").is_file()


def test_a_device_from_elsewhere_gets_presets_and_export():
    register_device(DEVICE)
    assert list_presets("row_memory") == ["narrow"]
    assert load_preset("narrow", "row_memory") == RowMemoryConfig(lanes=2, depth=20, name="narrow")
    design = find_design("row_memory")
    assert design.description == DEVICE.component_class.__doc__.partition("\n")[0]
    assert design.configure(load_preset("narrow", "row_memory"), {"lanes": 5}).lanes == 5


def test_a_component_is_found_by_its_configuration():
    register_device(DEVICE)
    component = component_of(RowMemoryConfig(lanes=3))
    assert type(component) is RowMemory and component.config.lanes == 3
    with pytest.raises(
        ValueError,
        match="System must be one of a3c, dynamap, fixar, .* pearl, .* pearl_sac_learner, row_memory, not 'toaster'",
    ):
        component_of(RowMemoryConfig(system="toaster"))


def test_a_name_is_taken_once():
    register_device(DEVICE)
    with pytest.raises(ValueError, match="There is a device 'row_memory' already: .*row_memory:RowMemory"):
        register_device(dataclasses.replace(DEVICE, default_preset="wide"))


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="System must be one of a3c, dynamap, .*, not 'toaster'"):
        find_device("toaster")
    with pytest.raises(ValueError, match="Component of toaster must be \"module:class\", not 'Toaster'"):
        DeviceDescriptor(name="toaster", description="bread", component="Toaster", configuration="a:B")
