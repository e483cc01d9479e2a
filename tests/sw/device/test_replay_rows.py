"""Rows of the sum tree: their bits by hand, and that lockstep sees rows that are packed or unpacked wrong."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.cores.records import Record
from rewardware.hw.cores.replay.requests import RequestKind, Status
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.device import replay_rows
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import open_sum_tree
from rewardware.sw.device.replay_rows import pack_beats, pack_requests, unpack_answers
from rewardware.sw.reference.replay.requests import Answer, Request, Requests

CONFIG = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=0)
LARGEST = (1 << 32) - 1
ROWS = [
    (Request(kind=RequestKind.SAMPLE, draw=(1 << 48) - 2), 0 | (1 << 48) - 2 << 3),
    (Request(kind=RequestKind.RETRIEVE, index=9), 1 | 9 << 3),
    (Request(kind=RequestKind.UPDATE, index=(1 << 24) - 1, priority=LARGEST), 2 | (1 << 24) - 1 << 3 | LARGEST << 27),
    (Request(kind=RequestKind.INSERT, priority=5), 3 | 5 << 27),
    (Request(kind=RequestKind.TOTAL), 4),
    # Fields that the kind does not look at are not sent; no field of an unknown kind is.
    (Request(kind=RequestKind.SAMPLE, draw=1, index=5, priority=7), 0 | 1 << 3),
    (Request(kind=6, draw=1, index=5, priority=7), 6),
]
ANSWERS = [
    (0 | 9 << 5 | LARGEST << 29, Answer(kind=RequestKind.SAMPLE, status=Status.DONE, index=9, priority=LARGEST)),
    (2 | 2 << 3, Answer(kind=RequestKind.UPDATE, status=Status.OUT_OF_RANGE)),
    (4 | (1 << 56) - 1 << 5, Answer(kind=RequestKind.TOTAL, status=Status.DONE, total=(1 << 56) - 1)),
    (7 | 3 << 3, Answer(kind=7, status=Status.UNKNOWN_KIND)),
]


def test_requests_are_packed():
    requests, rows = zip(*ROWS, strict=True)
    assert pack_requests(Requests.gather(requests)).tolist() == list(rows)


def test_places_that_are_left_ask_for_the_total():
    assert pack_beats(np.array([9, 8, 7], np.uint64), 2).tolist() == [[9, 8], [7, 4]]


def test_answers_are_unpacked():
    rows, answers = zip(*ANSWERS, strict=True)
    assert unpack_answers(np.array(rows, np.uint64)).each() == list(answers)


def use():
    """Everything that a driver asks of a sum tree, in lockstep with the RTL."""
    with ReplayDevice(open_sum_tree("lockstep", CONFIG), seed=3) as device:
        device.insert(np.arange(1, 40))
        device.update([3, 77], [100, 200])
        device.sample(16)
        device.retrieve([0, 3, 77])
        device.total()
        return device.backend.counts()


def test_right_rows_are_found_equal():
    counts = use()
    assert counts["lockstep_equal"] == counts["lockstep_compared"] == 39 + 2 + 17 + 3 + 1


def backwards(record):
    return Record(record.fields[::-1])


def swapped(record, one, other):
    """The record with two fields in each other's place."""
    places = {one: other, other: one}
    return Record(tuple(dataclasses.replace(field, name=places.get(field.name, field.name)) for field in record.fields))


@pytest.mark.parametrize("kind", [RequestKind.RETRIEVE, RequestKind.UPDATE, RequestKind.INSERT])
def test_lockstep_sees_arguments_in_the_wrong_bits(kind, monkeypatch):
    """The device is sent other bits; the reference is asked for what was meant."""
    right = replay_rows.ARGUMENTS
    monkeypatch.setattr(replay_rows, "ARGUMENTS", right | {kind: backwards(right[kind])})
    with pytest.raises(LockstepError, match=r"Packet \d+, answers: RTL differs from the reference in "):
        use()


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("ANSWER", lambda record: swapped(record, "index", "priority")),
        ("ANSWER", lambda record: swapped(record, "kind", "status")),
        ("TOTAL", lambda record: Record((record.fields[0], *record.fields[:0:-1]))),
    ],
)
def test_lockstep_sees_answers_from_the_wrong_bits(name, spoil, monkeypatch):
    monkeypatch.setattr(replay_rows, name, spoil(getattr(replay_rows, name)))
    with pytest.raises(LockstepError, match=r"Packet \d+, (answers|samples): RTL differs from the reference in "):
        use()
