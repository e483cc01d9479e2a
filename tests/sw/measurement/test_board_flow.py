"""The whole way to a bitstream, by the real tools, of a system that is hardly more than its ports."""

import json

import pytest

from rewardware.hw.soc.boards.board import find_board
from rewardware.sim.verilog import emitted
from rewardware.sw.measurement.board_flow import build_board
from tests.hw.soc.boards.built import system_verilog


@pytest.mark.parametrize(
    ("name", "bitstream"), [("icebreaker", "icebreaker.bin"), ("orangecrab-25f", "orangecrab_25f.bit")]
)
def test_a_bitstream_is_made(name, bitstream, monkeypatch, tmp_path):
    monkeypatch.setattr(emitted, "emitted", lambda *_, **__: system_verilog(find_board(name)))
    report = build_board(name, "small", tmp_path, system="pearl", bitstream=True)
    assert report["met"] and report["frequency_mhz"] > report["clock_mhz"] == find_board(name).clock_mhz
    assert (tmp_path / bitstream).stat().st_size > 1000
    assert json.loads((tmp_path / "report.json").read_text())["utilization"] == report["utilization"]
