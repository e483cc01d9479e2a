"""A component with streams in the simulator, driven from C++."""

import ctypes
import functools
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from amaranth.hdl import Shape
from amaranth.lib import stream, wiring

from ..verilator.build import build_library, design_size
from ..verilator.cache import build_once, content_key
from ..verilog.emitted import emitted
from .handle import Handle, in_parts

__all__ = ["StreamSimulation"]

TOP = "unit"
# Verilator's text for the two underscores between a stream's name and a part of it.
JOINT = "___05F"


@dataclass(frozen=True)
class _Port:
    """A port or a stream's payload: its place among its kind, and its bits."""

    place: int
    width: int

    @property
    def words(self) -> int:
        return -(-self.width // 32)


class StreamSimulation(Handle):
    """A Verilated component; hundreds of thousands of cycles per second while it is small.

    Values wait in a queue before each stream that comes in, and behind each that goes out. Values are integers, the
    fields of a record side by side from the lowest bit on.

    Parameters
    ----------
    component : wiring.Component
        Its ports are streams and plain values. It is reset at the beginning.
    seed : int
        Makes the stalls.
    stall : float
        Probability that a stream holds back in a cycle.
    threads : int or None
        Simulation threads; None: ``REWARDWARE_THREADS``, else 1.
    whole : bool
        Compile as a whole, however large: what simulations in blocks are compared with.

    Members
    -------
    run_cycles, run_seconds : int, float
        Clock cycles of :meth:`run`, and the time that they took.
    size : DesignSize

    Raises
    ------
    ValueError
        A port of another kind, or a probability out of its range.
    BuildError
        Verilator or the compiler failed.
    """

    def __init__(
        self,
        component: wiring.Component,
        *,
        seed: int = 0,
        stall: float = 0.0,
        threads: int | None = None,
        whole: bool = False,
    ):
        if not 0 <= stall < 1:
            raise ValueError(f"Stall must be a probability from 0 to below 1, not {stall!r}")
        self._sources, self._sinks, self._inputs, self._outputs = _ports(component)
        ports = _write_ports(self._sources, self._sinks, self._inputs, self._outputs)
        verilog = emitted(component, TOP)
        sources = [Path(__file__).with_name("streams.cpp"), ports]
        library = build_library(verilog, TOP, sources, threads=threads, whole=whole)
        self.size = design_size(library)
        self.run_cycles, self.run_seconds = 0, 0.0
        self._library = _load(str(library))
        self._handle = self._library.streams_open(seed, stall)

    def send(self, name: str, values: Iterable[int] | np.ndarray) -> None:
        """Queue values for a stream."""
        port = _find(self._sources, name, "Stream in")
        words = _to_words(values, port)
        self._library.streams_send(self._open, port.place, words.ctypes.data, len(words))

    def receive(self, name: str, count: int, limit: int) -> np.ndarray:
        """The next values of a stream, as int64, or as objects where it is wider than 63 bits.

        Raises
        ------
        TimeoutError
            They are not there within ``limit`` cycles.
        """
        port = _find(self._sinks, name, "Stream out")
        self.run(name, count, limit)
        words = np.empty((count, port.words), np.uint32)
        self._library.streams_receive(self._open, port.place, words.ctypes.data, count)
        return _from_words(words, port)

    def run(self, name: str, count: int, limit: int) -> int:
        """Until so many values of a stream wait; returns cycles.

        Raises
        ------
        TimeoutError
            They are not there within ``limit`` cycles.
        KeyboardInterrupt
            Ctrl-C, which is seen every few thousand cycles.
        """
        place = _find(self._sinks, name, "Stream out").place
        before = time.perf_counter()
        cycles = in_parts(limit, lambda part: int(self._library.streams_run(self._open, place, count, part)))
        self.run_seconds += time.perf_counter() - before
        self.run_cycles += cycles
        there = self._library.streams_available(self._open, place)
        if there < count:
            raise TimeoutError(f"Stream {name} has {there} of {count} values after {limit} cycles")
        return cycles

    def set(self, name: str, value: int) -> None:
        """An input port that is no stream."""
        port = _find(self._inputs, name, "Input")
        words = _to_words([value], port)
        self._library.streams_set(self._open, port.place, words.ctypes.data)

    def get(self, name: str) -> int:
        """An output port that is no stream."""
        port = _find(self._outputs, name, "Output")
        words = np.zeros((1, port.words), np.uint32)
        self._library.streams_get(self._open, port.place, words.ctypes.data)
        return int(_from_words(words, port)[0])

    def _end(self, handle: int) -> None:
        self._library.streams_close(handle)


def _ports(component: wiring.Component) -> tuple[dict[str, _Port], ...]:
    """Streams in, streams out, inputs, outputs."""
    streams: tuple[dict[str, _Port], ...] = ({}, {})
    values: tuple[dict[str, _Port], ...] = ({}, {})
    for name, member in component.signature.members.items():
        if member.dimensions or (member.is_signature and not isinstance(member.signature, stream.Signature)):
            raise ValueError(f"Port {name} must be a stream or a plain value")
        kind, carrier = (values, member) if member.is_port else (streams, member.signature.members["payload"])
        chosen = kind[int(member.flow == wiring.Out)]
        chosen[name] = _Port(len(chosen), Shape.cast(carrier.shape).width)
    return *streams, *values


def _find(ports: Mapping[str, _Port], name: str, kind: str) -> _Port:
    if name not in ports:
        raise ValueError(f"{kind} must be one of {', '.join(ports) or 'none'}, not {name!r}")
    return ports[name]


def _to_words(values: Any, port: _Port) -> np.ndarray:
    if port.width <= 32:
        return np.ascontiguousarray(np.asarray(values, np.int64).astype(np.uint32)[:, None])
    size = 4 * port.words
    data = b"".join((int(value) & (1 << port.width) - 1).to_bytes(size, "little") for value in values)
    return np.frombuffer(data, np.uint32).reshape(-1, port.words)


def _from_words(words: np.ndarray, port: _Port) -> np.ndarray:
    if port.width <= 32:
        return words[:, 0].astype(np.int64)
    kind = np.int64 if port.width < 64 else object
    return np.array([int.from_bytes(row.tobytes(), "little") for row in words], kind)


def _write_ports(*ports: Mapping[str, _Port]) -> Path:
    """The functions that touch the ports of a component."""
    sources, sinks, inputs, outputs = ports

    def cases(chosen: Mapping[str, _Port], text: str) -> str:
        lines = (f"case {port.place}: {text.format(name=name, words=port.words)} " for name, port in chosen.items())
        return f"switch (place) {{ {''.join(lines)} default: break; }}"

    def sizes(name: str, chosen: Mapping[str, _Port]) -> str:
        words = ", ".join([*(str(port.words) for port in chosen.values()), "0"])
        return f"extern const int {name}s = {len(chosen)};\nextern const int {name}_words[] = {{ {words} }};\n"

    payload, valid, ready = (f"top.{{name}}{JOINT}{part}" for part in ("payload", "valid", "ready"))
    put = f"rewardware::put_words({payload}, payload, {{words}}); {valid} = valid; break;"
    get = f"rewardware::get_words({payload}, payload, {{words}}); return {valid};"
    unused = "(void)top; (void)place;"
    text = (
        '#include "simulation.h"\n'
        + sizes("source", sources)
        + sizes("sink", sinks)
        + "void set_clock(Vtop &top, int level) { top.clk = level; }\n"
        "void set_reset(Vtop &top, int level) { top.rst = level; }\n"
        "void set_source(Vtop &top, int place, const uint32_t *payload, int valid) "
        f"{{ {unused} (void)payload; (void)valid; {cases(sources, put)} }}\n"
        f"int get_source_ready(Vtop &top, int place) {{ {unused} "
        f"{cases(sources, f'return {ready};')} return 0; }}\n"
        f"void set_sink_ready(Vtop &top, int place, int ready) {{ {unused} (void)ready; "
        f"{cases(sinks, f'{ready} = ready; break;')} }}\n"
        f"int get_sink(Vtop &top, int place, uint32_t *payload) {{ {unused} (void)payload; "
        f"{cases(sinks, get)} return 0; }}\n"
        f"void set_port(Vtop &top, int place, const uint32_t *words) {{ {unused} (void)words; "
        f"{cases(inputs, 'rewardware::put_words(top.{name}, words, {words}); break;')} }}\n"
        f"void get_port(Vtop &top, int place, uint32_t *words) {{ {unused} (void)words; "
        f"{cases(outputs, 'rewardware::get_words(top.{name}, words, {words}); break;')} }}\n"
    )

    def write(folder: Path) -> None:
        (folder / "ports.cpp").write_text(text)

    return build_once("ports", content_key(text=text), write) / "ports.cpp"


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    handle, count, words = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p
    functions: dict[str, tuple[list[Any], Any]] = {
        "open": ([count, ctypes.c_double], handle),
        "close": ([handle], None),
        "send": ([handle, ctypes.c_int, words, count], None),
        "available": ([handle, ctypes.c_int], count),
        "receive": ([handle, ctypes.c_int, words, count], None),
        "set": ([handle, ctypes.c_int, words], None),
        "get": ([handle, ctypes.c_int, words], None),
        "run": ([handle, ctypes.c_int, count, count], count),
    }
    for name, (arguments, result) in functions.items():
        function = getattr(library, f"streams_{name}")
        function.argtypes, function.restype = arguments, result
    return library
