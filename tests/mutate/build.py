"""Stands where simulators are built: notes what a test builds, and builds mutants in its place.

Tests that simulate with Amaranth, or prove, build none: there it stands where one class is elaborated.

A plugin of pytest, so that tests, benches and harnesses are those of the suite.
"""

import importlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.cocotb.stream_rules import STREAM_RULES_VARIABLE

from .instances import instances
from .mutants import MutatedDesign
from .netlist import Netlist

_BUILDERS = ("rewardware.sim.verilator.build", "rewardware.sim.cocotb.simulation")
_EMITTERS = ("rewardware.sim.cocotb.simulation", "rewardware.sim.harness.vectors")
_TOP = "top"


@dataclass(frozen=True)
class Design:
    """Source of a simulator: a text of Verilog and the name of its top module."""

    verilog: str
    top: str


@dataclass
class Build:
    """The plugin.

    Parameters
    ----------
    component : str
        Class that is elaborated with its mutants, as ``package.module:Class``; without, simulators are built with them.
    mutated : mapping
        For each design that has mutants, what stands in its place.
    known : mapping
        For each test the texts that it emitted before, in its order: they are not made again.

    Attributes
    ----------
    designs : dict
        For each test that passed the designs that it built.
    emitted : dict
        For each test the texts that it emitted, in its order.
    instances : dict
        For each text that was emitted the classes of the instances in it, by their paths.
    seconds : dict
        How long each test took.
    failed : list of str
        Tests that failed, each with what it said.
    """

    component: str = ""
    mutated: Mapping[Design, MutatedDesign] = field(default_factory=dict)
    known: Mapping[str, list[str]] = field(default_factory=dict)
    designs: dict[str, list[Design]] = field(default_factory=lambda: defaultdict(list))
    emitted: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    instances: dict[str, dict[str, str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    _test: str = ""

    @pytest.fixture(autouse=True)
    def _in_place_of_the_builders(self, monkeypatch, request):
        self._test = request.node.nodeid
        # The checks of streams would be mutated with the design.
        monkeypatch.setenv(STREAM_RULES_VARIABLE, "0")
        if self.component:
            module, _, name = self.component.partition(":")
            component = getattr(importlib.import_module(module), name)
            monkeypatch.setattr(component, "elaborate", self._elaboration(component, component.elaborate))
            return
        for name in _BUILDERS:
            module = importlib.import_module(name)
            monkeypatch.setattr(module, "build", self._builder(module.build))
        for name in _EMITTERS:
            monkeypatch.setattr(importlib.import_module(name), "emitted", self._emit_once)

    def _note(self, design: Design) -> MutatedDesign | None:
        """Replacement of a design that the test builds."""
        if design not in self.designs[self._test]:
            self.designs[self._test].append(design)
        return self.mutated.get(design)

    def _builder(self, build):
        def build_or_mutate(verilog_text: str, top_name: str, **options: Any) -> Path:
            mutated = self._note(Design(verilog_text, top_name))
            return build(mutated.verilog if mutated else verilog_text, top_name, **options)

        return build_or_mutate

    def _elaboration(self, component, elaborate):
        def elaborate_or_mutate(instance, platform):
            mutating = component.elaborate
            component.elaborate = elaborate
            try:
                design = Design(self._emit_once(instance, _TOP), _TOP)
            finally:
                component.elaborate = mutating
            mutated = self._note(design)
            return Netlist(mutated, _TOP, instance) if mutated else elaborate(instance, platform)

        return elaborate_or_mutate

    def _emit_once(self, component: Any, name: str) -> str:
        done, known = self.emitted[self._test], self.known.get(self._test, [])
        if len(done) < len(known):
            done.append(known[len(done)])
            return done[-1]
        # Not taken from the cache: which instances there are shows while a component is elaborated.
        with instances(component) as found:
            done.append(emit(component, name))
        self.instances[done[-1]] = found
        return done[-1]

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.seconds[report.nodeid] = report.duration
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longreprtext}")
