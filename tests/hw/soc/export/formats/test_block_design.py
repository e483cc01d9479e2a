"""The block design, made by its script in stubs of Vivado that know the pins of every cell."""

import dataclasses
import re

import pytest

from rewardware.hw.soc.export.formats.block_design import block_design, buses_of
from tests.hw.soc.export.descriptions import CORE, description_of

from .interpreter import ScriptError
from .packages import write_system
from .vivado import Vivado


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Scripts are run here, the package is in a folder beside."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def run(folder, lanes, *arguments, progress="100%"):
    """Package a system, then make its block design."""
    package = folder.parent / "rows"
    write_system(package, lanes)
    vivado = Vivado()
    vivado.progress = progress
    vivado.run(package / "vivado/package_ip.tcl")
    vivado.run(package / "vivado/block_design.tcl", *arguments)
    return vivado


SYSTEMS = {
    "zynq": ("processing_system7", "FCLK_CLK0", "FCLK_RESET0_N", "M_AXI_GP0", "S_AXI_HP0", "IRQ_F2P"),
    "ultra": ("zynq_ultra_ps_e", "pl_clk0", "pl_resetn0", "M_AXI_HPM0_FPD", "S_AXI_HP0_FPD", "pl_ps_irq0"),
}


@pytest.mark.parametrize(
    "kind, argument",
    [
        ("zynq", "board=zynq_board"),
        ("zynq", "part=xc7z020clg400-1"),
        ("ultra", "board=ultra_board"),
        ("ultra", "part=xczu3eg-sbva484-1-e"),
    ],
)
def test_a_system_stands_beside_a_zynq(folder, kind, argument):
    vivado = run(folder, 4, argument)
    diagram = vivado.diagram
    ip, clock, reset, master, slave, interrupt = SYSTEMS[kind]
    assert diagram.cells["system"].ip == ip
    assert diagram.automation["rule"] == f"xilinx.com:bd_rule:{ip}"
    assert diagram.automation["apply_board_preset"] == ("1" if argument.startswith("board") else "0")
    # The registers of all are on the processor's master, all traffic with memory on its slave.
    assert (
        diagram.buses["control/S00_AXI"] == f"system/{master}" and diagram.buses[f"system/{slave}"] == "memory/M00_AXI"
    )
    for register in ("rewardware_0/s_axi_ctrl", "axi_dma_0/S_AXI_LITE", "interrupts/s_axi"):
        assert diagram.buses[register].startswith("control/M")
    assert {diagram.buses["memory/S00_AXI"], diagram.buses["memory/S01_AXI"]} == {
        "axi_dma_0/M_AXI_MM2S",
        "axi_dma_0/M_AXI_S2MM",
    }
    assert diagram.buses["rewardware_0/s_axis"] == "axi_dma_0/M_AXIS_MM2S"
    assert diagram.buses["axi_dma_0/S_AXIS_S2MM"] == "rewardware_0/m_axis"
    # One clock, and one reset that is synchronous to it.
    clocks = {pin: driver for pin, driver in diagram.wires.items() if pin.lower().endswith(("aclk", "_clk"))}
    assert set(clocks.values()) == {f"system/{clock}"} and len(clocks) >= 9
    resets = {pin: driver for pin, driver in diagram.wires.items() if pin.endswith("resetn")}
    assert set(resets.values()) == {"reset_0/peripheral_aresetn"}
    assert {pin.split("/")[0] for pin in resets} == {"rewardware_0", "axi_dma_0", "control", "memory", "interrupts"}
    assert diagram.wires["reset_0/ext_reset_in"] == f"system/{reset}"
    lines = {diagram.wires[f"interrupt_lines/In{number}"] for number in range(3)}
    assert lines == {"rewardware_0/interrupt", "axi_dma_0/mm2s_introut", "axi_dma_0/s2mm_introut"}
    assert diagram.wires["interrupts/intr"] == "interrupt_lines/dout"
    assert diagram.wires[f"system/{interrupt}"] == "interrupts/irq"
    # As long as a transfer can be, and every address that the processing system's slave has.
    settings = diagram.cells["axi_dma_0"].settings
    assert (settings["c_sg_length_width"], settings["c_addr_width"]) == ("26", {"zynq": "32", "ultra": "40"}[kind])
    assert "100" in [value for name, value in diagram.cells["system"].settings.items() if name.endswith("FREQMHZ")]
    assert diagram.done == ["assign_bd_address", "validate_bd_design", "save_bd_design", "generate_target"]
    assert vivado.project.parts[0].properties["top"] == "rows_zynq_wrapper"
    assert vivado.project.properties["folder"] == str(folder / "rows_zynq")


def test_the_core_has_the_second_clock(folder):
    package = folder.parent / "rows"
    write_system(package, 4, core_clock=True)
    vivado = Vivado()
    vivado.run(package / "vivado/package_ip.tcl")
    vivado.run(package / "vivado/block_design.tcl", "board=ultra_board")
    wires, settings = vivado.diagram.wires, vivado.diagram.cells["system"].settings
    assert [pin for pin, driver in wires.items() if driver == "system/pl_clk1"] == ["rewardware_0/core_clk"]
    assert wires["rewardware_0/aclk"] == wires["axi_dma_0/m_axi_mm2s_aclk"] == "system/pl_clk0"
    assert settings["PSU__CRL_APB__PL1_REF_CTRL__FREQMHZ"] == settings["PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ"]
    assert "reset_1" not in vivado.diagram.cells


@pytest.mark.parametrize("lanes, width", [(3, 32), (4, 128)])
def test_rows_of_any_width_reach_the_dma(folder, lanes, width):
    diagram = run(folder, lanes, "board=zynq_board").diagram
    settings = diagram.cells["axi_dma_0"].settings
    assert settings["c_m_axis_mm2s_tdata_width"] == settings["c_m_axi_s2mm_data_width"] == str(width)
    assert ("from_host" in diagram.cells) == ("to_host" in diagram.cells) == (width != 32 * lanes)


@pytest.mark.parametrize("width, dma", [(32, 32), (192, 64), (1024, 1024), (2048, 1024), (3072, 1024)])
def test_the_dma_is_no_wider_than_it_can_be(width, dma):
    description = description_of("fixar")
    control, *streams = description.interfaces
    streams = [dataclasses.replace(stream, data_width=width) for stream in streams]
    description = dataclasses.replace(description, interfaces=(control, *streams))
    script = block_design(description, buses_of(description))
    assert f"c_m_axis_mm2s_tdata_width {dma} c_m_axi_mm2s_data_width {dma} c_m_axi_s2mm_data_width {dma}]" in script
    converters = re.findall(r"axis_dwidth_converter \[list S_TDATA_NUM_BYTES (\d+) M_TDATA_NUM_BYTES (\d+)\]", script)
    few, many = str(dma // 8), str(width // 8)
    assert converters == ([(few, many), (many, few)] if width != dma else [])


def test_it_is_built_if_wanted(folder):
    vivado = run(folder, 4, "board=ultra_board", "build=yes", "output=made")
    assert vivado.diagram.done[-2:] == ["launch_runs", "write_hw_platform"]
    (written,) = vivado.called("write_hw_platform")
    assert written.options == {"fixed": "", "include_bit": "", "force": "", "file": str(folder / "made/rows.xsa")}
    made = {path.name: path.read_text() for path in (folder / "made").iterdir() if path.is_file()}
    reports = {"rows_utilization.rpt", "rows_timing.rpt"}
    assert set(made) == reports | {"rows.bit", "rows.hwh", "rows_zynq_wrapper.v"}
    assert (made["rows.bit"], made["rows.hwh"]) == ("bitstream", "handoff")
    with pytest.raises(ScriptError, match="^The implementation failed: route_design ERROR$"):
        run(folder, 4, "board=ultra_board", "build=yes", progress="80%")


def test_what_is_missing_is_said(folder):
    package = folder.parent / "rows"
    write_system(package)
    script = package / "vivado/block_design.tcl"
    with pytest.raises(ScriptError, match="^Argument board or part is missing: "):
        Vivado().run(script, "output=there")
    with pytest.raises(
        ScriptError, match=f"^Folder {folder}/rows_ip must hold the core: run package_ip.tcl before\nUsage"
    ):
        Vivado().run(script, "board=zynq_board")
    vivado = Vivado()
    vivado.run(package / "vivado/package_ip.tcl")
    with pytest.raises(
        ScriptError,
        match="^Part must be a Zynq-7000 or Zynq UltraScale+, not xc7a100t of the family artix7".replace("+", r"\+"),
    ):
        vivado.run(script, "part=xc7a100t")


def test_a_design_without_these_buses_has_none():
    description = description_of("fixar")
    buses = buses_of(description)
    assert (buses.control.name, buses.from_host.name, buses.to_host.name) == ("s_axi_ctrl", "s_axis", "m_axis")
    assert buses_of(description_of(CORE)) is None
    control, *streams = description.interfaces
    for left in ((control,), tuple(streams), (control, streams[0]), (*description.interfaces, streams[0])):
        assert buses_of(dataclasses.replace(description, interfaces=left)) is None
    other = dataclasses.replace(streams[0], clock="other")
    assert buses_of(dataclasses.replace(description, interfaces=(control, other, streams[1]))) is None


def test_more_clocks_than_there_are_are_refused():
    description = description_of("fixar")
    (clock,) = description.clocks
    more = tuple(dataclasses.replace(clock, port=f"clock_{number}", interfaces=()) for number in range(4))
    description = dataclasses.replace(description, clocks=(*more, clock))
    with pytest.raises(ValueError, match="^A Zynq gives at most 4 clocks, fixar needs 5$"):
        block_design(description, buses_of(description))
