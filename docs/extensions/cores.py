"""A page for each room of ``hw/cores``: what its modules name in ``__all__``, components first."""

import importlib
import inspect
import pkgutil
from pathlib import Path

from amaranth.lib import wiring

from rewardware.hw import cores

GROUPS = {
    "Components": lambda item: issubclass(item, wiring.Component),
    "Ports": lambda item: issubclass(item, wiring.Signature),
    "Configurations and tables": lambda item: not issubclass(item, wiring.Component | wiring.Signature),
}


def room_page(room) -> str:
    """The reStructuredText of a room's page.

    Parameters
    ----------
    room : module
        The package of a room.
    """
    found = pkgutil.walk_packages(room.__path__, room.__name__ + ".")
    modules = [room, *(importlib.import_module(module.name) for module in found)]
    classes = [
        item
        for module in modules
        for name, item in vars(module).items()
        if inspect.isclass(item) and item.__module__ == module.__name__ and not name.startswith("_")
    ]
    name = room.__name__.rpartition(".")[2]
    parts = [name, "=" * len(name), "", inspect.getdoc(room), ""]
    for title, belongs in GROUPS.items():
        members = sorted(filter(belongs, classes), key=lambda item: item.__name__)
        if members:
            parts += [title, "-" * len(title), ""]
            parts += [f".. autoclass:: {item.__module__}.{item.__qualname__}\n" for item in members]
    return "\n".join(parts)


def write_pages(app):
    """Writes the pages of all rooms; one that has not changed keeps its time, so that Sphinx does not read it again."""
    rooms = [module.name for module in pkgutil.iter_modules(cores.__path__, cores.__name__ + ".") if module.ispkg]
    folder = Path(app.srcdir, "cores")
    pages = {folder / f"{name.rpartition('.')[2]}.rst": room_page(importlib.import_module(name)) for name in rooms}
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
