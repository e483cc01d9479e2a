"""The address stream of the reference in; the lanes of every word against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.sparse.compression import PLACED
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.sparse.compression import decompress
from tests.hw.cores.sparse.bench_address_generator import expected_words
from tests.hw.cores.sparse.grouped import grouped_layers
from tests.hw.cores.sparse.memories import ReadPort


class Bench:
    """Banks of random weights, and the words that come out."""

    def __init__(self, dut, config):
        self.dut, self.config = dut, config
        self.banks = rng("banks").integers(0, 1 << config.weight_width, (config.banks, config.weight_words))
        self.out, self.asked = [], []
        self.ports = [ReadPort(dut, f"banks__{bank}", self.banks[bank], stays=False) for bank in range(config.banks)]
        cocotb.start_soon(self.run())

    async def run(self):
        dut, cycle = self.dut, 0
        while True:
            await ReadOnly()
            if int(dut.words__valid.value):
                self.asked.append(cycle)
            if int(dut.valid.value):
                lanes = [int(getattr(dut, f"lanes__{lane}").value) for lane in range(self.config.lanes)]
                self.out.append((cycle, int(dut.mask.value), lanes))
            await RisingEdge(dut.clk)
            cycle += 1


@cocotb.test()
async def lanes_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    source = StreamSource(dut, "words")
    await clock_and_reset(dut)
    bench = Bench(dut, config)
    for number, layer in enumerate(grouped_layers(config, random, parameters()["layers"])):
        source.stall = (0.0, 0.4)[number % 2]
        bench.out, bench.asked = [], []
        words = expected_words(config, layer, number % 3 == 0)
        before = sum(port.reads for port in bench.ports)
        for word in words:
            await source.send({name: word[name] for name in PLACED})
        for _ in range(parameters()["latency"] + 1):
            await RisingEdge(dut.clk)
        weights = np.zeros((layer.rows, layer.row_words * config.lanes), np.int64)
        decompress(bench.banks, layer.forward, layer.row_list, layer.column_list, weights)
        assert len(bench.out) == len(words)
        # A bank that is read for nothing is one that somebody else cannot read.
        reads = sum(port.reads for port in bench.ports) - before
        compare(sum(word["mask"].bit_count() for word in words), reads, "reads", number)
        for place, (word, (cycle, got, lanes)) in enumerate(zip(words, bench.out, strict=True)):
            compare(word["mask"], got, f"mask of layer {number}", place)
            mask = np.array([word["mask"] >> lane & 1 for lane in range(config.lanes)])
            expected = weights[word["row"], word["column"] : word["column"] + config.lanes] * mask
            compare(expected, lanes, f"lanes of layer {number}", place)
            compare(bench.asked[place] + parameters()["latency"], cycle, "cycle", place)
