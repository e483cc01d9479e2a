"""Values of two critics to the errors at them, against the reference."""

import cocotb

from rewardware.sim.cocotb import clock_and_reset, parameters
from rewardware.sw.reference.learner.twin_critic_loss import lesser_value_errors

from .stream_bench import STALLS, StreamBench

# Samples of each slope.
SAMPLES = 40


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = StreamBench(dut, parameters()["config"], ("values__0", "values__1"), ("errors__0", "errors__1"))
    dut.slope.value = 0
    await clock_and_reset(dut)
    for stalls in STALLS * 8:
        bench.stall(*stalls)
        slope = bench.numbers(1)
        dut.slope.value = bench.bits(slope)[0]
        values = [bench.numbers(SAMPLES, corners=0.4) for _ in range(2)]
        # Some are equal.
        places = bench.random.random(SAMPLES) < 0.2
        values[1][places] = values[0][places]
        bench.put(values__0=values[0], values__1=values[1])
        first, second = lesser_value_errors(values, slope)
        await bench.check(errors__0=first, errors__1=second)
