"""The kernel for Vitis: its XML as a parser reads it, its packaging in stubs, both against the elaborated Verilog."""

import dataclasses
from xml.etree import ElementTree

import pytest

from rewardware.hw.soc.bus.interfaces import BusInterface
from rewardware.hw.soc.bus.registers import Access, AddressMap, Register
from rewardware.hw.soc.export.description import Port
from rewardware.hw.soc.export.formats import vitis
from tests.hw.soc.export.descriptions import description_of

from .interpreter import ScriptError
from .ip_core import check_core
from .kernel_xml import check_kernel_xml
from .packages import describe_kernel, write_kernel, write_system
from .vivado import Vivado


@pytest.mark.parametrize("core_clock", [False, True])
def test_the_xml_is_of_the_kernel(tmp_path, core_clock):
    arguments = check_kernel_xml(tmp_path, write_kernel(tmp_path, core_clock=core_clock))
    assert [(argument["name"], argument["port"], argument["offset"]) for argument in arguments] == [
        ("source_address_low", "m_axi_gmem0", "0x80"),
        ("destination_address_low", "m_axi_gmem1", "0x8c"),
    ]


def test_the_kernel_is_packaged(tmp_path, monkeypatch):
    package = tmp_path / "package"
    name = write_kernel(package)
    monkeypatch.chdir(tmp_path)
    vivado = Vivado()
    vivado.run(package / "vitis/package_xo.tcl")
    check_core(vivado.core, package)
    assert vivado.core.properties["sdx_kernel"] == "true" and vivado.core.properties["sdx_kernel_type"] == "rtl"
    assert vivado.core.properties["vitis_drc"] == "ctrl_protocol user_managed"
    assert vivado.core.properties["ipi_drc"] == "ignore_freq_hz true"
    (block,) = vivado.core.all("memory_map")["s_axi_control"].all("address_block").values()
    pointers = {register.name: register.values("register_parameter") for register in block.parts}
    assert {register: values for register, values in pointers.items() if values} == {
        "source_address_low": {"ASSOCIATED_BUSIF": "m_axi_gmem0"},
        "destination_address_low": {"ASSOCIATED_BUSIF": "m_axi_gmem1"},
    }
    assert {"source_rows", "destination_rows"} < set(pointers) and "source_address_high" not in pointers
    (checked,), (packaged,) = vivado.called("ipx::check_integrity"), vivado.called("package_xo")
    assert "kernel" in checked.options
    folder = tmp_path / f"{name}_kernel"
    assert packaged.options == {
        "force": "",
        "xo_path": str(folder / f"{name}.xo"),
        "kernel_name": name,
        "ctrl_protocol": "user_managed",
        "ip_directory": str(folder / "core"),
        "kernel_xml": str(package / "vitis/kernel.xml"),
    }
    assert vivado.calls[-1] is packaged
    with pytest.raises(ScriptError, match=r'^Argument must be one of output=\.\.\., not "x"\nUsage: vivado '):
        Vivado().run(package / "vitis/package_xo.tcl", "x")


def test_its_masters_stand_beside_a_zynq(tmp_path, monkeypatch):
    name = write_kernel(tmp_path / "package")
    monkeypatch.chdir(tmp_path)
    vivado = Vivado()
    vivado.run(tmp_path / "package/vivado/package_ip.tcl")
    vivado.run(tmp_path / "package/vivado/block_design.tcl", "board=ultra_board")
    masters = {vivado.diagram.buses["memory/S00_AXI"], vivado.diagram.buses["memory/S01_AXI"]}
    assert masters == {"rewardware_0/m_axi_gmem0", "rewardware_0/m_axi_gmem1"}
    assert vivado.diagram.buses["rewardware_0/s_axi_control"] == "control/M00_AXI"
    assert "axi_dma_0" not in vivado.diagram.cells and vivado.project.name == f"{name}_zynq"


def test_streams_between_kernels_are_arguments():
    description = describe_kernel()
    streams = [
        BusInterface(
            name=name, protocol="axi4stream", mode=mode, ports={}, clock="ap_clk", reset="ap_rst_n", data_width=96
        )
        for name, mode in (("s_axis", "slave"), ("m_axis", "master"))
    ]
    description = dataclasses.replace(description, interfaces=(*description.interfaces, *streams))
    kernel = ElementTree.fromstring(vitis.files(description)["vitis/kernel.xml"])[0]
    ports = {port.attrib["name"]: port.attrib for port in kernel.find("ports")}
    found = [argument.attrib for argument in kernel.find("args") if argument.attrib["addressQualifier"] == "4"]
    for number, (name, mode) in enumerate((("s_axis", "read_only"), ("m_axis", "write_only"))):
        assert ports[name] == {"name": name, "mode": mode, "dataWidth": "96", "portType": "stream"}
        assert (found[number]["name"], found[number]["port"], found[number]["id"]) == (name, name, str(2 + number))
        assert found[number]["size"] == found[number]["hostSize"] == "0x4"
    assert len(found) == 2


def test_a_design_without_masters_is_no_kernel(tmp_path):
    write_system(tmp_path)
    assert not (tmp_path / "vitis").exists()
    assert vitis.files(description_of("fixar")) == {}


def changed(**changes):
    """The kernel's description, with changes of its first master."""
    description = describe_kernel()
    control, master, *others = description.interfaces
    master = dataclasses.replace(master, **changes)
    return dataclasses.replace(description, interfaces=(control, master, *others))


def renamed_control():
    description = describe_kernel()
    control, *others = description.interfaces
    return dataclasses.replace(description, interfaces=(dataclasses.replace(control, name="s_axi_ctrl"), *others))


def wide_control():
    description = describe_kernel()
    control, *others = description.interfaces
    return dataclasses.replace(description, interfaces=(dataclasses.replace(control, address_width=17), *others))


def with_port():
    description = describe_kernel()
    return dataclasses.replace(description, ports=(*description.ports, Port(name="led", direction="out", width=1)))


def renamed_interrupt():
    description = describe_kernel()
    (interrupt,) = description.interrupts
    return dataclasses.replace(description, interrupts=(dataclasses.replace(interrupt, port="irq"),), ports=())


def without_high_word():
    low = Register(name="source_address_low", access=Access.READ_WRITE)
    return dataclasses.replace(describe_kernel(), address_map=AddressMap(name="kernel", items=(low,)))


@pytest.mark.parametrize(
    "description, message",
    [
        (
            renamed_control,
            "A kernel must have its registers on an AXI4-Lite interface s_axi_control, which kernel has not",
        ),
        (wide_control, "Registers of a kernel must have addresses of at most 16 bits, not 17"),
        (with_port, "Every port of a kernel must belong to an interface, led of kernel does not"),
        (renamed_interrupt, "The interrupt of a kernel must be called interrupt, not irq"),
        (
            lambda: changed(address_width=32),
            "Addresses of the master m_axi_gmem0 of a kernel must have 64 bits, not 32",
        ),
        (lambda: changed(pointers=()), "The master m_axi_gmem0 of a kernel must have a register for its address"),
        (without_high_word, "Register source_address_low of a kernel must have its high word after it, at 0x0004"),
    ],
)
def test_what_vitis_would_refuse_is_refused(description, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        vitis.files(description())
