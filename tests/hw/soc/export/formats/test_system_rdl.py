import pytest
from peakrdl_html import HTMLExporter
from systemrdl import RDLCompiler
from systemrdl.node import MemNode
from systemrdl.rdltypes import AccessType

from rewardware.hw.soc.bus.registers import Access
from rewardware.hw.soc.export.formats.system_rdl import files
from rewardware.hw.soc.shell.registers import State

from ..descriptions import CORE, SYSTEMS, description_of
from .read_back import registers_of


def elaborated(tmp_path, name):
    path = tmp_path / f"{name}.rdl"
    path.write_text(files(description_of(name))[f"{name}.rdl"])
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    return compiler.elaborate()


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_elaborates_to_the_same_registers(tmp_path, name):
    address_map, root = description_of(name).address_map, elaborated(tmp_path, name)
    read = registers_of(root)
    assert list(read) == [placed.item.name for placed in address_map.registers]
    for placed in address_map.registers:
        register = placed.item
        address, access, fields = read[register.name]
        assert address == placed.address
        assert access == (Access.READ_ONLY if register.access is Access.CONSTANT else register.access)
        parts = [(part.name, part.offset, part.width) for part in register.fields]
        assert [field[:3] for field in fields] == (parts or [("value", 0, register.width)])
        resets = [field[3] for field in fields]
        if register.access is Access.STROBE:
            assert set(resets) == {None}
        else:
            assert sum(reset << low for _, low, _, reset in fields) == register.reset
    windows = {node.inst_name: node for node in root.descendants() if isinstance(node, MemNode)}
    assert {(name, node.absolute_address, node.size) for name, node in windows.items()} == {
        (placed.item.name, placed.address, placed.item.size) for placed in address_map.windows
    }
    assert {node.get_property("sw") for node in windows.values()} == {AccessType.w}


def test_hardware_drives_what_is_no_constant(tmp_path):
    top = elaborated(tmp_path, "pearl").top
    of_hardware = {
        register: field.get_property("hw")
        for register in ("identification", "status", "start_address", "errors", "control")
        for field in top.get_child_by_name(register).fields()
    }
    assert of_hardware == {
        "identification": AccessType.na,
        "status": AccessType.w,
        "start_address": AccessType.r,
        "errors": AccessType.rw,
        "control": AccessType.r,
    }


def test_wide_registers_and_states_are_stated(tmp_path):
    top = elaborated(tmp_path, "fixar").top
    cycles, status = top.get_child_by_name("cycles"), top.get_child_by_name("status")
    assert (cycles.get_property("regwidth"), cycles.get_property("accesswidth")) == (64, 32)
    encoded = status.get_child_by_name("state").get_property("encode")
    assert {value.name: value.value for value in encoded} == {state.name.lower(): state.value for state in State}


def test_peakrdl_makes_html(tmp_path):
    HTMLExporter().export(elaborated(tmp_path, "mcts"), str(tmp_path / "html"))
    pages = "".join(path.read_text() for path in (tmp_path / "html").rglob("*") if path.suffix in (".html", ".js"))
    assert "interval_cycles" in pages


def test_a_core_has_none():
    assert not files(description_of(CORE))
