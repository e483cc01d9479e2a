"""The quantiser against its reference."""

import numpy as np
from amaranth.lib import data

from rewardware.hw.cores.quantization.parameters import slot_parameters
from rewardware.hw.cores.quantization.quantizer import Quantizer
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.quantization.ranges import QuantizationParameters, quantize
from tests.hw.cores.pipeline import check_pipeline

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1
RANGES = [(LEAST, GREATEST), (LEAST, 0), (0, GREATEST), (0, 0), (-1, 0), (0, 1), (-3, 7), (-65536, 65535)]


def packed(parameters):
    """The bits of the parameters as a port takes them."""
    fields = {name: getattr(parameters, name) for name, _ in slot_parameters}
    return codec_of(slot_parameters).pack(fields)


def test_quantizer():
    assert isinstance(slot_parameters, data.StructLayout)
    rng = np.random.default_rng(4)
    random = [
        (-int(rng.integers(0, 1 << rng.integers(1, 32))), int(rng.integers(0, 1 << rng.integers(1, 31))))
        for _ in range(60)
    ]
    values, parameters, codes, saturated = [], [], [], []
    for number, (minimum, maximum) in enumerate(RANGES + random):
        slot = QuantizationParameters(minimum=minimum, maximum=maximum, bits=16 if number % 2 else 8 + number // 2 % 9)
        corners = np.array(
            [minimum + step for step in (-1, 0, 1)] + [maximum + step for step in (-1, 0, 1)] + [-1, 0, 1]
        )
        inside = rng.integers(minimum, maximum + 1, 30)
        # Words next to where a code changes.
        steps = (rng.integers(0, slot.code_maximum + 1, 10) - slot.zero_point) * slot.scale >> slot.bits
        words = np.clip(np.concatenate([corners, inside, steps, steps + 1]), LEAST, GREATEST)
        result, outside = quantize(words, slot)
        values += words.tolist()
        parameters += [packed(slot)] * len(words)
        codes += result.tolist()
        saturated += outside.tolist()
    # Another slot with nearly every value: whatever is late or early for its value meets the parameters of another.
    order = rng.permutation(len(values))
    given = {
        name: [column[number] for number in order] for name, column in (("value", values), ("parameters", parameters))
    }
    expected = {
        name: [column[number] for number in order] for name, column in (("code", codes), ("saturated", saturated))
    }
    check_pipeline(Quantizer(), given, expected)
