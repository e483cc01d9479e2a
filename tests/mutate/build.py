"""Stands where simulators are built: notes what a test builds, and builds mutants in its place.

Tests that simulate with Amaranth, or prove, build none: there it stands where one class is elaborated.

A plugin of pytest, so that tests, benches and harnesses are those of the suite.
"""

import importlib
import json
import signal
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.cocotb import simulation
from rewardware.sim.cocotb.stream_rules import STREAM_RULES_VARIABLE

from .each_mutant import ORDER_VARIABLE
from .mutants import MUTANT_VARIABLE, MutatedDesign
from .netlist import Netlist

_BUILDERS = ("rewardware.sim.verilator.build", "rewardware.sim.cocotb.simulation")
_EMITTERS = ("rewardware.sim.cocotb.simulation", "rewardware.sim.harness.vectors")
_EACH_MUTANT = "tests.mutate.each_mutant"
_TOP = "top"


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
    component : str
        Class that is elaborated with its mutants, as ``package.module:Class``; without, simulators are built with them.
    mutated : mapping
        For each design that has mutants, what stands in its place.
    known : mapping
        For each test the texts that it emitted before, in its order: they are not made again.
    numbers : sequence of int
        Mutants that a bench runs on, beside the design without one.
    limit_seconds : int
        Processor time that a bench has for each of them.

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
    killed : dict
        By its number each mutant that a bench noticed: the test with what it said, and whether in time.
    has_others : bool
        Something besides benches sees the mutants.
    """

    component: str = ""
    mutated: Mapping[Design, MutatedDesign] = field(default_factory=dict)
    known: Mapping[str, list[str]] = field(default_factory=dict)
    designs: dict[str, list[Design]] = field(default_factory=lambda: defaultdict(list))
    emitted: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    numbers: Sequence[int] = ()
    limit_seconds: int = 0
    killed: dict[int, tuple[str, bool]] = field(default_factory=dict)
    has_others: bool = False
    _test: str = ""
    _programs: set[Path] = field(default_factory=set)

    @pytest.fixture(autouse=True)
    def _in_place_of_the_builders(self, monkeypatch, request):
        self._test = request.node.nodeid
        # The checks of streams would be mutated with the design.
        monkeypatch.setenv(STREAM_RULES_VARIABLE, "0")
        if self.component:
            self.has_others = True
            module, _, name = self.component.partition(":")
            component = getattr(importlib.import_module(module), name)
            monkeypatch.setattr(component, "elaborate", self._elaboration(component, component.elaborate))
            return
        for name in _BUILDERS:
            module = importlib.import_module(name)
            monkeypatch.setattr(module, "build", self._builder(module.build))
        for name in _EMITTERS:
            module = importlib.import_module(name)
            monkeypatch.setattr(module, "emit", self._emitter(module.emit))
        if self.numbers:
            monkeypatch.setattr(simulation, "_run", self._runner(simulation._run))

    def _note(self, design: Design) -> MutatedDesign | None:
        """What stands in the place of a design that the test builds."""
        if design not in self.designs[self._test]:
            self.designs[self._test].append(design)
        return self.mutated.get(design)

    def _builder(self, build):
        def build_or_mutate(verilog_text: str, top_name: str, **options: Any) -> Path:
            mutated = self._note(Design(verilog_text, top_name))
            if not mutated:
                return build(verilog_text, top_name, **options)
            program = build(mutated.verilog, top_name, **options)
            if options["kind"] == "benches":
                self._programs.add(program)
            else:
                self.has_others = True
            return program

        return build_or_mutate

    def _runner(self, run):
        def run_each(program: Path, benches: list[str], tests, results, log_file, environment, trace) -> None:
            if program not in self._programs:
                run(program, benches, tests, results, log_file, environment, trace)
                return
            numbers = [number for number in self.numbers if number not in self.killed]
            with tempfile.TemporaryDirectory(prefix="rewardware-") as folder:
                order = {"variable": MUTANT_VARIABLE, "numbers": numbers, "limit_seconds": self.limit_seconds}
                # One test of a bench that fails kills a mutant: those behind it are not run.
                more = {ORDER_VARIABLE: json.dumps(order | {"folder": folder}), "COCOTB_MAX_FAILURES": "1"}
                run(program, [_EACH_MUTANT, *benches], tests, results, log_file, environment | more, trace)
                for number in numbers:
                    self._judge(number, Path(folder) / str(number))

        return run_each

    def _judge(self, number: int, place: Path) -> None:
        """What a bench said of a mutant, if it noticed it."""
        failures, count = simulation._failures(place.with_suffix(".xml"))
        if failures:
            self.killed[number] = f"{self._test}: {failures[0].splitlines()[0]}", True
        elif count is None:
            ended = place.with_suffix(".status")
            in_time = not ended.exists() or ended.read_text() not in (str(-signal.SIGXCPU), str(-signal.SIGKILL))
            self.killed[number] = f"{self._test}: {'ended without results' if in_time else 'limit of time'}", in_time

    def _elaboration(self, component, elaborate):
        emit_once = self._emitter(emit)

        def elaborate_or_mutate(instance, platform):
            mutating = component.elaborate
            component.elaborate = elaborate
            try:
                design = Design(emit_once(instance, _TOP), _TOP)
            finally:
                component.elaborate = mutating
            mutated = self._note(design)
            return Netlist(mutated, _TOP, instance) if mutated else elaborate(instance, platform)

        return elaborate_or_mutate

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
