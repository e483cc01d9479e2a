"""Where something computes: names, and pairs that are compared."""

import dataclasses

import pytest

from rewardware.sw.core.backends import is_board, is_of_a_machine, open_backend, parse_backend
from rewardware.sw.core.lockstep import Comparison, LockstepError
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import ReferenceTree, open_tree
from rewardware.sw.device.search_tree_numbers import TreeParameters
from tests.hw.soc.mcts.test_system import config_of

CONFIG = config_of("uct")


class Part:
    """Something on a backend."""

    def __init__(self, where, log):
        self.where, self.log = where, log
        log.append(f"open {where}")

    def close(self):
        self.log.append(f"close {self.where}")


def open_parts(backend, log, broken=()):
    def part(where):
        if where in broken:
            raise OSError(where)
        return Part(where, log)

    def join(one, other):
        if "pair" in broken:
            raise OSError("pair")
        return Comparison(one, other, 1, "Step")

    return open_backend(backend, lambda: part("reference"), part, join)


@pytest.mark.parametrize(
    ("backend", "opened", "names"),
    [
        ("reference", ["reference"], None),
        ("rtl", ["sim"], None),
        ("uart:/dev/ttyUSB0", ["uart:/dev/ttyUSB0"], None),
        ("pynq:overlays/tree.bit", ["pynq:overlays/tree.bit"], None),
        ("lockstep", ["reference", "sim"], ("the reference", "RTL")),
        ("lockstep:rtl,uart:/dev/ttyUSB0", ["sim", "uart:/dev/ttyUSB0"], ("rtl", "uart:/dev/ttyUSB0")),
    ],
)
def test_what_is_opened_is_closed(backend, opened, names):
    log = []
    part = open_parts(backend, log)
    assert log == [f"open {place}" for place in opened]
    assert names is None or part.names == names
    part.close()
    assert sorted(log[len(opened) :]) == sorted(f"close {place}" for place in opened)


@pytest.mark.parametrize(
    ("broken", "closed"), [("sim", ["close reference"]), ("pair", ["close sim", "close reference"])]
)
def test_a_pair_that_cannot_be_opened_leaves_nothing_open(broken, closed):
    log = []
    with pytest.raises(OSError, match=broken):
        open_parts("lockstep", log, (broken,))
    assert [line for line in log if line.startswith("close")] == closed


@pytest.mark.parametrize(
    "name",
    [
        "",
        "sim",
        "uart",
        "uart:",
        "pynq:",
        "torch",
        "lockstep:",
        "lockstep:rtl",
        "lockstep:rtl,sim",
        "lockstep:lockstep,rtl",
    ],
)
def test_others_are_refused(name):
    with pytest.raises(ValueError, match="Backend must be reference, rtl, lockstep, uart:PORT or pynq:BITSTREAM, not "):
        parse_backend(name)


def test_what_a_machine_has_is_told_from_what_all_have():
    names = [
        "rtl",
        "lockstep",
        "uart:/dev/ttyUSB0",
        "pynq:a.bit",
        "transport",
        "lockstep:rtl,pynq:a.bit",
        "engine:uart:0",
    ]
    assert [is_of_a_machine(name) for name in names] == [False, False, True, True, True, True, True]
    assert [is_board(name) for name in names] == [False, False, True, True, False, False, False]


def test_more_backends_come_first():
    assert parse_backend("torch", ("torch",)).name == "torch"
    with pytest.raises(ValueError, match="torch, reference, rtl, lockstep, uart:PORT or pynq:BITSTREAM, not 'fpga'"):
        parse_backend("fpga", ("torch",))


def test_further_exact_ones_may_be_of_a_pair():
    log = []
    exact = {"host": lambda: Part("host", log)}
    arguments = lambda: Part("reference", log), lambda place: Part(place, log)
    for backend in ("host", "lockstep:host,rtl", "lockstep:reference,host"):
        open_backend(backend, *arguments, lambda one, other: Comparison(one, other, 1, "Step"), exact).close()
    opened = [line.removeprefix("open ") for line in log if line.startswith("open")]
    assert opened == ["host", "host", "sim", "reference", "host"]
    with pytest.raises(ValueError, match="torch, host, reference, rtl, lockstep, uart:PORT or pynq:BITSTREAM, not ''"):
        parse_backend("", ("torch",), exact=("host",))
    with pytest.raises(
        ValueError, match="must be host, reference, rtl, lockstep, uart:PORT or pynq:BITSTREAM, not 'torch'"
    ):
        parse_backend("lockstep:torch,host", ("torch",), exact=("host",))


def play(tree, searches=30):
    """Selections and backups of a tree of three moves."""
    with MCTSDevice(tree) as device:
        device.mcts_parameters(TreeParameters())
        device.request(device.clear(False, 0b111))
        for number in range(searches):
            worker = number % 4
            device.request(device.select(worker))
            device.request(device.backup(worker, (number % 5) / 8, False, 0b111))
        return device.counters()


def test_a_search_tree_in_lockstep():
    counters = play(open_tree("lockstep", CONFIG))
    assert counters["lockstep_steps"] == 61
    assert counters["lockstep_compared"] == counters["lockstep_equal"] == 61
    assert counters["selections"] == 30


def test_lockstep_sees_one_wrong_bit_of_an_answer(monkeypatch):
    receive, received = ReferenceTree.receive, []

    def wrong(self, count):
        received.append(count)
        wrong_bits = int(len(received) == 40)
        return [dataclasses.replace(answer, node=answer.node ^ wrong_bits) for answer in receive(self, count)]

    monkeypatch.setattr(ReferenceTree, "receive", wrong)
    with pytest.raises(LockstepError, match=r"Packet 39, answers: RTL differs from the reference in node\[0\]"):
        play(open_tree("lockstep", CONFIG))
