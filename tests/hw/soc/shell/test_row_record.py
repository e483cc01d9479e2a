import pytest

from rewardware.hw.cores.records import Field, Record
from rewardware.hw.soc.shell.row_record import RowRecord

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
