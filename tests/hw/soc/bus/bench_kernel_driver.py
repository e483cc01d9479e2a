"""The driver of the replay device, as it is, on a kernel: rows go and come by the global memory."""

import random

import cocotb
from cocotb.task import bridge

from rewardware.sim.cocotb import parameters, rng
from rewardware.sw.device.replay_backends import DeviceSumTree, ReferenceSumTree, segment_width
from rewardware.sw.reference.replay.requests import Requests
from tests.hw.soc.bus.kernel_host import KernelHost, KernelTransport
from tests.sw.reference.replay.stimulus import random_requests


def program(transport, config, seed):
    """The host's program: the device's answers are the reference's."""
    device, reference = DeviceSumTree(config, "transport", transport=transport), ReferenceSumTree(config.tree)
    generator = random.Random(seed)
    for tree in (device, reference):
        tree.clear()
        tree.seed(12345)
    for count in (1, 2, 37, 150):
        requests = Requests.gather(random_requests(config, generator, count))
        assert device.request(requests).each() == reference.request(requests).each()
        segment = segment_width(count)
        assert device.sample(count, segment).each() == reference.sample(count, segment).each()
    device.close()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def answers_equal_the_reference(dut):
    host = KernelHost(dut)
    await host.reset()
    await bridge(program)(KernelTransport(host), parameters()["config"], int(rng().integers(1 << 30)))
    assert await host.read("movers_errors") == 0
    assert host.source.bursts["ar"] and host.destination.bursts["aw"]
    assert not host.source.bursts["aw"] and not host.destination.bursts["ar"]
