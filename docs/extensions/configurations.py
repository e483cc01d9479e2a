"""Fields of a device's configuration, from the docstrings of its classes."""

import dataclasses
import re
from typing import Any

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from rewardware.hw.soc.devices import find_device
from rewardware.sw.systems.parameter_help import parameter_entry

# What the head of a file has, or one class of the other.
ELSEWHERE = ("name", "system", "device")


def configuration_tables(system: str) -> str:
    """The Markdown tables of what sections ``hardware`` and ``memories`` of a device's files hold.

    Parameters
    ----------
    system : str
        Name of the device.

    Raises
    ------
    ValueError
        No docstring describes a field.
    """
    device = find_device(system)
    tables = [_table("hardware", device.configuration_class)]
    if device.hardware_class is not device.configuration_class:
        tables.append(_table("memories", device.hardware_class))
    return "\n\n".join(tables)


def _table(section: str, kind: type) -> str:
    """A row for each entry of the docstrings, which may describe several fields."""
    defaults = {field.name: _default(field) for field in dataclasses.fields(kind) if field.name not in ELSEWHERE}
    lines = [f"| `{section}` | default | |", "| --- | --- | --- |"]
    described: set[str] = set()
    for name in defaults:
        if name not in described:
            names, text = parameter_entry(kind, name)
            described.update(names)
            values = [defaults[each] for each in names]
            shown = ", ".join(values[:1] if len(set(values)) == 1 else values)
            lines.append(f"| {', '.join(f'`{each}`' for each in names)} | {shown} | {_marked(text)} |")
    return "\n".join(lines)


def _default(field: dataclasses.Field) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{_as_yaml(field.default)}`"
    if field.default_factory is not dataclasses.MISSING:
        return f"`{_as_yaml(field.default_factory())}`"
    return "must be given"


def _as_yaml(value: Any) -> str:
    """A value as a file has it, on one line."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_as_yaml, value))}]"
    if dataclasses.is_dataclass(value):
        # A number format has a name, and a file names it.
        named = getattr(value, "name", None)
        fields = (f"{field.name}: {_as_yaml(getattr(value, field.name))}" for field in dataclasses.fields(value))
        return named or f"{{{', '.join(fields)}}}"
    return {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))


def _marked(text: str) -> str:
    """Marks of a docstring as those of Markdown."""
    return re.sub(r":\w+:`[.~]?(?:[\w.]*\.)?(\w+)`", r"`\1`", text).replace("``", "`").replace("|", r"\|")


class Configuration(SphinxDirective):
    """The tables, where a page has the name of the device in a fence."""

    required_arguments = 1

    def run(self):
        tables = configuration_tables(self.arguments[0])
        self.content = StringList(tables.splitlines(), source=self.get_source_info()[0])
        return self.parse_content_to_nodes()


def setup(app):
    app.add_directive("configuration", Configuration)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
