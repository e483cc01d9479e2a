"""The first program of a package, on a fake of PYNQ whose fabric is the simulator."""

import re
import sys

import pytest

from rewardware.hw.soc.devices import find_device
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.formats import pynq
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.device.pynq import DMA_NAME, IP_NAME
from tests.sw.device.fake_pynq import FakePynq

from ..descriptions import CORE, SYSTEMS, description_of


@pytest.mark.parametrize(("system", "preset"), [("fixar", "tiny"), ("pearl", "small")])
def test_the_first_program_runs(system, preset, monkeypatch, capsys):
    description = description_of(system, preset, "top")
    config = find_design(system).configure(read_preset(preset, system).hardware)
    assert config.shell.configuration_hash == description.configuration_hash
    fake = FakePynq(config)
    monkeypatch.setitem(sys.modules, "pynq", fake)
    program = {"__name__": "first_run"}
    try:
        exec(pynq.files(description)["pynq/first_run.py"], program)
        assert program["main"]().retired == 2
    finally:
        fake.close()
    assert re.fullmatch(r"The device in top.bit: 2 instructions in \d+ cycles\n", capsys.readouterr().out)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_page_names_what_the_driver_looks_for(system):
    description = description_of(system)
    written = pynq.files(description)
    page, program = written["pynq/README.md"], written["pynq/first_run.py"]
    assert f"`{IP_NAME}`" in page and f"`{DMA_NAME}`" in page and f"({description.configuration_hash:#010x})" in page
    assert "pip install" in page and f"`{system}.bit`" in page
    assert not re.search(r"NAME|SYSTEM|HASH|CONTROL|STREAM|WIDTH|DESIGN|CONFIGURATION", page)
    assert not re.search(r"NAME|DESIGN|CONFIGURATION", program)
    # The preset is one that the board's installation finds.
    assert read_preset(program.partition('PRESET = "')[2].partition('"')[0], system)
    assert find_device(system)


def test_a_core_has_none():
    assert pynq.files(description_of(CORE)) == {}
