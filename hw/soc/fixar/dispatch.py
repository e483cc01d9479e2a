"""Who executes a transfer instruction."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ...cores.array.commands import RangeNoiseKind
from ...cores.array.host_rows import row_options
from ...cores.array.range_noise_engine import range_noise_command
from ...cores.component import ConfiguredComponent
from ..sequencer.layouts import command_layout
from ..shell.transfer_config import TransferConfig, TransferKind
from ..shell.transfer_engine import transfer_command
from .config import FixarConfig
from .instructions import CODES, EVERY_CORE, INSTRUCTION_SET, LOAD, NOISE, STORE, Memory

__all__ = ["TransferDispatch"]


class TransferDispatch(ConfiguredComponent):
    """Gives loads and stores to the transfer engine, noise and ranges to the engine that makes them.

    One instruction is under way at a time, whichever engine has it, so that packets and rows keep their order.

    Latency: none, combinational. Throughput: an instruction a cycle. Back-pressure: an instruction waits while any of
    the two engines works.

    Parameters
    ----------
    config : FixarConfig
    transfer : TransferConfig
        Configuration of the transfer engine, whose options are :func:`.row_options`.

    Members
    -------
    commands : In(stream.Signature(command_layout(INSTRUCTION_SET, "transfer")))
    transfers : Out(stream.Signature(transfer_command(transfer)))
    others : Out(stream.Signature(range_noise_command(config.array_engine)))
    transfers_busy, others_busy : In(1)
    """

    def __init__(self, config: FixarConfig, *, transfer: TransferConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "transfer"))),
                "transfers": Out(stream.Signature(transfer_command(transfer))),
                "others": Out(stream.Signature(range_noise_command(config.array_engine))),
                "transfers_busy": In(1),
                "others_busy": In(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        commands, given = self.commands, self.commands.payload
        is_transfer = Signal()
        m.d.comb += [
            is_transfer.eq((given.opcode == LOAD.opcode) | (given.opcode == STORE.opcode)),
            self.transfers.valid.eq(commands.valid & is_transfer & ~self.others_busy),
            self.others.valid.eq(commands.valid & ~is_transfer & ~self.transfers_busy),
            commands.ready.eq(
                Mux(is_transfer, self.transfers.ready & ~self.others_busy, self.others.ready & ~self.transfers_busy)
            ),
        ]
        self._transfer(m, given)
        self._other(m, given)
        return m

    def _transfer(self, m, given):
        # The fields that load and store share have the same places.
        load, command = given.arguments.load, self.transfers.payload
        half = Signal()
        options = Signal(row_options(self.config.array_engine))
        m.d.comb += [
            half.eq((given.opcode == LOAD.opcode) & load.half),
            command.kind.eq(Mux(given.opcode == STORE.opcode, TransferKind.STORE, TransferKind.LOAD)),
            command.memory.eq(load.memory),
            command.core.eq(load.core),
            command.base.eq(load.base),
            command.count.eq(load.count),
            *(options[name].eq(load[name]) for name, _ in options.shape()),
            command.options.eq(options),
        ]
        with m.If(half & (load.memory == Memory.ACTIVATION)):
            m.d.comb += [command.memory.eq(CODES), command.base.eq(load.base << 1)]

    def _other(self, m, given):
        noise, ranges, command = given.arguments.noise, given.arguments.range, self.others.payload
        every = noise.core == EVERY_CORE
        m.d.comb += [
            command.kind.eq(Mux(given.opcode == NOISE.opcode, RangeNoiseKind.NOISE, RangeNoiseKind.RANGE)),
            command.cores.eq(Cat(every | (noise.core == number) for number in range(self.config.cores))),
            command.row.eq(noise.base),
            command.lanes.eq(noise.lanes),
            command.clear.eq(ranges.clear),
            command.freeze.eq(ranges.freeze),
            command.bits.eq(ranges.bits),
        ]
