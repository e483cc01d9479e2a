"""Every core with streams has a test that holds them to the rule of streams, or a reason why not."""

import ast

import pytest

from tests.hw.streams import CORES, ONLY_IN_SYSTEMS, TESTED, TESTS, missing_streams, short_name
from tests.test_repository import MODULES, ROOT, components, tree, within


def mentions(node):
    """The names in a piece of source."""
    return {ast.unparse(part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


def sources_of_streams():
    """Functions and signatures of the gateware that make streams, by name."""
    _, classes = components()
    makers = {
        node.name: mentions(node)
        for module, path in MODULES.items()
        if within(module, "rewardware.hw")
        for node in tree(path).body
        if (isinstance(node, ast.ClassDef) and node.name not in classes)
        or (isinstance(node, ast.FunctionDef) and any(isinstance(part, ast.Return) for part in ast.walk(node)))
    }
    names = {"stream.Signature"}
    while new := {name for name, mentioned in makers.items() if mentioned & names} - names:
        names |= new
    return names


def cores_with_streams():
    """Classes of ``hw/cores`` whose ports name a source of streams, as the tables do."""
    makers, found = sources_of_streams(), set()
    classes, _ = components()
    extended = {ast.unparse(base) for _, node in classes for base in node.bases}
    for module, node in classes:
        ports = [
            part
            for part in node.body
            if isinstance(part, ast.AnnAssign) or (isinstance(part, ast.FunctionDef) and part.name == "__init__")
        ]
        own = within(module, CORES) and node.name not in extended
        if own and any(mentions(part) & makers for part in ports):
            found.add(short_name(f"{module}:{node.name}", CORES))
    return found


def test_every_core_with_streams_is_in_a_table():
    found = cores_with_streams()
    assert len(found) > 90
    assert not TESTED.keys() & ONLY_IN_SYSTEMS.keys()
    missing = found - TESTED.keys() - ONLY_IN_SYSTEMS.keys()
    assert not missing, f"Cores with streams need a row in tests/hw/streams.py: {', '.join(sorted(missing))}"


def test_the_tables_name_cores_that_there_are():
    known = {short_name(f"{module}:{node.name}", CORES) for module, node in components()[0]}
    assert not (TESTED.keys() | ONLY_IN_SYSTEMS.keys()) - known


PLACES = {f"{TESTS}/{place}" for place in TESTED.values()} | {f"tests/hw/{place}" for place in ONLY_IN_SYSTEMS.values()}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_the_tests_are_there(place):
    file, _, name = place.partition("::")
    functions = {node.name for node in tree(ROOT / file).body if isinstance(node, ast.FunctionDef)}
    assert name in functions


def test_a_test_that_misses_its_core_or_meets_an_unknown_one_fails():
    core, place = "stream.SkidBuffer", "stream/test_skid_buffer.py::test_skid_buffer"
    assert TESTED[core] == place
    test, seen = f"{TESTS}/{place}[0.5]", {"hw.cores.stream.skid_buffer:SkidBuffer o": True}
    assert missing_streams(test, seen) == []
    assert missing_streams(test, {}) == [f"{core} carried no values in this test"]
    assert missing_streams(f"{TESTS}/other.py::test", {}) == []
    unknown = seen | {"hw.cores.new.module:Core o": False}
    assert missing_streams(test, unknown) == ["new.Core has streams and no row in tests/hw/streams.py"]
