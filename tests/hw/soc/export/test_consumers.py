"""Each check takes a package, and refuses one that was broken."""

import pytest

from rewardware.hw.soc.export.consumers import check_fusesoc, check_ip_xact, check_system_rdl
from rewardware.hw.soc.export.package import write_package
from rewardware.hw.soc.export.tools import ToolError

from .descriptions import CORE, description_of

CHECKS = {
    check_fusesoc: ("pearl.core", "filesets", "file sets", "FuseSoC refused pearl.core: "),
    check_ip_xact: ("ipxact/component.xml", "bitOffset", "offset", "The component of pearl is not valid: "),
    check_system_rdl: ("pearl.rdl", "regwidth = 64", "regwidth = 7", "SystemRDL's compiler refused .*pearl.rdl: "),
}


@pytest.fixture
def package(tmp_path):
    description = description_of("pearl")
    write_package(description, dict.fromkeys(description.files, ""), tmp_path)
    return tmp_path


@pytest.mark.parametrize("check", CHECKS)
def test_a_package_is_accepted_and_a_broken_one_is_not(package, check):
    file, right, wrong, message = CHECKS[check]
    assert check(package, "pearl")
    text = (package / file).read_text()
    assert right in text
    (package / file).write_text(text.replace(right, wrong))
    with pytest.raises(ToolError, match=message):
        check(package, "pearl")


def test_a_core_without_registers_is_accepted(tmp_path):
    description = description_of(CORE)
    write_package(description, dict.fromkeys(description.files, ""), tmp_path)
    assert all(check(tmp_path, CORE) for check in CHECKS)
