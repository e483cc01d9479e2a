"""Rows of edges through the score unit, one a cycle."""

import cocotb
from amaranth.hdl import signed
from amaranth.lib import data
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.tree.score_unit import ScoreUnit
from rewardware.sim.cocotb import clock_and_reset, compare, parameters
from rewardware.sim.cocotb.codec import codec_of


@cocotb.test()
async def same_scores(dut):
    run = parameters()
    config, rows, expected = run["config"], run["edges"], run["expected"]
    edges = codec_of(ScoreUnit.edges_layout(len(rows[0])))
    scores = codec_of(data.ArrayLayout(signed(config.score_width), len(rows[0])))
    dut.loss.value = run["loss"]
    dut.first_value.value = run["first_value"] & (1 << 20) - 1
    await clock_and_reset(dut)
    latency = ScoreUnit.LATENCY
    for cycle in range(len(rows) + latency):
        row = min(cycle, len(rows) - 1)
        dut.edges.value = edges.pack([{name: int(part) for name, part in edge.items()} for edge in rows[row]])
        dut.exploration.value = run["exploration"][row]
        await FallingEdge(dut.clk)
        if cycle >= latency:
            compare(expected[cycle - latency], scores.unpack(int(dut.scores.value)), "scores", cycle - latency)
        await RisingEdge(dut.clk)
