"""The address stream of the reference in; banks, or lanes, against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.sparse.compression import compress
from tests.hw.cores.sparse.bench_address_generator import expected_words
from tests.hw.cores.sparse.grouped import grouped_layers
from tests.hw.cores.sparse.memories import ReadPort, WritePort


def dense(config, layer, random):
    """Random weights, and the words of parameters that hold them."""
    weights = random.integers(0, 1 << config.weight_width, (layer.rows, layer.columns))
    padded = np.zeros((layer.rows, layer.row_words * config.lanes), np.int64)
    padded[:, : layer.columns] = weights
    words = padded.reshape(-1, config.lanes)
    bits = [sum(int(weight) << config.weight_width * lane for lane, weight in enumerate(word)) for word in words]
    return weights, {layer.parameter_base + place: word for place, word in enumerate(bits)}


def empty_banks(config):
    return np.full((config.banks, config.weight_words), -1)


@cocotb.test()
async def banks_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    source = StreamSource(dut, "words")
    await clock_and_reset(dut)
    parameter_memory = ReadPort(dut, "parameters", {}, config.parameter_latency)
    banks, ports = empty_banks(config), [WritePort(dut, f"weights__{bank}") for bank in range(config.banks)]
    written = [0]

    async def write():
        while True:
            await ReadOnly()
            for bank, port in enumerate(ports):
                if (found := port.take()) is not None:
                    banks[bank, found[0]] = found[1]
                    written[0] += 1
            await RisingEdge(dut.clk)

    cocotb.start_soon(write())
    for number, layer in enumerate(grouped_layers(config, random, parameters()["layers"])):
        source.stall = (0.0, 0.4)[number % 2]
        weights, parameter_memory.contents = dense(config, layer, random)
        banks[:], written[0] = -1, 0
        for word in expected_words(config, layer, number % 3 == 0):
            await source.send(word)
        for _ in range(parameters()["latency"]):
            await RisingEdge(dut.clk)
        await ReadOnly()
        busy = int(dut.busy.value)
        await RisingEdge(dut.clk)
        assert not busy, f"busy {parameters()['latency']} cycles after the last word"
        expected = empty_banks(config)
        compress(weights, layer.forward, layer.row_list, layer.column_list, expected)
        for bank in range(config.banks):
            compare(expected[bank], banks[bank], f"bank {bank}", number)
        assert written[0] == np.count_nonzero(expected >= 0)


@cocotb.test()
async def a_word_is_written_after_its_latency(dut):
    config, random = parameters()["config"], rng("latency")
    source = StreamSource(dut, "words", stall=0)
    await clock_and_reset(dut)
    layer = next(iter(grouped_layers(config, random, 1)))
    _, contents = dense(config, layer, random)
    ReadPort(dut, "parameters", contents, config.parameter_latency)
    ports = [WritePort(dut, f"weights__{bank}") for bank in range(config.banks)]
    source.put(expected_words(config, layer, False)[0])
    await ReadOnly()
    while not int(dut.words__valid.value):
        await RisingEdge(dut.clk)
        await ReadOnly()
    for cycle in range(parameters()["latency"] + 1):
        assert any(port.take() for port in ports) == (cycle == parameters()["latency"]), f"cycle {cycle}"
        assert int(dut.busy.value), f"not busy in cycle {cycle}, with a word under way"
        await RisingEdge(dut.clk)
        await ReadOnly()
    assert not int(dut.busy.value), "busy after the write of the only word"
