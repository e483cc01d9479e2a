"""One component, one bench: convert, build, run, and raise what failed."""

import inspect
import os
import shlex
import tempfile
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cocotb_tools.config
from amaranth.hdl import Shape
from amaranth.lib import stream, wiring
from cocotb_tools.runner import get_runner

from ...hw.cores.verilog.emit import emit
from ..verilator.build import build
from ..verilog.emitted import emitted
from . import stream_rules
from .bench import RUN_VARIABLE, Run
from .codec import Codec, codec_of
from .stream_rules import PROGRESS_CYCLES, RULES, broken_rules, note_streams, rules_are_on, watched, without_reports

SEED_VARIABLE = "REWARDWARE_SEED"
WAVEFORM_VARIABLE = "REWARDWARE_WAVEFORM"
# Files whose assertions say which values they compared.
REWRITE_VARIABLE = "COCOTB_REWRITE_ASSERTION_FILES"
TOP = "top"
NOISE = "noise"
# What adds the checks of streams to Verilog.
_RULES_SOURCE = inspect.getsource(stream_rules)


def simulate(
    component: wiring.Component,
    *,
    bench: str,
    parameters: dict[str, Any] | None = None,
    seed: int | None = None,
    waveform: bool = False,
    timeout_s: float = 300,
    tests: str | list[str] | None = None,
    internals: bool = False,
    after_noise: bool = False,
    progress_cycles: int = PROGRESS_CYCLES,
) -> None:
    """Run the cocotb tests of a bench on a component, on Verilator.

    A component that was built before, with the same Verilog and the same tools, is not built again. Every stream of the
    component, and of those inside it, is held to the rule of streams (:mod:`.stream_rules`).

    Parameters
    ----------
    component : wiring.Component
        Component under test; its ports appear on the bench's ``dut`` under Amaranth's names (``requests__payload``).
    bench : str
        Module with the ``@cocotb.test()`` functions, as it is imported.
    parameters : dict or None
        What ``parameters()`` returns in the bench; anything that pickles, configurations and arrays included.
    seed : int or None
        Seed of ``rng()`` in the bench. None takes ``REWARDWARE_SEED`` from the environment, else one that depends on
        the name of the test only, so that a suite does the same every time.
    waveform : bool
        Write an FST waveform to ``build/waveforms``; also by ``REWARDWARE_WAVEFORM=1``. Implies ``internals``.
    timeout_s : float
        Wall-clock limit of the run in seconds.
    tests : str, list of str or None
        Names of the bench's tests to run; None runs all.
    internals : bool
        Keep the signals inside the component visible to the bench; slower.
    after_noise : bool
        Play noise on all inputs before the first test, so that what the reset leaves as it was shows. Not for benches
        that rely on the contents of memories at power-on.
    progress_cycles : int
        Cycles in which a value waits to come in, all that comes out would be taken, and nothing moves: more break the
        rule of streams.

    Raises
    ------
    AssertionError
        A test failed, a stream broke its rule, or the run ended without results; the text has the transaction, the
        seed and the command that repeats it.
    BuildError
        Verilator or the compiler failed.
    """
    waveform = waveform or bool(os.environ.get(WAVEFORM_VARIABLE))
    name = os.environ.get("PYTEST_CURRENT_TEST", bench).removesuffix(" (call)")
    seed = _choose_seed(seed, name)
    program = _build(_verilog(component, progress_cycles), waveform, internals or waveform)
    trace = _waveform_path(name) if waveform else None
    with tempfile.TemporaryDirectory(prefix="rewardware-") as folder:
        run_file, log_file, results = (Path(folder) / file for file in ("run.pickle", "log", "results.xml"))
        run = Run(
            parameters=parameters or {},
            seed=seed,
            streams=stream_codecs(component),
            timeout_s=timeout_s,
            waveform=trace,
            inputs=input_widths(component),
        )
        run.save(run_file)
        benches, names = [bench], [tests] if isinstance(tests, str) else tests
        if after_noise:
            benches, names = [f"rewardware.sim.cocotb.{NOISE}", bench], names and [*names, NOISE]
        environment = {RUN_VARIABLE: str(run_file)}
        _run(program, benches, names, results, log_file, environment, trace)
        failures, count = _failures(results)
        if any(failure.rstrip().endswith("\nAssertionError") for failure in failures):
            # Once more, for the values that were compared.
            results.unlink()
            environment[REWRITE_VARIABLE] = f"{bench.rpartition('.')[2]}.py"
            _run(program, benches, names, results, log_file, environment, trace)
            # A test that passes this time has failed all the same.
            failures = _failures(results)[0] or failures
        log = log_file.read_text(errors="replace") if log_file.exists() else ""
    if count is None:
        failures = [f"The simulation of {bench} ended without results (limit {timeout_s:g} s)"]
    elif count == int(after_noise):
        failures = [f"{bench} has no test named {tests}"]
    note_streams(log)
    failures = broken_rules(log) + failures
    if failures:
        end = "\n".join(without_reports(log)[-30:])
        repeat = f"{SEED_VARIABLE}={seed} pytest {shlex.quote(name)}"
        waves = f"\nwaveform: {trace}" if trace else f"\nwaveform: {WAVEFORM_VARIABLE}=1 writes one"
        raise AssertionError("\n".join(failures) + f"\nseed {seed}, repeat: {repeat}{waves}\nlog ends:\n{end}")


def stream_codecs(component: wiring.Component) -> dict[str, Codec]:
    """For each stream among the ports of a component, by its flattened name, the codec of its payload."""
    codecs: dict[str, Codec] = {}

    def visit(signature: wiring.Signature, prefix: str) -> None:
        for name, member in signature.members.items():
            if not member.is_signature:
                continue
            for suffix in _indices(member.dimensions):
                path = f"{prefix}{name}{suffix}"
                if isinstance(member.signature, stream.Signature):
                    codecs[path] = codec_of(member.signature.members["payload"].shape)
                else:
                    visit(member.signature, f"{path}__")

    visit(component.signature, "")
    return codecs


def input_widths(component: wiring.Component) -> dict[str, int]:
    """Width of each input port of a component, by its flattened name."""
    inputs = [port for port in component.signature.flatten(component) if port[1].flow == wiring.In]
    return {"__".join(map(str, path)): Shape.cast(member.shape).width for path, member, _ in inputs}


def _indices(dimensions: tuple[int, ...]) -> list[str]:
    suffixes = [""]
    for size in dimensions:
        suffixes = [f"{suffix}__{index}" for suffix in suffixes for index in range(size)]
    return suffixes


def _choose_seed(seed: int | None, name: str) -> int:
    if seed is not None:
        return seed
    wanted = os.environ.get(SEED_VARIABLE)
    if wanted is None:
        return zlib.crc32(name.encode())
    if wanted == "random":
        return int.from_bytes(os.urandom(4))
    if not wanted.isdecimal():
        raise ValueError(f"{SEED_VARIABLE} must be a number or `random`, not {wanted!r}")
    return int(wanted)


def _verilog(component: wiring.Component, progress_cycles: int) -> str:
    if not rules_are_on():
        return emitted(component, TOP)

    def write(component: wiring.Component, name: str) -> str:
        with watched(component, progress_cycles):
            return emit(component, name) + RULES

    return emitted(component, TOP, write, rules=_RULES_SOURCE, progress_cycles=progress_cycles)


def _build(verilog_text: str, waveform: bool, internals: bool) -> Path:
    main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
    # In one file: to split it, as is Verilator's way with larger designs, has headers precompiled twice for nothing.
    own = ["--exe", "--vpi", "--timescale", "1ns/1ps", "--output-split", "0"]
    # Ports alone are visible to the bench: what Verilator may optimise away runs several times faster.
    own += ["--public-flat-rw"] if internals else ["--public-depth", "1"]
    return build(
        verilog_text,
        TOP,
        kind="benches",
        product=TOP,
        cpp_sources=[main],
        top_arguments=own,
        link_flags=["-lcocotbvpi_verilator"],
        library_folders=[cocotb_tools.config.libs_dir],
        # Python takes most of a bench's time: simulators that are compiled in a third of the time cost it nothing.
        make_variables=["OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1"],
        trace=waveform,
    )


def _waveform_path(name: str) -> str:
    file = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
    folder = Path.cwd() / "build" / "waveforms"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / f"{file[-120:]}.fst")


def _run(
    program: Path,
    benches: list[str],
    tests: list[str] | None,
    results: Path,
    log_file: Path,
    environment: dict[str, str],
    trace: str | None,
) -> None:
    """Run the program; what went wrong is read from its results and its log."""
    runner = get_runner("verilator")
    arguments = ["--trace", "--trace-file", trace] if trace else []
    try:
        runner.test(
            test_module=["rewardware.sim.cocotb.watchdog", *benches],
            hdl_toplevel=program.name,
            hdl_toplevel_lang="verilog",
            build_dir=program.parent,
            test_dir=results.parent,
            test_args=arguments,
            testcase=tests,
            # Without pytest's hook for assertions, which takes longer than many a bench.
            extra_env={REWRITE_VARIABLE: "", "COCOTB_ANSI_OUTPUT": "0", "LD_LIBRARY_PATH": _library_path()}
            | environment,
            results_xml=str(results),
            log_file=log_file,
        )
    except (SystemExit, RuntimeError):
        pass


def _library_path() -> str:
    """Where the loader finds cocotb's libraries, before what the user has set."""
    return os.pathsep.join(filter(None, [str(cocotb_tools.config.libs_dir), os.environ.get("LD_LIBRARY_PATH")]))


def _failures(results: Path) -> tuple[list[str], int | None]:
    """Texts of the failed tests, and how many tests ran (None: the run ended before it could say)."""
    if not results.exists():
        return [], None
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    failures = [
        f"{case.get('name')}: {problem.get('error_msg') or problem.get('message') or problem.text}"
        for case in cases
        for problem in (*case.findall("failure"), *case.findall("error"))
    ]
    return failures, len(cases)
