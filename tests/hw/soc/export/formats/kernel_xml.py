"""Whether the description of a kernel, as a parser of XML reads it, is of the Verilog and the registers."""

import json
from xml.etree import ElementTree

from .verilog import ports_in

__all__ = ["check_kernel_xml"]


def check_kernel_xml(package, name):
    """Ports and arguments are those of the Verilog and of the package's JSON file."""
    root = ElementTree.parse(package / "vitis/kernel.xml").getroot()
    assert (root.tag, root.attrib) == ("root", {"versionMajor": "1", "versionMinor": "9"})
    (kernel,) = root
    module = ports_in(sorted((package / "rtl").iterdir()), name)
    about = json.loads((package / f"{name}.json").read_text())
    assert kernel.attrib == {
        "name": name,
        "language": "ip",
        "vlnv": f"rewardware:systems:{name}:{'.'.join(about['version'].split('.')[:2])}",
        "attributes": "",
        "preferredWorkGroupSizeMultiple": "0",
        "workGroupSize": "1",
        "interrupt": "true" if "interrupt" in module else "false",
        "hwControlProtocol": "user_managed",
    }
    ports = {port.attrib["name"]: port.attrib for port in kernel.find("ports")}
    # Signals of the module that begin with the name of a port are a bus.
    signals = {"ap_clk", "ap_clk_2", "ap_rst_n", "interrupt"}
    buses = {port.rpartition("_")[0] for port in module if port not in signals}
    assert set(ports) == buses
    for label, port in ports.items():
        assert port.get("base", "0x0") == "0x0"
        width = {module[f"{label}_{data}"][1] for data in ("rdata", "wdata", "tdata") if f"{label}_{data}" in module}
        assert width == {int(port["dataWidth"])}
        if label.startswith("s_axi_control"):
            span = max(4096, 1 << module[f"{label}_awaddr"][1])
            assert (port["mode"], port["portType"], int(port["range"], 0)) == ("slave", "addressable", span)
            assert span <= 64 * 1024
        elif label.startswith("m_axi"):
            address = "araddr" if f"{label}_araddr" in module else "awaddr"
            assert module[f"{label}_{address}"] == ("out", 64)
            assert (port["mode"], port["range"]) == ("master", "0xffffffffffffffff")
    registers = {part["name"]: part["address"] for part in about["registers"]}
    arguments = [argument.attrib for argument in kernel.find("args")]
    assert [argument["id"] for argument in arguments] == [str(index) for index in range(len(arguments))]
    for argument in arguments:
        assert int(argument["offset"], 0) == registers[argument["name"]]
        assert (argument["addressQualifier"], argument["type"]) == ("1", "void*")
        assert (argument["size"], argument["hostSize"], argument["hostOffset"]) == ("0x8", "0x8", "0x0")
    pointed = {argument["port"] for argument in arguments}
    assert pointed == {label for label, port in ports.items() if port["mode"] == "master"}
    return arguments
