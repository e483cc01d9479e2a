"""A page for each room of ``hw/cores``: resources of its cores on an FPGA, then public classes, components first."""

import dataclasses
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from amaranth.lib import wiring
from packaging.version import Version

from rewardware.hw import cores
from rewardware.hw.soc import bus, shell
from rewardware.hw.soc.export.catalogue import catalogue
from rewardware.hw.soc.export.design import Design
from rewardware.sw.measurement.cores_bench import PARTS

DOCUMENTS = Path(__file__).parents[1] / "figures"
KINDS = ("lut", "ff", "dsp", "bram")
# The catalogue also has parts of these.
BESIDE_CORES = (bus, shell)
NOT_MEASURED = "not measured"

GROUPS = {
    "Components": lambda item: issubclass(item, wiring.Component),
    "Ports": lambda item: issubclass(item, wiring.Signature),
    "Configurations and tables": lambda item: not issubclass(item, wiring.Component | wiring.Signature),
}


def latest_document() -> dict[str, Any]:
    """The document of figures of the latest release, which `make figures` writes."""
    return json.loads(max(DOCUMENTS.glob("*.json"), key=lambda path: Version(path.stem)).read_text(encoding="utf-8"))


def figures_of_cores(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Resources of each core, by name and part, from a document of figures."""
    rows = document["systems"].get("cores", {"rows": []})["rows"]
    return {row["id"]: row["resources"] for row in rows}


def figures_table(designs: Iterable[Design], document: Mapping[str, Any]) -> list[list[str]]:
    """Rows of a table in reStructuredText, its head first; a core that the document lacks is shown without figures.

    Parameters
    ----------
    designs : iterable of Design
    document : Mapping
        As `rewardware bench --all --json` prints it.
    """
    found = figures_of_cores(document)
    rows = [["Core", "Configuration", *(f"{part}: LUT / FF / DSP / BRAM" for part in PARTS)]]
    for design in designs:
        target = design.component.replace(":", ".")
        cells = [f":class:`{design.name} <{target}>`", configuration_of(design)]
        for part in PARTS:
            taken = found.get(design.name, {}).get(part)
            cells.append(NOT_MEASURED if taken is None else " / ".join(f"{taken[kind]:g}" for kind in KINDS))
        rows.append(cells)
    return rows


def configuration_of(design: Design) -> str:
    """The default configuration of a design, in reStructuredText."""
    if design.default_preset:
        return f"preset ``{design.default_preset}`` of {design.preset_system}"
    if not design.configuration:
        return "no parameters"
    settings = settings_of(design.configure())
    return f"``{settings}``" if settings else "defaults"


def settings_of(configuration: Any) -> str:
    """Settings that are not those which the configuration's class has itself, such as ``lanes=16, rows=1024``."""
    parts = []
    for field in dataclasses.fields(configuration):
        value = getattr(configuration, field.name)
        default = field.default_factory() if callable(field.default_factory) else field.default
        if field.init and value != default:
            inner = settings_of(value) if dataclasses.is_dataclass(value) else None
            parts.append(f"{field.name}={value!r}" if inner is None else f"{field.name}=({inner})")
    return ", ".join(parts)


def list_table(rows: list[list[str]]) -> str:
    """Rows as a table in reStructuredText, the first one as its head."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if place == 0 else '  -'} {cell}" for place, cell in enumerate(row)]
    return "\n".join(lines)


def figures_section(modules: Iterable[Any], document: Mapping[str, Any]) -> list[str]:
    """Parts of a page: resources of the catalogue's cores that these modules have."""
    names = {module.__name__ for module in modules}
    designs = [design for design in catalogue().values() if design.component.partition(":")[0] in names]
    parts = ["Figures", "-------", ""]
    if not designs:
        return [*parts, "The catalogue has no core of this room, so none has figures of its own.", ""]
    table = figures_table(designs, document)
    missing = any(NOT_MEASURED in row for row in table)
    return [
        *parts,
        f"Resources of each core by itself in version {document['version']}, as ``rewardware report CORE --part PART`` "
        "prints them. The configuration is that of the catalogue: settings that are not named have the defaults of the "
        "configuration's class. Components without a row are parts of these, or of systems, and have no figures of "
        "their own." + " Figures that are not measured take Yosys long; the command prints them." * missing,
        "",
        list_table(table),
        "",
    ]


def room_page(room, document: Mapping[str, Any] | None = None) -> str:
    """The reStructuredText of a room's page.

    Parameters
    ----------
    room : module
        The package of a room, or that of all rooms: its own modules have what rooms share.
    document : Mapping or None
        Document of figures; without one that of the latest release.
    """
    prefix = room.__name__ + "."
    if room is cores:
        name, about = "shared", "Classes that several rooms share."
        found = [module for module in pkgutil.iter_modules(room.__path__, prefix) if not module.ispkg]
    else:
        name, about = room.__name__.rpartition(".")[2], inspect.getdoc(room)
        found = list(pkgutil.walk_packages(room.__path__, prefix))
    modules = [room, *(importlib.import_module(module.name) for module in found)]
    classes = [
        item
        for module in modules
        for name, item in vars(module).items()
        if inspect.isclass(item) and item.__module__ == module.__name__ and not name.startswith("_")
    ]
    parts = [name, "=" * len(name), "", about, ""]
    parts += figures_section(modules, latest_document() if document is None else document)
    for title, belongs in GROUPS.items():
        members = sorted(filter(belongs, classes), key=lambda item: item.__name__)
        if members:
            parts += [title, "-" * len(title), ""]
            parts += [f".. autoclass:: {item.__module__}.{item.__qualname__}\n" for item in members]
    return "\n".join(parts)


def write_pages(app):
    """Writes the pages of all rooms; one that has not changed keeps its time, so that Sphinx does not read it again."""
    found = [module.name for module in pkgutil.iter_modules(cores.__path__, cores.__name__ + ".") if module.ispkg]
    rooms = [*map(importlib.import_module, found), *BESIDE_CORES]
    folder = Path(app.srcdir, "cores")
    document = latest_document()
    pages = {folder / f"{room.__name__.rpartition('.')[2]}.rst": room_page(room, document) for room in rooms}
    pages[folder / "shared.rst"] = room_page(cores, document)
    for page in folder.glob("*.rst"):
        if page not in pages:
            page.unlink()
    for page, text in pages.items():
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def constructor_signature(app, what, name, item, options, signature, returned):
    """Signature of a class's constructor: Amaranth's components have a ``__new__`` that takes anything."""
    if what == "class" and inspect.isfunction(item.__init__):
        parameters = list(inspect.signature(item.__init__).parameters.values())[1:]
        named = [parameter.replace(annotation=parameter.empty) for parameter in parameters]
        return str(inspect.Signature(named)), None
    return None


def setup(app):
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", constructor_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
