"""Records: words and back, what is refused, and the gateware's layouts of the same bits."""

import random

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.layouts import answer_layout, edge_layout, node_layout, request_layout
from rewardware.hw.cores.tree.records import (
    ANSWER,
    REQUEST_HEADER,
    ROW_WIDTH,
    Field,
    Record,
    edge_record,
    node_record,
    request_arguments,
)
from rewardware.hw.cores.tree.requests import RequestKind, Status

CONFIGS = [
    TreeConfig(fanout=2, levels=2, banks=3, rows=2, nodes=6, group=2, flits=1, reserve=1),
    TreeConfig(),
    TreeConfig(fanout=32, levels=64, banks=1024, rows=64, nodes=65536, policy="puct", workers=255),
]


def random_values(record, rng):
    return {
        field.name: rng.choice([*field.range, 0, rng.randint(*field.range), rng.randint(*field.range)])
        for field in record.fields
    }


@pytest.mark.parametrize("config", CONFIGS, ids=["smallest", "default", "largest"])
def test_words_and_back(config):
    rng = random.Random(1)
    records = [ANSWER, REQUEST_HEADER, node_record(config), edge_record(config), *request_arguments(config).values()]
    for record in records:
        for _ in range(200):
            values = random_values(record, rng)
            word = record.pack(values)
            assert word >> record.width == 0
            # Bits above the record are not its own.
            assert record.unpack(word | 5 << record.width) == values


@pytest.mark.parametrize("config", CONFIGS, ids=["smallest", "default", "largest"])
def test_layouts_are_the_same_bits(config):
    rng = random.Random(2)
    for layout, record in (
        (answer_layout, ANSWER),
        (node_layout(config), node_record(config)),
        (edge_layout(config), edge_record(config)),
    ):
        assert layout.size == record.width
        for _ in range(50):
            values = random_values(record, rng)
            constant = layout.from_bits(record.pack(values))
            assert {field.name: constant[field.name] for field in record.fields} == values


@pytest.mark.parametrize("config", CONFIGS, ids=["smallest", "default", "largest"])
def test_requests_fit_a_row(config):
    rng = random.Random(3)
    layout = request_layout(config)
    assert layout.size <= ROW_WIDTH and answer_layout.size <= ROW_WIDTH
    for kind, record in request_arguments(config).items():
        header, values = {"kind": kind, "worker": 200}, random_values(record, rng)
        row = layout.from_bits(REQUEST_HEADER.pack(header) | record.pack(values) << REQUEST_HEADER.width)
        assert (row.kind, row.worker) == (kind, 200)
        arguments = row.arguments[kind.name.lower()]
        assert {field.name: arguments[field.name] for field in record.fields} == values


def test_codes_fit():
    assert max(RequestKind) < 1 << 3
    assert max(Status) < 1 << 4


def test_priors_are_of_puct_alone():
    assert "prior" not in [field.name for field in edge_record(TreeConfig()).fields]
    assert "prior" in [field.name for field in edge_record(TreeConfig(policy="puct_root")).fields]


@pytest.mark.parametrize(
    ("values", "kind", "text"),
    [
        ({"low": 8, "high": 0}, ValueError, "Low must be from 0 to 7, not 8"),
        ({"low": 0, "high": -9}, ValueError, "High must be from -8 to 7, not -9"),
        ({"low": 0.5, "high": 0}, TypeError, "Low must be an integer, not 0.5"),
        ({"low": 0}, ValueError, "Fields must be low, high, not low"),
        ({"low": 0, "high": 0, "more": 0}, ValueError, "Fields must be low, high, not low, high, more"),
    ],
)
def test_refuses(values, kind, text):
    with pytest.raises(kind, match=f"^{text}$"):
        Record((Field("low", 3), Field("high", 4, signed=True))).pack(values)


def test_refuses_width():
    with pytest.raises(ValueError, match="^Width of field wide must be from 1 to 64, not 65$"):
        Field("wide", 65)
