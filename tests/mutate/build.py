"""Stands where simulators are built: notes what a test builds, and builds mutants in its place.

A plugin of pytest, so that tests, benches and harnesses are those of the suite.
"""

import importlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rewardware.sim.cocotb.stream_rules import STREAM_RULES_VARIABLE

_BUILDERS = ("rewardware.sim.verilator.build", "rewardware.sim.cocotb.simulation")
_EMITTERS = ("rewardware.sim.cocotb.simulation", "rewardware.sim.harness.vectors")


@dataclass(frozen=True)
class Design:
    """What a simulator was built from: a text of Verilog and the name of its top module."""

    verilog: str
    top: str


@dataclass
class Build:
    """The plugin.

    Parameters
    ----------
    mutated : mapping
        For each design that has mutants, the text to build in its place.
    known : mapping
        For each test the texts that it emitted before, in its order: they are not made again.

    Attributes
    ----------
    designs : dict
        For each test that passed the designs that it built.
    emitted : dict
        For each test the texts that it emitted, in its order.
    seconds : dict
        How long each test took.
    failed : list of str
        Tests that failed, each with what it said.
    """

    mutated: Mapping[Design, str] = field(default_factory=dict)
    known: Mapping[str, list[str]] = field(default_factory=dict)
    designs: dict[str, list[Design]] = field(default_factory=lambda: defaultdict(list))
    emitted: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    _test: str = ""

    @pytest.fixture(autouse=True)
    def _in_place_of_the_builders(self, monkeypatch, request):
        self._test = request.node.nodeid
        # The checks of streams would be mutated with the design.
        monkeypatch.setenv(STREAM_RULES_VARIABLE, "0")
        for name in _BUILDERS:
            module = importlib.import_module(name)
            monkeypatch.setattr(module, "build", self._builder(module.build))
        for name in _EMITTERS:
            module = importlib.import_module(name)
            monkeypatch.setattr(module, "emit", self._emitter(module.emit))

    def _builder(self, build):
        def build_or_mutate(verilog_text: str, top_name: str, **options: Any) -> Path:
            design = Design(verilog_text, top_name)
            if design not in self.designs[self._test]:
                self.designs[self._test].append(design)
            return build(self.mutated.get(design, verilog_text), top_name, **options)

        return build_or_mutate

    def _emitter(self, emit):
        def emit_once(component: Any, *arguments: Any, **options: Any) -> str:
            done, known = self.emitted[self._test], self.known.get(self._test, [])
            done.append(known[len(done)] if len(done) < len(known) else emit(component, *arguments, **options))
            return done[-1]

        return emit_once

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.seconds[report.nodeid] = report.duration
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longreprtext}")
