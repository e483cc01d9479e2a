import re
import subprocess

import pytest

from rewardware.hw.soc.export.formats.c_header import files

from ..descriptions import CORE, SYSTEMS, description_of


def compiles(folder, headers, checks):
    """GCC takes headers, each twice, with assertions; without a warning."""
    for name, text in headers.items():
        (folder / name).write_text(text)
    includes = [f'#include "{name}"' for name in headers]
    asserted = [f'_Static_assert({name} == {value}ll, "");' for name, value in checks.items()]
    (folder / "check.c").write_text("\n".join([*includes, *includes, *asserted, ""]))
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", "check.c"]
    result = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def registers_of(description):
    """Expected macros of registers."""
    found, prefix = {}, description.name.upper()
    for placed in description.address_map.placed:
        name = f"{prefix}_{placed.item.name.upper()}"
        found[f"{name}_ADDRESS"] = placed.address
        for part in getattr(placed.item, "fields", ()):
            found[f"{name}_{part.name.upper()}_MASK"] = part.mask
            found[f"{name}_{part.name.upper()}_OFFSET"] = part.offset
    found |= {
        f"{prefix}_{placed.item.name.upper()}_RESET": placed.item.reset for placed in description.address_map.registers
    }
    found |= {
        f"{prefix}_{placed.item.name.upper()}_SIZE": placed.item.size for placed in description.address_map.windows
    }
    return found


def places_of(prefix, record, first):
    """Expected macros of fields side by side."""
    found = {}
    for field in record.fields:
        found[f"{prefix}_{field.name.upper()}_OFFSET"] = first
        found[f"{prefix}_{field.name.upper()}_WIDTH"] = field.width
        first += field.width
    return found


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_compiles_and_agrees(tmp_path, name):
    description, prefix = description_of(name), name.upper()
    checks = registers_of(description) | {f"{prefix}_INSTRUCTION_WIDTH": description.instruction_set.width}
    checks |= {f"{prefix}_INSTRUCTION_OPCODE_WIDTH": 4}
    checks |= {f"{prefix}_INSTRUCTION_WAIT_OFFSET": 4, f"{prefix}_INSTRUCTION_WAIT_WIDTH": 8}
    checks |= {f"{prefix}_{bus}_WIDTH": description.port(f"{bus}_tdata".lower()).width for bus in ("S_AXIS", "M_AXIS")}
    for entry in description.instruction_set.formats:
        checks[f"{prefix}_INSTRUCTION_{entry.name.upper()}_OPCODE"] = entry.opcode
        checks |= places_of(f"{prefix}_INSTRUCTION_{entry.name.upper()}", entry.record, 12)
    for place, engine in enumerate(description.instruction_set.engines):
        checks[f"{prefix}_ENGINE_{engine.upper()}"] = 1 << place
    for row in description.rows:
        checks |= places_of(f"{prefix}_ROW_{row.name.upper()}", row.record, 0)
        checks[f"{prefix}_ROW_{row.name.upper()}_WIDTH"] = row.width
    checks |= {f"{prefix}_STATE_{state}": value for value, state in enumerate(("IDLE", "RUNNING", "DONE", "ERROR"))}
    checks |= {f"{prefix}_INSTRUCTION_WAIT_OPCODE": 14, f"{prefix}_INSTRUCTION_HALT_OPCODE": 15}
    compiles(tmp_path, files(description), checks)


def test_headers_of_all_systems_keep_apart(tmp_path):
    described = [description_of(name) for name in SYSTEMS] + [description_of("fixar", top="other")]
    headers = {name: text for description in described for name, text in files(description).items()}
    assert len(headers) == len(SYSTEMS) + 1
    guards = [re.search(r"^#ifndef (\w+)\n#define (\w+)$", text, re.MULTILINE).groups() for text in headers.values()]
    assert len(set(guards)) == len(headers) and all(tested == defined for tested, defined in guards)
    names = [name for text in headers.values() for name in re.findall(r"^#define (\w+)", text, re.MULTILINE)]
    assert len(names) == len(set(names))
    compiles(tmp_path, headers, {name: value for part in described for name, value in registers_of(part).items()})


def test_enumerations_are_named_by_their_kind(tmp_path):
    description = description_of("mcts")
    checks = {"MCTS_REQUEST_KIND_BACKUP": 1, "MCTS_STATUS_NO_CHILD": 13, "MCTS_ROW_BACKUP_REQUEST_KIND_VALUE": 1}
    compiles(tmp_path, files(description), checks)


def test_a_core_has_none():
    assert not files(description_of(CORE))
