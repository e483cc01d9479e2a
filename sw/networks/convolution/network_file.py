"""Convolutional networks in YAML.

A file has ``name`` and ``nodes``, a list; a node has ``name``, ``kind`` and the fields of its class. A number in the
place of a pair is both of it: ``kernel: 3``, ``kernel: [1, 7]``; padding is a number, one for each axis, or one for
each side: ``padding: [[0, 1], [2, 2]]``.
"""

import dataclasses
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from ....hw.cores.checks import require_name
from ....hw.soc.written_file import write_text
from ...core.fields import read_fields, read_yaml, require_names
from .convolutional_network import ConvolutionalNetwork
from .nodes import (
    Addition,
    AveragePooling,
    Concatenation,
    Convolution,
    FractionallyStridedConvolution,
    Input,
    MaxPooling,
    Node,
)

__all__ = ["as_yaml", "list_networks", "load_network", "save_network"]

_SUFFIX = ".yaml"
_KINDS: Mapping[str, type[Node]] = {
    "input": Input,
    "convolution": Convolution,
    "fractionally-strided-convolution": FractionallyStridedConvolution,
    "max-pooling": MaxPooling,
    "average-pooling": AveragePooling,
    "concatenation": Concatenation,
    "addition": Addition,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
# In the order of a file.
_FIELDS = (
    "source", "sources", "channels", "picture", "kernel", "stride", "padding", "output_padding", "ceil_mode",
    "include_padding", "relu",
)  # fmt: skip


def list_networks() -> list[str]:
    """Names of the networks that come with the package."""
    return sorted(file.name.removesuffix(_SUFFIX) for file in _folder().iterdir() if file.name.endswith(_SUFFIX))


def load_network(name_or_path: str | Path) -> ConvolutionalNetwork:
    """A network of the package, or of a YAML file.

    Raises
    ------
    TypeError, ValueError
        There is none, or what is wrong with it.
    """
    source, names = str(name_or_path), list_networks()
    if source in names:
        file = _folder() / f"{source}{_SUFFIX}"
    elif not (file := Path(source)).is_file():
        require_name("Network", source, names, other=" or a YAML file")
    return read_yaml(file, _network)


def save_network(network: ConvolutionalNetwork, path: Path) -> None:
    """Write a network as YAML, a line for each node.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    write_text(path, as_yaml(network))


def as_yaml(network: ConvolutionalNetwork) -> str:
    """The content of a network's file."""
    lines = [f"name: {_flow(network.name)}", "nodes:", *(f"  - {_flow(_as_mapping(node))}" for node in network.nodes)]
    return "\n".join(lines) + "\n"


def _folder() -> Any:
    return resources.files(__package__) / "models"


def _network(content: Any) -> ConvolutionalNetwork:
    if not isinstance(content, Mapping):
        raise TypeError(f"A network must be a mapping with name and nodes, not {content!r}")
    require_names("section of a network:", content, ("name", "nodes"))
    if not isinstance(content.get("nodes"), list):
        raise TypeError("A network must have nodes, a list")
    nodes = tuple(_node(given, number) for number, given in enumerate(content["nodes"], 1))
    return ConvolutionalNetwork(name=content.get("name", ""), nodes=nodes)


def _node(given: Any, number: int) -> Node:
    what = f"Node {number}"
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a mapping, not {given!r}")
    if "name" in given:
        what = f"Node {given['name']!r}"
    fields = dict(given)
    try:
        require_name("Kind", fields.pop("kind", ""), _KINDS)
        node: Node = read_fields(_KINDS[given["kind"]], what, {name: _value(name, fields[name]) for name in fields})
    except (TypeError, ValueError) as error:
        raise type(error)(str(error) if what in str(error) else f"{what}: {error}") from None
    return node


def _value(name: str, value: Any) -> Any:
    """Tuples in place of lists, pairs in place of a number."""
    if name in ("picture", "kernel", "stride", "output_padding"):
        return _pair(value)
    if name == "padding":
        return tuple(map(_pair, value if isinstance(value, list) else (value, value)))
    return tuple(value) if isinstance(value, list) else value


def _pair(value: Any) -> Any:
    """A pair of a number or of a list; the node's shape refuses what is neither."""
    if isinstance(value, int):
        return value, value
    return tuple(value) if isinstance(value, list) else value


def _flow(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10**6).removesuffix("\n...\n").strip()


def _as_mapping(node: Node) -> dict[str, Any]:
    """Describe it as briefly as a file may."""
    found: dict[str, Any] = {"name": node.name, "kind": _NAMES[type(node)]}
    defaults = {field.name: field.default for field in dataclasses.fields(node)}
    for name in _FIELDS:
        if name in defaults and (value := getattr(node, name)) != defaults[name]:
            found[name] = list(value) if name == "sources" else _short(value)
    return found


def _short(value: Any) -> Any:
    """A number in place of a pair of equal ones."""
    if not isinstance(value, tuple):
        return value
    first, second = map(_short, value)
    return first if first == second and not isinstance(first, list) else [first, second]
