"""Rows of the search tree: their bits by hand, and that lockstep sees rows that are packed or unpacked wrong."""

import dataclasses

import pytest

from rewardware.hw.cores.records import Record
from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.device import search_tree_rows
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import open_tree
from rewardware.sw.device.search_tree_numbers import TreeParameters
from rewardware.sw.device.search_tree_rows import pack_request, pack_requests, unpack_answer, unpack_answers
from rewardware.sw.reference.tree.requests import Answer, Request
from tests.hw.soc.mcts.test_system import config_of

CONFIG = TreeConfig(fanout=3, group=2, levels=4, banks=8, rows=4, nodes=20, workers=5, reserve=1, policy="puct")
ROWS = [
    (Request(kind=RequestKind.SELECT, worker=3), 0 | 3 << 3),
    (Request(kind=RequestKind.BACKUP, worker=5, reward=-5, legal=6), 1 | 5 << 3 | 0xFFFB << 11 | 6 << 28),
    (Request(kind=RequestKind.BACKUP, reward=7, terminal=True), 1 | 7 << 11 | 1 << 27),
    (
        Request(kind=RequestKind.PRIOR, worker=255, group=2, even_prior=9, odd_prior=8),
        2 | 255 << 3 | 2 << 11 | 9 << 15 | 8 << 31,
    ),
    (Request(kind=RequestKind.CLEAR, worker=1, legal=5), 3 | 1 << 3 | 5 << 12),
    (Request(kind=RequestKind.ADVANCE, action=2), 4 | 2 << 11),
    # Fields that the kind has no use for are not sent; no field of an unknown kind is.
    (Request(kind=RequestKind.SELECT, worker=3, reward=9, legal=1, action=4), 0 | 3 << 3),
    (Request(kind=6, worker=9, legal=1), 6 | 9 << 3),
]


@pytest.mark.parametrize(("request_", "row"), ROWS)
def test_requests_are_packed(request_, row):
    assert pack_request(CONFIG, request_) == row


def test_answers_are_unpacked():
    row = 0 | 9 << 3 | 1 << 11 | 3 << 15 | 2 << 22 | 17 << 27 | 65535 << 43
    parts = {"status": Status.PENDING, "level": 3, "action": 2, "parent": 17, "node": 65535}
    assert unpack_answer(row) == Answer(kind=RequestKind.SELECT, worker=9, **parts)
    # Bits above mean nothing.
    assert unpack_answer(row | 1 << 63) == unpack_answer(row)
    packed = pack_requests(CONFIG, [request for request, _ in ROWS])
    assert packed.tolist() == [row for _, row in ROWS] and unpack_answers(packed[:1]) == [unpack_answer(24)]


def test_a_status_that_there_is_not_is_an_error():
    with pytest.raises(DeviceError, match="answered with the unknown status 15: row 0x0000000000007800"):
        unpack_answer(15 << 11)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"kind": RequestKind.BACKUP, "legal": 8}, "Legal must be from 0 to 7, not 8"),
        ({"kind": RequestKind.SELECT, "worker": 256}, "Worker must be from 0 to 255, not 256"),
        ({"kind": 8}, "Kind must be from 0 to 7, not 8"),
    ],
)
def test_what_no_row_holds_is_refused(numbers, words):
    with pytest.raises(ValueError, match=words):
        pack_request(CONFIG, Request(**numbers))


def swapped(record, one, other):
    """The record with two fields in each other's place."""
    places = {one: other, other: one}
    return Record(tuple(dataclasses.replace(field, name=places.get(field.name, field.name)) for field in record.fields))


def search(policy):
    """Searches in lockstep with the RTL in which each part of a request matters."""
    with MCTSDevice(open_tree("lockstep", config_of(policy))) as device:
        device.mcts_parameters(TreeParameters())
        legal = (1 << device.config.fanout) - 1
        device.request(device.clear(False, 0))
        priors = [0] * device.config.fanout if policy == "uct" else [1 << 12, 1 << 15, 1 << 13, 1 << 11, 1 << 10]
        given = [] if policy == "uct" else device.priors(3, priors)
        device.request(device.select(3), *given, device.backup(3, 0.25, False, legal))
        for turn in range(5):
            device.request(*(device.select(worker) for worker in range(3)))
            device.request(*(device.backup(worker, worker / 8 - turn / 16, False, 0b011) for worker in range(3)))
        device.request(device.advance(1))
        device.request(device.select(2))
        device.request(device.backup(2, 0.0, False, legal), device.clear(False, 0b010), device.select(1))
        return device.counters()


@pytest.mark.parametrize("policy", ["uct", "puct"])
def test_right_rows_are_found_equal(policy):
    counters = search(policy)
    assert counters["lockstep_equal"] == counters["lockstep_compared"] > 30


def backwards(record):
    return Record(record.fields[::-1])


@pytest.mark.parametrize(
    ("policy", "kind", "spoil"),
    [
        ("uct", RequestKind.BACKUP, backwards),
        ("uct", RequestKind.CLEAR, backwards),
        ("puct", RequestKind.PRIOR, backwards),
        ("puct", RequestKind.PRIOR, lambda record: swapped(record, "even_prior", "odd_prior")),
    ],
)
def test_lockstep_sees_arguments_in_the_wrong_bits(policy, kind, spoil, monkeypatch):
    """The device is sent other bits; the reference is asked for what was meant."""
    right = search_tree_rows.request_arguments
    monkeypatch.setattr(
        search_tree_rows, "request_arguments", lambda config: right(config) | {kind: spoil(right(config)[kind])}
    )
    with pytest.raises(LockstepError, match=r"Packet \d+, answers: RTL differs from the reference in "):
        search(policy)


def test_lockstep_sees_kind_and_worker_in_the_wrong_bits(monkeypatch):
    monkeypatch.setattr(search_tree_rows, "REQUEST_HEADER", backwards(search_tree_rows.REQUEST_HEADER))
    with pytest.raises(LockstepError, match=r"Packet \d+, answers: RTL differs from the reference in "):
        search("uct")


@pytest.mark.parametrize("fields", [("parent", "node"), ("level", "action")])
def test_lockstep_sees_fields_that_are_swapped_in_an_answer(fields, monkeypatch):
    monkeypatch.setattr(search_tree_rows, "ANSWER", swapped(search_tree_rows.ANSWER, *fields))
    with pytest.raises(LockstepError, match=r"Packet \d+, answers: RTL differs from the reference in "):
        search("uct")
