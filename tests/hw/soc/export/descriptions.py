"""Descriptions of packages to test formats with: no design is elaborated for them."""

import functools

from rewardware.hw.soc.devices import devices
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.describe import describe
from rewardware.hw.soc.export.description import PackageDescription
from rewardware.hw.soc.presets import read_preset

__all__ = ["CORE", "SYSTEMS", "described", "description_of"]

# Other tests make devices of their own known.
SYSTEMS = tuple(name for name, device in devices().items() if device.component.startswith("rewardware."))
# A core with a clock.
CORE = "operand_former"


def described(name, preset="", top="", files=()) -> PackageDescription:
    """The description of a design of the catalogue, by default as its smallest preset has it."""
    design = find_design(name)
    preset = preset or ("small" if design.system else design.default_preset)
    hardware = read_preset(preset, design.preset_system).hardware if preset else None
    configuration = design.configure(hardware)
    top = top or name
    return describe(
        design.top(configuration),
        top,
        design=name,
        description=design.description,
        configuration=configuration,
        files=files or [f"rtl/{top}.v", f"rtl/{top}_part.v"],
    )


# The same for each of the tests of a process.
description_of = functools.cache(described)
