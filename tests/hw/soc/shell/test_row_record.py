import enum

import pytest

from rewardware.hw.cores.records import Field, Record
from rewardware.hw.soc.shell.row_record import RowRecord, element_rows, request_row

RECORD = Record((Field("kind", 3), Field("index", 24)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"direction": "both"}, "Direction of request must be one of in, out, not 'both'"),
        ({"width": 26}, "Fields of request must fit in 26 bits, not 27"),
        ({"constants": {"other": 1}}, "Constant of request must be one of kind, index, not 'other'"),
    ],
)
def test_what_cannot_be_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        RowRecord(**({"name": "request", "direction": "in", "record": RECORD, "width": 64} | wrong))


def test_loads_and_stores_have_the_same_numbers():
    loaded, stored = element_rows("lane", 32, "A lane.", signed=True)
    assert (loaded.name, loaded.direction, stored.name, stored.direction) == ("load_lane", "in", "store_lane", "out")
    assert loaded.record == stored.record == Record((Field("element", 32, signed=True),))


def test_a_request_is_told_by_its_kind():
    kind = enum.IntEnum("Kind", {"CLEAR": 5})
    request = request_row(kind.CLEAR, RECORD, Record((Field("legal", 4),)), 64, "Clears.")
    assert (request.name, request.direction, request.width) == ("clear_request", "in", 64)
    assert [field.name for field in request.record.fields] == ["kind", "index", "legal"]
    assert request.constants == {"kind": 5}
