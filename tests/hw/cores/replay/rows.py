"""Rows of requests as anybody might send them, and rows of answers."""

from dataclasses import asdict

from rewardware.hw.cores.replay.records import ANSWER, ARGUMENTS, HEADER, ROW_WIDTH, TOTAL
from rewardware.hw.cores.replay.requests import RequestKind
from rewardware.sw.device.replay_rows import pack_requests
from rewardware.sw.reference.replay.requests import Requests

__all__ = ["answer_rows", "noisy_rows"]


def noisy_rows(requests, rng=None):
    """Rows of requests; with a generator anything is in the bits that a kind has no use for."""
    rows = []
    for request, row in zip(requests, pack_requests(Requests.gather(requests)).tolist(), strict=True):
        width = HEADER.width + (ARGUMENTS[request.kind].width if request.kind in ARGUMENTS else 0)
        rows.append(row | (rng.getrandbits(ROW_WIDTH - width) << width if rng else 0))
    return rows


def answer_rows(answers):
    """The rows in which a device gives answers."""
    rows = []
    for answer in answers:
        record = TOTAL if answer.kind == RequestKind.TOTAL else ANSWER
        values = asdict(answer)
        rows.append(record.pack({field.name: values[field.name] for field in record.fields}))
    return rows
