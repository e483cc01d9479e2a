"""Tables, lists and bit vectors in memories here; the stream of words against the reference."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.sparse.compression import parameter_words
from tests.hw.cores.sparse.grouped import grouped_layers
from tests.hw.cores.sparse.memories import ReadPort


class Memories:
    """The memories that the address generator reads."""

    def __init__(self, dut):
        run = parameters()
        self.codecs = {name: codec_of(run[f"{name}_layout"]) for name in ("table", "vectors")}
        self.ports = {name: ReadPort(dut, name, {}) for name in ("table", "row_list", "vectors")}

    def hold(self, layer):
        for port in self.ports.values():
            port.contents = {}
        for rank, entry in enumerate(layer.entries()):
            self.ports["table"].contents[2 * layer.group_base + rank] = self.codecs["table"].pack(entry)
        for group in range(layer.groups):
            word = {"vector": layer.vector_bits(group), "valid": 1}
            self.ports["vectors"].contents[layer.group_base + group] = self.codecs["vectors"].pack(word)
        self.ports["row_list"].contents = dict(enumerate(layer.row_list.tolist()))


def command(layer, every_word):
    return {
        "groups": layer.groups,
        "group_base": layer.group_base,
        "parameter_base": layer.parameter_base,
        "row_words": layer.row_words,
        "every_word": every_word,
    }


def expected_words(config, layer, every_word):
    words = parameter_words(
        layer.forward,
        layer.row_list,
        layer.vectors,
        lanes=config.lanes,
        banks=config.banks,
        row_words=layer.row_words,
        parameter_base=layer.parameter_base,
        every_word=bool(every_word),
    )
    return [{name: int(part[number]) for name, part in words.items()} for number in range(len(words["row"]))]


@cocotb.test()
async def words_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    words = StreamSink(dut, "words")
    await clock_and_reset(dut)
    memories = Memories(dut)
    for number, layer in enumerate(grouped_layers(config, random, parameters()["layers"])):
        words.stall = (0.0, 0.4)[number % 2]
        memories.hold(layer)
        every_word = number // 2 % 2
        await source.send(command(layer, every_word))
        await sink.receive()
        expected = expected_words(config, layer, every_word)
        assert len(words) == len(expected), f"{len(words)} words, expected {len(expected)}"
        for place, word in enumerate(expected):
            compare(word, await words.receive(), f"words of layer {number}", place)


@cocotb.test()
async def a_word_a_cycle(dut):
    config, random = parameters()["config"], rng("rate")
    source, sink = StreamSource(dut, "commands", stall=0), StreamSink(dut, "completions", stall=0)
    words = StreamSink(dut, "words", stall=0)
    await clock_and_reset(dut)
    memories = Memories(dut)
    for layer in list(grouped_layers(config, random, 12))[2:]:
        memories.hold(layer)
        expected = expected_words(config, layer, 0)
        await source.send(command(layer, 0))
        cycles = 0
        while not len(sink) and cycles < 10_000:
            await RisingEdge(dut.clk)
            cycles += 1
        await sink.receive()
        limit = len(expected) + parameters()["group_cycles"] * layer.groups + 3
        assert cycles <= limit, f"{cycles} cycles for {len(expected)} words of {layer.groups} groups, limit {limit}"
        await words.receive_all(len(expected))


@cocotb.test()
async def a_group_never_encoded_is_flagged(dut):
    config, random = parameters()["config"], rng("missing")
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    words = StreamSink(dut, "words")
    await clock_and_reset(dut)
    memories = Memories(dut)
    layer = next(iter(grouped_layers(config, random, 1)))
    memories.hold(layer)
    memories.ports["vectors"].contents[layer.group_base] = 0
    flagged = 0
    accepted = source.put(command(layer, 0))
    for _ in range(100):
        await RisingEdge(dut.clk)
        flagged += int(dut.missing_tuple.value)
    assert accepted.is_set() and flagged == 1 and len(sink) == 1 and not len(words)
