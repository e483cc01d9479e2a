"""Who executes a transfer instruction, with engines that stall and work for random times."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from rewardware.hw.cores.array.host_rows import row_options
from rewardware.hw.cores.component import ConfiguredComponent
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.stream.buffer import StreamBuffer
from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.hw.soc.fixar.device import host_config
from rewardware.hw.soc.fixar.dispatch import TransferDispatch
from rewardware.hw.soc.presets import load_preset
from rewardware.hw.soc.shell.transfer_config import TransferConfig
from rewardware.sim.cocotb import simulate


class BufferedDispatch(ConfiguredComponent):
    """The dispatch, which is combinational, behind a buffer of commands."""

    def __init__(self, config, transfer):
        self._dispatch = TransferDispatch(config, transfer=transfer)
        super().__init__(config, dict(self._dispatch.signature.members))

    def elaborate(self, platform):
        m = Module()
        m.submodules.dispatch = dispatch = self._dispatch
        shape = dispatch.commands.payload.shape()
        m.submodules.buffer = buffer = StreamBuffer(shape, StreamBufferConfig(depth=2))
        wiring.connect(m, wiring.flipped(self.commands), buffer.i)
        wiring.connect(m, buffer.o, dispatch.commands)
        for name in ("transfers", "others", "transfers_busy", "others_busy"):
            forward_port(m, dispatch, self, name)
        return m


def test_dispatch():
    config = load_preset("tiny")
    options = row_options(config.array_engine).size
    transfer = TransferConfig(
        host=host_config(config, 9), width=32 * config.lanes, address_width=18, option_width=options
    )
    simulate(
        BufferedDispatch(config, transfer),
        bench="tests.hw.soc.fixar.bench_transfer_dispatch",
        parameters={"config": config, "transfer": transfer},
        after_noise=True,
    )
