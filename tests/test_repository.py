"""The rules of the house, checked on the source: who may import whom, docstrings, sizes, the package's description."""

import ast
import graphlib
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for folder in ("hw", "sw", "sim") for path in (ROOT / folder).rglob("*.py"))
TEXTS = sorted(
    path
    for folder in ("hw", "sw", "sim", "tests", "docs", "constraints", ".ci")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix in {".py", ".md", ".toml", ".yaml", ".cpp", ".h", ".xdc", ".sdc", ".lpf", ""}
) + [path for path in ROOT.iterdir() if path.suffix in {".md", ".toml", ".lock"} or path.name == "Makefile"]
LINE_LIMIT = 500


def name_of(path):
    """The name under which a source file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("rewardware", *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {name_of(path): path for path in SOURCES}


@cache
def tree(path):
    return ast.parse(path.read_text(), str(path))


@cache
def imports(module):
    """Everything that a module imports, by absolute name."""
    path = MODULES[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # `from package import module` and `from module import name` look the same.
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}
    return found


def within(module, *packages):
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@cache
def is_pure(module):
    """Whether a module imports without Amaranth; importing a module also runs the packages above it."""
    reached, waiting = set(), [module]
    while waiting:
        current = waiting.pop()
        if current in reached:
            continue
        reached.add(current)
        if any(within(name, "amaranth", "amaranth_boards") for name in imports(current)):
            return False
        parts = current.split(".")
        above = [".".join(parts[:length]) for length in range(2, len(parts))]
        waiting += [name for name in (*imports(current), *above) if name in MODULES]
    return True


def violations(rule):
    """Pairs of importing and imported module for which ``rule`` holds."""
    return [f"{module} imports {name}" for module in MODULES for name in sorted(imports(module)) if rule(module, name)]


def test_gateware_imports_neither_software_nor_simulation():
    assert not violations(
        lambda module, name: within(module, "rewardware.hw") and within(name, "rewardware.sw", "rewardware.sim")
    )


def test_cores_import_no_system():
    assert not violations(
        lambda module, name: within(module, "rewardware.hw.cores") and within(name, "rewardware.hw.soc")
    )


def test_rooms_of_the_soc_import_one_way():
    """Buses know no sequencer, sequencers no shell, and none of them a system."""
    rooms = ["rewardware.hw.soc.bus", "rewardware.hw.soc.sequencer", "rewardware.hw.soc.shell"]

    def upwards(module, name):
        level = next((index for index, room in enumerate(rooms) if within(module, room)), None)
        return level is not None and within(name, "rewardware.hw.soc") and not within(name, *rooms[: level + 1])

    assert not violations(upwards)


def room_of(module):
    """The folder below ``hw/cores`` or ``hw/soc`` that a module is in; None where it is in none."""
    parts = module.split(".")
    inside = len(parts) > 4 or (len(parts) == 4 and MODULES[module].name == "__init__.py")
    return ".".join(parts[2:4]) if parts[1:2] == ["hw"] and inside else None


def test_rooms_of_the_gateware_import_one_way():
    graph = {room_of(module): set() for module in MODULES if room_of(module)}
    for module in MODULES:
        for name in imports(module):
            if room_of(module) and name in MODULES and room_of(name) not in (None, room_of(module)):
                graph[room_of(module)].add(room_of(name))
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"Rooms import each other: {' <- '.join(error.args[1])}")


def test_gateware_patches_nothing():
    assert not violations(lambda module, name: within(module, "rewardware.hw") and within(name, "unittest", "mock"))


def test_one_module_reaches_into_amaranth():
    """A name with an underscore is none that Amaranth promises to keep."""
    private = re.compile(r"amaranth(\.\w+)*\._|_MustUse__")
    found = [
        name for name, path in MODULES.items() if within(name, "rewardware.hw") and private.search(path.read_text())
    ]
    assert found == ["rewardware.hw.cores.verilog.amaranth_internals"]


def test_no_enable_inserter_in_the_gateware():
    """It reaches neither into a memory nor into a replicated unit: both are modules of their own in Verilog."""
    assert not [name for name, path in MODULES.items() if "EnableInserter(" in path.read_text()]


def test_memories_are_made_in_one_room():
    """Writers of Verilog also know Amaranth's arrays; everybody else takes :class:`.Memory` or :class:`.Rom`."""
    rooms = ("rewardware.hw.cores.memory", "rewardware.hw.cores.verilog")
    makers = {
        module
        for module, path in MODULES.items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom)
        and not node.level
        and any(f"{node.module}.{alias.name}".startswith("amaranth.lib.memory") for alias in node.names)
    }
    assert makers and not [module for module in makers if not within(module, *rooms)]


def components():
    """Classes of the gateware that are components: where each stands, and its definition."""
    found = [(module, node) for module, path in MODULES.items() if within(module, "rewardware.hw")
             for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)]  # fmt: skip
    names, grown = {"Component"}, True
    while grown:
        new = {node.name for _, node in found if {ast.unparse(base).split(".")[-1] for base in node.bases} & names}
        grown, names = not new <= names, names | new
    return [(module, node) for module, node in found if node.name in names], names


def test_components_are_not_given_their_siblings():
    """Components that take one wrap it; a component next to others has ports instead, and their owner connects them."""
    wrappers = {"Replicated", "RegisteredUnit"}
    classes, names = components()
    assert {"Memory", "ConfiguredComponent", "AxiTop"} <= names
    given = [
        f"{module}: {node.name} takes {argument.arg}"
        for module, node in classes
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__" and node.name not in wrappers
        for argument in (*method.args.args, *method.args.kwonlyargs)
        if argument.annotation is not None and ast.unparse(argument.annotation).split(".")[-1] in names
    ]
    assert not given


def test_simulation_imports_no_software():
    assert not violations(lambda module, name: within(module, "rewardware.sim") and within(name, "rewardware.sw"))


def test_references_import_numpy_and_configurations_only():
    def foreign(module, name):
        return within(module, "rewardware.sw.reference") and (
            within(name, "amaranth", "torch", "cocotb") or (name in MODULES and not is_pure(name))
        )

    assert not violations(foreign)


def test_references_know_no_wire():
    """They take and give values. Who packs a row for a device is not asked what is right, or both sides err alike."""

    def foreign(module, name):
        packed = re.fullmatch(r"rewardware\.hw\.(\w+\.)*(\w+_)?(records|layouts|rows|instructions)", name)
        elsewhere = within(name, "rewardware.sw") and not within(name, "rewardware.sw.reference")
        return within(module, "rewardware.sw.reference") and (packed or elsewhere)

    assert not violations(foreign)


def test_rows_are_packed_by_drivers_alone():
    """Only devices and the folders of systems pack rows: they are the drivers."""

    def foreign(module, name):
        driver = within(module, "rewardware.sw.device", "rewardware.sw.systems")
        return within(module, "rewardware.sw") and not driver and re.fullmatch(r"rewardware\.hw\..*records", name)

    assert not violations(foreign)


def measures(module):
    """Whether a module may join software, gateware and simulation: command line and benches."""
    return within(module, "rewardware.sw.cli", "rewardware.sw.measurement") or bool(
        re.match(r"rewardware\.sw\.systems\.\w+\.bench(\.|$)", module)
    )


def test_systems_do_not_import_each_other():
    def foreign(module, name):
        own, other = (re.match(r"rewardware\.sw\.systems\.(\w+)\.", f"{place}.") for place in (module, name))
        return own and other and own[1] != other[1] and MODULES[folder_of(other[1])].name == "__init__.py"

    def folder_of(system):
        return f"rewardware.sw.systems.{system}"

    assert not violations(foreign)


# Rooms of the software, those that a module may import before those that it may not.
LEVELS = (
    ("core", "reference", "networks", "mapping", "device", "search"),
    ("actors", "algorithms", "measurement"),
    ("systems",),
    ("cli", "api"),
)
ROOMS = {f"rewardware.sw.{room}": level for level, rooms in enumerate(LEVELS) for room in rooms}


def test_the_software_has_the_rooms_that_the_rules_name():
    folders = {name_of(path) for path in SOURCES if path.name == "__init__.py"}
    assert {name for name in folders if re.fullmatch(r"rewardware\.sw\.\w+", name)} == set(ROOMS)


def test_rooms_of_the_software_import_one_way():
    def level(module):
        return next((level for room, level in ROOMS.items() if within(module, room)), None)

    def upwards(module, name):
        return None not in (level(module), level(name)) and level(name) > level(module)

    assert not violations(upwards)


def test_actors_know_no_algorithm():
    """Actors act with whatever they are given; only those who train know an algorithm."""
    assert not violations(
        lambda module, name: within(module, "rewardware.sw.actors") and within(name, "rewardware.sw.algorithms")
    )


def test_what_every_run_needs_imports_no_other_room():
    assert not violations(
        lambda module, name: (
            within(module, "rewardware.sw.core")
            and within(name, "rewardware.sw")
            and not within(name, "rewardware.sw.core")
        )
    )


def test_software_uses_only_pure_data_of_the_gateware():
    def impure(module, name):
        host = within(module, "rewardware.sw") and not measures(module)
        return host and within(name, "rewardware.hw") and not is_pure(name)

    assert not violations(impure)


def test_only_devices_and_the_command_line_reach_the_simulator():
    def reaches(module, name):
        allowed = within(module, "rewardware.sw.device") or measures(module)
        return within(module, "rewardware.sw") and not allowed and within(name, "rewardware.sim")

    assert not violations(reaches)


def test_configurations_are_pure():
    names = [name for name, path in MODULES.items() if re.fullmatch(r"(\w+_)?config", path.stem)]
    assert not [name for name in names if within(name, "rewardware.hw") and not is_pure(name)]


def test_packages_of_the_gateware_are_pure():
    packages = [name for name, path in MODULES.items() if path.name == "__init__.py"]
    assert not [name for name in packages if within(name, "rewardware.hw") and not is_pure(name)]


def parameters_of(node):
    """Names that a class takes: arguments of its constructor, or fields of a dataclass."""
    decorators = {ast.unparse(decorator).split("(")[0].split(".")[-1] for decorator in node.decorator_list}
    if "dataclass" in decorators:
        return [
            item.target.id
            for item in node.body
            if isinstance(item, ast.AnnAssign)
            and isinstance(item.target, ast.Name)
            and not item.target.id.startswith("_")
            and "ClassVar" not in ast.unparse(item.annotation)
        ]
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            arguments = [*item.args.posonlyargs, *item.args.args, *item.args.kwonlyargs]
            return [argument.arg for argument in arguments if argument.arg not in ("self", "src_loc_at")]
    return []


@pytest.mark.parametrize("path", [path for path in SOURCES if "hw" == path.relative_to(ROOT).parts[0]], ids=name_of)
def test_public_classes_of_the_gateware_say_what_they_are(path):
    for node in tree(path).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node)
            assert text, f"{node.name} has no docstring"
            unnamed = [name for name in parameters_of(node) if not re.search(rf"\b{name}\b", text)]
            assert not unnamed, f"The docstring of {node.name} does not name {', '.join(unnamed)}"


def test_files_are_small():
    long = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in SOURCES}
    assert not {name: lines for name, lines in long.items() if lines > LINE_LIMIT}


def test_texts_hold_for_any_machine():
    places = "|".join(f"/{place}/" for place in ("home", "root", "work", "farm", "usr/local")) + r"|\.pye" + "nv"
    found = {str(path.relative_to(ROOT)): re.findall(places, path.read_text(errors="replace")) for path in TEXTS}
    assert not {name: hits for name, hits in found.items() if hits}


def test_nothing_is_left_for_later():
    marks = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b|mark\.(sk" + r"ip|xf" + r"ail)|import" + r"orskip")
    assert not [str(path.relative_to(ROOT)) for path in TEXTS if marks.search(path.read_text(errors="replace"))]


def test_package_lists_every_folder():
    description = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    # The way in from Python is the package's root.
    found = [name_of(path) for path in SOURCES if path.name == "__init__.py"]
    folders = ["rewardware" if name == "rewardware.sw.api" else name for name in found]
    # The constraints are data: they travel with the package but hold no module.
    assert sorted(description["packages"]) == sorted([*folders, "rewardware.constraints"])
    modules = [folder for folder in description["package-dir"].values() if folder != "constraints"]
    assert all((ROOT / folder / "py.typed").exists() for folder in modules)


def test_tests_mirror_the_tree():
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [str(folder) for folder in folders if not (ROOT / folder).is_dir()]


def test_every_test_folder_is_a_package():
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert not [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()]


def test_libraries_log_and_never_print():
    """Results are printed by commands; everything else is for the log, which programs show as they like."""
    programs = (
        "rewardware.sw.algorithms.examples",
        "rewardware.sw.reference.float.functions.errors",
        "rewardware.sw.systems.pearl.bench.rltools_sac",
    )
    places = (*programs, "rewardware.sw.cli", "rewardware.sw.systems.results")
    found = [
        module
        for module, path in MODULES.items()
        if not within(module, *places)
        and any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            for node in ast.walk(tree(path))
        )
    ]
    assert not found
