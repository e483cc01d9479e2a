"""Contents of a release: data files in the wheel, the workflows of CI, the citation, the versions that are told."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from setuptools import Distribution

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGE = ("hw", "sw", "sim", "constraints")
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.fixture
def wheel(monkeypatch):
    """The command of setuptools that finds what goes into a wheel."""
    monkeypatch.chdir(ROOT)
    distribution = Distribution({"script_name": "setup.py"})
    distribution.parse_config_files(["pyproject.toml"])
    command = distribution.get_command_obj("build_py")
    command.ensure_finalized()
    return command


def test_every_file_of_the_package_is_in_the_wheel(wheel):
    """Constraints, presets, the C++ of simulators, templates: what lies beside the modules travels with them."""
    packed = {Path(folder) / name for _, folder, _, names in wheel.data_files for name in names}
    packed |= {Path(file) for _, _, file in wheel.find_all_modules()}
    there = {
        path.relative_to(ROOT)
        for folder in PACKAGE
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {path.suffix for path in there} >= {".py", ".yaml", ".cpp", ".h", ".typed"}
    assert there == packed


def test_the_source_distribution_has_every_folder():
    """All but those of the package, which are in it anyway, are named in MANIFEST.in."""
    grafted = re.findall(r"^graft (\S+)$", (ROOT / "MANIFEST.in").read_text(), re.MULTILINE)
    ignored = re.findall(r"^([\w.]+)/$", (ROOT / ".gitignore").read_text(), re.MULTILINE)
    there = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.match("*.egg-info")}
    assert there - {".git", *PACKAGE, *ignored} == set(grafted)


def test_targets_of_make_are_no_files():
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(phony.split()) == TARGETS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_there_is(path):
    """The same commands as on any machine: .ci/run and targets of make, on the Python that the tests ran with."""
    workflow = yaml.safe_load(path.read_text())
    # YAML takes the key `on` for a truth value.
    assert workflow["name"] == path.stem and workflow[True] and workflow["permissions"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] > 0
        commands = [step["run"] for step in job["steps"] if "run" in step]
        ours = [command for command in commands if re.match(r"make |\.ci/run", command)]
        assert ours
        for command in ours:
            assert command == ".ci/run" or set(command.split()[1:]) <= TARGETS, command
        versions = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
        assert versions == ["3.11"]


def test_there_are_workflows():
    assert {path.stem for path in WORKFLOWS} >= {"test", "release"}


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert citation["title"].lower() == PROJECT["name"]
    # An entity: nobody in particular.
    assert citation["authors"] == [{"name": "The Rewardware developers"}]


def test_first_steps_import_nothing_of_the_repository():
    tree = ast.parse((ROOT / "tests/first_steps.py").read_text())
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in modules if name.split(".")[0] in ("tests", "rewardware")]


def test_supported_versions_are_those_of_the_package():
    """The table of docs/versions.md against pyproject.toml and requirements.lock."""
    table = re.findall(r"^\| `([\w-]+)` \| ([\d.<>=,]+) \| ([\w.]+) \|$", (ROOT / "docs/versions.md").read_text(), re.M)
    extras = [name for extra in PROJECT["optional-dependencies"].values() for name in extra]
    accepted = dict(re.match(r"([\w-]+)(.*)", name).groups() for name in [*extras, *PROJECT["dependencies"]])
    tested = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert len(table) == 10
    assert [(name, accepted[name], tested[name]) for name, _, _ in table] == table
    assert f"| Python | {PROJECT['requires-python']} |" in (ROOT / "docs/versions.md").read_text()
