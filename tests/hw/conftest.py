"""Holds each test to the streams that the table says it tests."""

import pytest

from rewardware.sim.cocotb.stream_rules import SEEN
from tests.hw.streams import missing_streams


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    SEEN.clear()
    result = yield
    missing = missing_streams(item.nodeid, SEEN)
    assert not missing, "\n".join(missing)
    return result
