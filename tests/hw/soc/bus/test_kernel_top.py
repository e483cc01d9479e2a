"""Systems as kernels, before a memory that is not ours."""

import pytest

from rewardware.hw.soc.bus.data_mover_config import DataMoverConfig
from rewardware.hw.soc.bus.kernel_registers import MOVERS_ADDRESS, MOVERS_SIZE, kernel_address_map
from rewardware.hw.soc.bus.kernel_top import KernelTop
from rewardware.hw.soc.bus.registers import Access, AddressMap, Placed, Register, Window
from rewardware.hw.soc.devices import component_of, devices
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.hw.soc.presets import list_presets, read_preset
from rewardware.sim.cocotb import simulate
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig

CONFIG = RowMemoryConfig()


@pytest.mark.parametrize("periods", [(10, None), (6, 14)], ids=["one_clock", "two_clocks"])
def test_kernel(periods):
    top = KernelTop(RowMemory(CONFIG), core_clock=periods[1] is not None)
    given = {"config": CONFIG, "periods": periods, "stall": 0.2}
    simulate(top, bench="tests.hw.soc.bus.bench_kernel_top", parameters=given)


def test_driver_of_a_system():
    config = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)
    top = KernelTop(component_of(config))
    simulate(top, bench="tests.hw.soc.bus.bench_kernel_driver", parameters={"config": config, "stall": 0.2})


def test_ports_are_what_vitis_asks_for():
    top = KernelTop(RowMemory(CONFIG), core_clock=True)
    assert [(bus.name, bus.protocol, bus.mode) for bus in top.interfaces] == [
        ("s_axi_control", "axi4lite", "slave"),
        ("m_axi_gmem0", "axi4", "master"),
        ("m_axi_gmem1", "axi4", "master"),
    ]
    control, source, _ = top.interfaces
    assert source.address_width == 64 and source.data_width == 128
    assert control.address_width == top.address_map.address_width
    assert top.clocks == ("ap_clk", "ap_clk_2")
    assert KernelTop(RowMemory(CONFIG)).clocks == ("ap_clk",)
    ports = set(top.signature.members)
    assert ports == {
        *(port for bus in top.interfaces for port in bus.ports.values()), *top.clocks, "ap_rst_n", "interrupt"
    }  # fmt: skip


def test_one_map_describes_the_kernel():
    shell = CONFIG.shell.address_map
    merged = kernel_address_map(shell)
    assert merged.name == shell.name
    assert {entry for entry in merged.placed if entry in shell.placed} == set(shell.placed)
    movers = [entry for entry in merged.placed if entry not in shell.placed]
    assert movers[0].address == MOVERS_ADDRESS and movers[-1].end <= MOVERS_ADDRESS + MOVERS_SIZE


@pytest.mark.parametrize("name", sorted({*devices()} - {"row_memory"}))
def test_each_system_has_a_preset_that_fits(name):
    hardware = [read_preset(preset, name).hardware for preset in list_presets(name)]
    maps = [config.shell.address_map for config in hardware]
    fitting = [kernel_address_map(found) for found in maps if found.size <= 1 << 16]
    assert fitting and all(found["source_address_low"].address == MOVERS_ADDRESS for found in fitting)


def test_what_is_no_kernel_is_refused_in_words():
    program = Placed(0x10000, Window(name="program", size=0x10000))
    with pytest.raises(ValueError) as raised:
        kernel_address_map(AddressMap(name="shell", items=(program,)))
    assert str(raised.value) == (
        "The register map of a kernel must end below 0x10000, not at 0x20000: the program memory must be smaller"
    )
    register = Placed(MOVERS_ADDRESS, Register(name="busy", access=Access.READ_ONLY))
    with pytest.raises(ValueError, match=r"busy \(0x0080 to 0x0083\) and source_address_low .* overlap"):
        kernel_address_map(AddressMap(name="shell", items=(register,)))
    with pytest.raises(ValueError, match="Rows of the movers must have the 96 bits of the system's, not 64"):
        KernelTop(RowMemory(CONFIG), movers=DataMoverConfig(row_width=64))
