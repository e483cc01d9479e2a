import enum

import pytest

from rewardware.hw.cores.records import Field, Record


class Kind(enum.IntEnum):
    ONE = 1
    FOUR = 4


def test_a_field_may_name_its_values():
    record = Record((Field("kind", 3, values=Kind), Field("signed", 3, signed=True)))
    word = record.pack({"kind": Kind.FOUR, "signed": -1})
    assert word == 0b111100 and record.unpack(word) == {"kind": 4, "signed": -1}
    assert record.offsets == (0, 3) and Record(()).offsets == ()
    assert record.fields[0].values is Kind and record.fields[0] == Field("kind", 3)


def test_values_must_fit():
    with pytest.raises(ValueError, match="Value four of field kind must be from 0 to 3, not 4"):
        Field("kind", 2, values=Kind)
