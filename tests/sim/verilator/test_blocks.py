import ctypes
import dataclasses
import gc
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.harness.vectors import evaluate
from rewardware.sim.verilator import blocks
from rewardware.sim.verilator.block_model import block_model, steps_of
from rewardware.sim.verilator.compiler import Compiler
from rewardware.sim.verilator.netlist import Netlist
from rewardware.sim.verilator.partition import BLOCKS_VARIABLE, Partition, choose_blocks

from .circuits import Circuit

# All that can be a block is one.
EVERYTHING = Partition(whole=0, often=1, repeated=1, alone=1, most=0, share=1, bits=1000, calls=9)
KINDS = {"inner", "stage", "blinker", "alarm", "table", "memory_8x40"}


def stimuli(seed: int, cycles: int = 3000) -> dict[str, np.ndarray]:
    """Inputs that rest for a while, now and then for long, and change in every cycle in between."""
    rng = np.random.default_rng(seed)
    widths = {"i": 8, "i_valid": 1, "o_ready": 1, "start": 1, "write": 1, "data": 40}
    inputs = {name: rng.integers(0, 1 << width, cycles) for name, width in widths.items()}
    begin = 0
    while begin < cycles:
        end = begin + int(rng.choice([1, 3, 10, 30, 200]))
        if rng.random() < 0.5:
            for numbers in inputs.values():
                numbers[begin:end] = numbers[begin]
        begin = end
    return inputs


def in_blocks(monkeypatch, partition: Partition = EVERYTHING) -> None:
    monkeypatch.setattr(Partition, "of_environment", classmethod(lambda cls: partition))


def assert_same(monkeypatch, inputs: dict[str, np.ndarray], partition: Partition = EVERYTHING) -> None:
    whole = evaluate(Circuit(), inputs)
    with monkeypatch.context() as patched:
        in_blocks(patched, partition)
        found = evaluate(Circuit(), inputs)
    for name, expected in whole.items():
        np.testing.assert_array_equal(found[name], expected, name)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_compute_what_the_whole_computes(seed, monkeypatch):
    inputs = stimuli(seed)
    assert_same(monkeypatch, inputs)


def test_a_block_may_have_others_in_it_or_none(monkeypatch):
    inputs = stimuli(7)
    assert_same(monkeypatch, inputs, dataclasses.replace(EVERYTHING, repeated=1, alone=10_000, often=4))


def test_models_that_verilator_makes_otherwise_are_evaluated_whole(monkeypatch):
    monkeypatch.setattr(blocks, "steps_of", lambda prefix, generated: steps_of(prefix, ""))
    monkeypatch.setattr(blocks, "_SPLIT_FLAGS", ())
    # A name of its own, or the blocks of the other tests would be found.
    partition = dataclasses.replace(EVERYTHING, share=0.999)
    monkeypatch.setattr(blocks, "_LARGE", -1)
    assert_same(monkeypatch, stimuli(3), partition)


def test_chosen_blocks_are_told_by_size_and_by_how_often_they_are_there():
    netlist = Netlist(emit(Circuit()), "top")
    assert {name.removeprefix("top_") for name in choose_blocks(netlist, EVERYTHING)} == KINDS
    assert choose_blocks(netlist, dataclasses.replace(EVERYTHING, whole=netlist.sizes["top"])) == []
    often = choose_blocks(netlist, dataclasses.replace(EVERYTHING, often=6, alone=10_000))
    assert often == ["top_stage"]
    assert choose_blocks(netlist, dataclasses.replace(EVERYTHING, often=6, alone=10_000, calls=0)) == []
    # A stage has more bits of ports than half of its lines.
    bits = sum(port.width for port in netlist.modules["top_stage"].ports.values())
    lines = netlist.modules["top_stage"].lines
    few = choose_blocks(netlist, dataclasses.replace(EVERYTHING, bits=(bits - 1) / lines))
    assert "top_stage" not in few
    inside = choose_blocks(netlist, dataclasses.replace(EVERYTHING, often=2, most=10_000))
    assert "top_stage" not in inside and "top_inner" in inside


def test_number_of_lines_is_checked(monkeypatch):
    monkeypatch.setenv(BLOCKS_VARIABLE, "1234")
    assert Partition.of_environment() == Partition(whole=1234)
    monkeypatch.setenv(BLOCKS_VARIABLE, "all")
    with pytest.raises(ValueError, match="REWARDWARE_BLOCKS must be a number of lines, not 'all'"):
        Partition.of_environment()
    monkeypatch.delenv(BLOCKS_VARIABLE)
    assert Partition.of_environment() == Partition()


def test_steps_are_those_of_one_clock():
    prefix = "Vblock"
    root = f"{prefix}___024root"
    triggers = (
        f"void {root}___eval_triggers_vec__act({root}* vlSelf) {{\n"
        "    vlSelfRef.__VactTriggered[0U] = (QData)((IData)(((IData)(vlSelfRef.clk) \n"
        "        & (~ (IData)(vlSelfRef.__Vtrigprevexpr___TOP__clk__0)))));\n"
        "    vlSelfRef.__Vtrigprevexpr___TOP__clk__0 = vlSelfRef.clk;\n}\n"
    )
    assert "WholeSteps" not in steps_of(prefix, triggers)
    two = triggers.replace("clk) \n", "clk) | vlSelfRef.other\n")
    assert "WholeSteps" in steps_of(prefix, two) and "WholeSteps" in steps_of(prefix, "")


def test_equal_blocks_have_one_name_also_in_other_designs():
    netlist, other = Netlist(emit(Circuit()), "top"), Netlist(emit(Circuit(), "other"), "other")
    stage = block_model(netlist, "top_stage", {})
    assert re.fullmatch(r"stage_[0-9a-f]{12}", stage.name)
    there = block_model(other, "other_stage", {})
    assert (stage.name, stage.verilog, stage.glue) == (there.name, there.verilog, there.glue)
    inner, inner_there = (
        block_model(netlist, "top_inner", {"top_stage": stage}),
        block_model(other, "other_inner", {"other_stage": there}),
    )
    assert inner.verilog == inner_there.verilog and "module module_0" in inner.verilog
    assert inner.name != block_model(netlist, "top_inner", {}).name


def test_the_first_error_of_a_block_ends_the_build(monkeypatch, tmp_path):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    in_blocks(monkeypatch)
    monkeypatch.setattr(Compiler, "compile", lambda *_, **__: (_ for _ in ()).throw(RuntimeError("no compiler")))
    with pytest.raises(RuntimeError, match="no compiler"):
        evaluate(Circuit(), stimuli(0, 10))
    assert not list(tmp_path.glob("*/*partial*"))


@pytest.mark.parametrize(("name", "end"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "143")])
def test_a_build_that_is_interrupted_ends_at_once_and_leaves_nothing_half(name, end, tmp_path):
    program = (
        "import os, signal, threading, time\n"
        "from rewardware.sim.verilator.partition import Partition\n"
        "from tests.sim.verilator.test_blocks import EVERYTHING, stimuli\n"
        "from tests.sim.verilator.circuits import Circuit\n"
        "from rewardware.sim.harness.vectors import evaluate\n"
        "Partition.of_environment = classmethod(lambda cls: EVERYTHING)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"threading.Timer(2, os.kill, (os.getpid(), signal.{name})).start()\n"
        "try:\n"
        "    evaluate(Circuit(), stimuli(0, 10))\n"
        "except (KeyboardInterrupt, SystemExit) as error:\n"
        "    print(repr(error))\n"
    )
    environment = {"REWARDWARE_CACHE": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert end in ran.stdout
    assert not list(tmp_path.glob("cache/*/*partial*")) and not list(tmp_path.glob("cache/libraries/*/simulation.so"))


def test_a_simulation_that_ends_gives_back_its_blocks(monkeypatch):
    """Blocks inside others are closed also; a process may open thousands of simulations."""

    class Allocated(ctypes.Structure):
        _fields_ = [
            (name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks used".split()
        ]
        _fields_ += [(name, ctypes.c_size_t) for name in ("fordblks", "keepcost")]

    allocated = ctypes.CDLL(None).mallinfo2
    allocated.restype = Allocated
    in_blocks(monkeypatch)
    inputs, used = stimuli(0, 10), []
    for _ in range(30):
        evaluate(Circuit(), inputs)
        gc.collect()
        used.append(allocated().used)
    # A block takes a kilobyte and more, and there are ten.
    assert used[-1] - used[9] < 20 * 1000
