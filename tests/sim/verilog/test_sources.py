import subprocess
import sys

import pytest

from rewardware.hw.soc.devices import devices, find_device
from rewardware.sim.verilog.sources import imported_modules, source_digest

# The last is of another package than this one.
MODULES = sorted(
    {device.component.partition(":")[0] for device in devices().values()} | {"tests.hw.soc.shell.row_memory"}
)


@pytest.mark.parametrize("module", MODULES)
def test_what_a_device_loads_is_found(module):
    program = f"import sys, {module}\nprint(*(name for name in sys.modules if name.startswith('rewardware.hw.')))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) <= set(imported_modules(module))


def test_systems_do_not_depend_on_each_other():
    found = imported_modules(find_device("mcts").component.partition(":")[0])
    assert "rewardware.hw.cores.tree.search_tree" in found
    assert not [name for name in found if ".array." in name or ".soc.fixar" in name]
    assert all(name.startswith("rewardware.hw") for name in found)


def test_an_edit_changes_the_digest_of_what_imports_it(tmp_path, monkeypatch):
    package = tmp_path / "toaster"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "device.py").write_text("from .parts import coil\n")
    (package / "parts").mkdir()
    (package / "parts" / "__init__.py").write_text("")
    coil, other = package / "parts" / "coil.py", package / "parts" / "other.py"
    coil.write_text("TURNS = 7\nPLACE = 'toaster.late:thing'\n")
    other.write_text("")
    (package / "late.py").write_text("def load():\n    import toaster.deep\n")
    (package / "deep.py").write_text("import json\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = imported_modules("toaster.device")
    parts = {"device", "parts", "parts.coil", "late", "deep"}
    assert set(found) == {"toaster", *(f"toaster.{name}" for name in parts)}
    before = source_digest("toaster.device")
    other.write_text("TURNS = 9\n")
    assert source_digest("toaster.device") == before
    coil.write_text("TURNS = 8\n")
    assert source_digest("toaster.device") != before
