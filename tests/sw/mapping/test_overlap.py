"""Orders of operations: every wait that data need is there, in whatever order the operations come out."""

import itertools

import numpy as np
import pytest

from rewardware.hw.cores.vector.elementwise_config import ElementwiseConfig, ElementwiseLaneConfig
from rewardware.hw.cores.vector.elementwise_unit import ElementwiseUnit
from rewardware.sw.mapping.overlap import ElementwiseTiming, Operation, Overlap, Span
from rewardware.sw.systems.learninggroup.program.stage import pass_latency

ENGINES = ("matrix", "elementwise", "transfer", "softmax")
WIDTH, LATENCY = 2, 9


class Recorder:
    """A program as an overlap sees it."""

    def __init__(self):
        self.words = []

    def emit(self, instruction, *, wait=(), **fields):
        self.words.append((instruction, tuple(wait), fields))

    def load(self, key, count, *, wait=(), **fields):
        self.emit("load", wait=wait, packet=(key, count), **fields)

    store = None


def random_operations(random, count):
    operations = []
    for number in range(count):
        engine = str(random.choice(ENGINES))
        spans = [
            Span(str(random.choice(["a", "b"])), int(random.integers(0, 40)), int(random.integers(1, 9)),
                 int(random.integers(1, 3)))
            for _ in range(random.integers(1, 4))
        ]  # fmt: skip
        reads = random.integers(0, len(spans) + 1)
        features = max(span.count for span in spans)
        fields = {"number": number}
        if engine == "elementwise":
            fields |= {"features": features, "blocks": int(random.integers(1, 5))}
        operations.append(
            Operation(
                instruction="load" if engine == "transfer" else engine,
                engine=engine,
                stream=int(random.integers(0, 3)),
                cycles=int(random.integers(1, 30)),
                latency=int(random.integers(0, 20)),
                reads=spans[:reads],
                writes=spans[reads:],
                ports=frozenset({"port"} if random.random() < 0.2 else ()),
                packet=(number, 1) if engine == "transfer" else None,
                fields=fields,
            )
        )
    return operations


@pytest.mark.parametrize("seed", range(20))
def test_what_data_need_is_complete(seed):
    random = np.random.default_rng(seed)
    operations = random_operations(random, 60)
    overlap = Overlap(ElementwiseTiming(width=WIDTH, latency=LATENCY))
    for operation in operations:
        overlap.add(operation)
    program = Recorder()
    overlap.write(program)
    complete = dict.fromkeys(ENGINES, 0)  # of each engine: how many are known to be
    issued = {engine: [] for engine in ENGINES}
    place = {}
    for instruction, waits, fields in program.words:
        for engine in waits:
            left = fields.get("outstanding", 0) if instruction == "wait" else 0
            assert 0 <= left < 15
            if not (left and engine == "softmax"):
                complete[engine] = max(complete[engine], len(issued[engine]) - left)
        if instruction == "wait":
            continue
        number = fields["number"]
        operation = operations[number]
        for earlier in range(number):
            if needs(operations[earlier], operation) and not follows_in_engine(operations[earlier], operation):
                assert earlier in place, f"{number} before {earlier}"
                assert place[earlier] < complete[operations[earlier].engine], f"{number} does not wait for {earlier}"
        for port, engine in itertools.product(operation.ports, ENGINES):
            users = [user for user in place if operations[user].engine == engine and port in operations[user].ports]
            if engine != operation.engine and users:
                assert max(place[user] for user in users) < complete[engine]
        place[number] = len(issued[operation.engine])
        issued[operation.engine].append(number)
    assert sorted(place) == list(range(len(operations)))
    # Order within a stream and engine, and all passes at the right distance.
    for engine, numbers in issued.items():
        for stream in range(3):
            own = [number for number in numbers if operations[number].stream == stream]
            assert own == sorted(own), engine
    check_passes(operations, [fields for name, _, fields in program.words if name == "elementwise"])


def needs(earlier, later):
    """Whether an operation must come after another for its data."""
    written, read = places(earlier.writes), places(earlier.reads)
    return bool(written & (places(later.reads) | places(later.writes)) or read & places(later.writes))


def places(spans):
    return {place for span in spans for place in span.places()}


def follows_in_engine(earlier, later):
    """An engine does one after the other, but for passes, which are checked by themselves, and choices."""
    return earlier.engine == later.engine != "softmax"


def check_passes(operations, passes):
    """Passes come as fast as they can, and read what was written before."""
    clock, written, ends = 0, {}, 0
    for fields in passes:
        operation = operations[fields["number"]]
        turns = -(-fields["blocks"] // WIDTH)
        if fields["after"]:
            clock = max(clock, ends + 1)
        for span in operation.reads:
            for index, place in enumerate(span.places()):
                assert written.get(place, -1) < clock + index * turns
        for span in operation.writes:
            for index, place in enumerate(span.places()):
                written[place] = clock + (index + 1) * turns - 1 + LATENCY
        clock += fields["features"] * turns
        ends = max(ends, clock - 1 + LATENCY)


def test_independent_streams_overlap():
    """Products of one stream run while passes of the other do, and commands that need not wait do not."""
    overlap = Overlap(ElementwiseTiming(width=WIDTH, latency=LATENCY))
    for stream, _ in itertools.product(range(2), range(4)):
        memory = f"x{stream}"
        for engine, source, target in (("matrix", "e", "m"), ("elementwise", "m", "e")):
            overlap.add(
                Operation(
                    instruction=engine, engine=engine, stream=stream, cycles=100, latency=10,
                    reads=[Span(memory + source, 0, 50)], writes=[Span(memory + target, 0, 50)],
                    fields={"features": 50, "blocks": 4, "stream": stream},
                )
            )  # fmt: skip
    program = Recorder()
    overlap.write(program)
    streams = [fields["stream"] for name, _, fields in program.words if name == "matrix"]
    assert streams == [0, 1] * 4
    assert any(name == "wait" and fields["outstanding"] for name, _, fields in program.words)


def test_the_latency_of_passes_is_that_of_the_unit():
    for width, blocks, depth in ((1, 1, 3), (2, 4, 3), (2, 2, 4), (1, 2, 5)):
        lane = ElementwiseLaneConfig(multiplier_depth=depth)
        assert ElementwiseUnit(ElementwiseConfig(lane=lane, width=width, blocks=blocks)).latency == pass_latency(lane)
