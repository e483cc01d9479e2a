"""Millions of operands through a unit of fixed latency, driven from C++."""

import ctypes
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from amaranth.hdl import Shape
from amaranth.lib import wiring

from ..verilator.build import build_library
from ..verilator.cache import build_once, content_key
from ..verilog.emitted import emitted

__all__ = ["evaluate"]

TOP = "unit"


def evaluate(component: wiring.Component, inputs: Mapping[str, Any], latency: int | None = None) -> dict[str, Any]:
    """Simulate a unit that takes operands in every cycle; some millions of cycles per second.

    Parameters
    ----------
    component : wiring.Component
        Its ports are plain values of up to 64 bits, without streams or structures of them. Starts without reset.
    inputs : mapping
        For each input port integers, one a cycle, or a single integer. What does not fit the port loses its upper bits.
    latency : int or None
        Cycles from operands to results; None takes the component's own.

    Returns
    -------
    dict
        For each output port an array of int64, or of uint64 where the port has 64 bits without sign.

    Raises
    ------
    ValueError
        Ports without values, values without a port, or a port that is too wide.
    BuildError
        Verilator or the compiler failed.
    """
    latency = component.latency if latency is None else latency
    shapes = {}
    for name, member in component.signature.members.items():
        if not member.is_port or member.dimensions:
            raise ValueError(f"Port {name} must be a plain value")
        shapes[name] = Shape.cast(member.shape)
        if not 1 <= shapes[name].width <= 64:
            raise ValueError(f"Port {name} must have 1 to 64 bits, not {shapes[name].width}")
    flows = {name: component.signature.members[name].flow for name in shapes}
    sources = [name for name, flow in flows.items() if flow == wiring.In]
    sinks = [name for name, flow in flows.items() if flow == wiring.Out]
    if set(inputs) != set(sources):
        raise ValueError(f"Inputs must be {', '.join(sources)}, not {', '.join(inputs) or 'none'}")
    given = (np.atleast_1d(_bits(inputs[name], shapes[name])) for name in sources)
    columns = [np.ascontiguousarray(column) for column in np.broadcast_arrays(*given)]
    count = len(columns[0])
    if not count:
        raise ValueError("Inputs must have values, not none")
    results = [np.empty(count, np.uint64) for _ in sinks]
    library = _load(str(_build(emitted(component, TOP), sources, sinks)))
    library.evaluate(_pointers(columns), _pointers(results), count, latency)
    return {name: _numbers(values, shapes[name]) for name, values in zip(sinks, results, strict=True)}


def _build(verilog: str, sources: list[str], sinks: list[str]) -> Path:
    """The library of a unit; the functions that touch its ports are written for it."""
    inputs = "".join(f" top.{name} = inputs[{index}][index];" for index, name in enumerate(sources))
    outputs = "".join(f" outputs[{index}][index] = top.{name};" for index, name in enumerate(sinks))
    header = re.search(rf"^module {TOP}\((.*?)\);$", verilog, re.MULTILINE | re.DOTALL)
    ports = re.split(r"[\s,]+", header[1]) if header else []
    clock = " top.clk = level;" if "clk" in ports else " (void)top; (void)level;"
    text = (
        '#include <cstdint>\n#include "Vtop.h"\n'
        f"void set_inputs(Vtop &top, const uint64_t *const *inputs, uint64_t index) {{{inputs} }}\n"
        f"void get_outputs(const Vtop &top, uint64_t *const *outputs, uint64_t index) {{{outputs} }}\n"
        f"void set_clock(Vtop &top, int level) {{{clock} }}\n"
    )

    def write(folder: Path) -> None:
        (folder / "ports.cpp").write_text(text)

    generated = build_once("ports", content_key(text=text), write) / "ports.cpp"
    return build_library(verilog, TOP, [Path(__file__).with_name("vectors.cpp"), generated])


def _bits(values: Any, shape: Shape) -> np.ndarray:
    """Integers of any kind as the bits of a port."""
    array = np.asarray(values)
    if array.dtype.kind not in "bui":
        raise ValueError(f"Inputs must be integers, not {array.dtype}")
    return array.astype(np.uint64) & np.uint64((1 << shape.width) - 1)


def _numbers(values: np.ndarray, shape: Shape) -> np.ndarray:
    """The bits of a port as integers."""
    if shape.signed:
        unused = np.int64(64 - shape.width)
        return values.view(np.int64) << unused >> unused
    return values if shape.width == 64 else values.view(np.int64)


def _pointers(columns: list[np.ndarray]) -> Any:
    return (ctypes.c_void_p * len(columns))(*(column.ctypes.data for column in columns))


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    library.evaluate.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
    library.evaluate.restype = None
    return library
