"""FIXAR as a device: shell, engines and memories."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring

from ...cores.optimizer.config import OptimizerConfig
from ...cores.optimizer.engine import OptimizerEngine
from ...cores.pipeline import delay
from ...cores.quantization.config import RangeConfig
from ...cores.quantization.range_unit import RangeUnit
from ...cores.random.config import GaussianConfig
from ...cores.random.gaussian import GaussianNoise
from ..shell.engine import connect_engine
from ..shell.shell import Shell, connect_host, system_signature
from .config import FixarConfig
from .core_memories import READ_LATENCY as CORE_READ_LATENCY
from .instructions import Memory
from .matrix_engine import LOOKUPS, MatrixEngine
from .memories import NetworkMemories
from .registers import POWERS
from .transfer_engine import READ_LATENCY, TransferEngine

__all__ = ["FixarSystem"]


class FixarSystem(wiring.Component):
    """The whole FIXAR device; docs/fixar.md says how a sample travels through it.

    Parameters
    ----------
    config : FixarConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    FIXAR (Yang, Hong, Kim, DAC 2021), figure 2.
    """

    def __init__(self, config: FixarConfig):
        self.config = config
        super().__init__(system_signature(config.shell))

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.shell = shell = Shell(config.shell)
        connect_host(m, self, shell)

        matrix = MatrixEngine(config)
        transfer = TransferEngine(config, settle=matrix.inject_latency)
        optimizer = OptimizerEngine(
            OptimizerConfig(
                lanes=config.lanes,
                rows=config.weight_rows,
                weight_fraction=config.weight_fraction,
                interval=config.lane_interval,
            )
        )
        reset = ResetInserter(shell.reset)
        m.submodules.matrix = reset(matrix)
        m.submodules.transfer = reset(transfer)
        m.submodules.optimizer = reset(optimizer)
        m.submodules.memories = memories = NetworkMemories(
            config, matrix=matrix, optimizer=optimizer, transfer=transfer
        )
        m.submodules.ranges = ranges = RangeUnit(
            RangeConfig(slots=max(config.slots, 2), cores=config.cores, lanes=config.lanes, lookups=LOOKUPS)
        )
        m.submodules.noise = noise = GaussianNoise(GaussianConfig(lanes=config.lanes))

        connect_engine(m, shell.engines.transfer, transfer)
        connect_engine(m, shell.engines.matrix, matrix)
        self.connect_optimizer(m, shell, optimizer, memories)
        self.connect_transfer(m, shell, transfer, matrix, memories, ranges, noise)
        self.connect_ranges(m, matrix, transfer, ranges)
        # Flags are sticky: a cycle later is soon enough, and keeps long paths out of the sequencer.
        m.d.sync += shell.errors.memory_conflict.eq(memories.conflict)
        self.connect_counters(m, shell, matrix, memories, optimizer)
        return m

    def connect_optimizer(self, m, shell, optimizer, memories):
        port = shell.engines.optimizer
        registers = shell.registers
        arguments = port.commands.payload.arguments.adam
        m.d.comb += [
            optimizer.commands.valid.eq(port.commands.valid),
            port.commands.ready.eq(optimizer.commands.ready),
            optimizer.commands.payload.network.eq(arguments.network),
            optimizer.commands.payload.base.eq(arguments.base),
            optimizer.commands.payload.count.eq(arguments.count),
            optimizer.commands.payload.advance.eq(arguments.advance),
            port.completions.valid.eq(optimizer.completions.valid),
            optimizer.completions.ready.eq(port.completions.ready),
            port.busy.eq(optimizer.busy),
            port.errors.address_out_of_range.eq(
                port.commands.valid & (arguments.base + arguments.count > self.config.weight_rows)
            ),
            optimizer.learning_rate_actor.eq(registers.learning_rate_actor),
            optimizer.learning_rate_critic.eq(registers.learning_rate_critic),
            optimizer.first_moment_rate.eq(registers.first_moment_rate),
            optimizer.second_moment_rate.eq(registers.second_moment_rate),
            optimizer.target_rate.eq(registers.target_rate),
            optimizer.epsilon_squared.eq(registers.epsilon_squared),
            optimizer.set_enable.eq(registers.power_control.strobe),
            optimizer.set_select.eq(registers.power_control.value[:2]),
            optimizer.set_value.eq(Mux(registers.power_control.value[2], 1 << 32, registers.power_value)),
        ]
        with m.If(optimizer.commands.valid & optimizer.commands.ready):
            m.d.sync += memories.sweep_start.eq(arguments.index)
        m.d.comb += [getattr(registers, name).eq(power) for name, power in zip(POWERS, optimizer.powers, strict=True)]

    def connect_transfer(self, m, shell, transfer, matrix, memories, ranges, noise):
        wiring.connect(m, shell.rows_in, transfer.packets_in)
        wiring.connect(m, transfer.packets_out, shell.rows_out)
        wiring.connect(m, transfer.injected, matrix.injected)
        request = transfer.read.payload
        of_core = request.of_core
        # The memory that answers is the one that was asked `READ_LATENCY` cycles ago.
        asked = delay(m, request.memory, READ_LATENCY, "asked")
        slot = delay(m, request.row, READ_LATENCY - 2, "slot")
        minimum = delay(m, ranges.read_minimum, 1, "minimum")
        maximum = delay(m, ranges.read_maximum, 1, "maximum")
        of_core_words = delay(m, matrix.read_data, READ_LATENCY - CORE_READ_LATENCY, "of_core_words")
        m.d.comb += [
            matrix.read.valid.eq(transfer.read.valid & of_core),
            matrix.read.payload.eq(request),
            transfer.read.ready.eq(matrix.read.ready | ~of_core),
            transfer.read_data.eq(memories.read_data),
            ranges.read_slot.eq(slot),
        ]
        with m.If((asked == Memory.ACTIVATION) | (asked == Memory.ERROR)):
            m.d.comb += transfer.read_data.eq(of_core_words)
        with m.Elif(asked == Memory.RANGE):
            m.d.comb += [
                transfer.read_data.eq(0),
                transfer.read_data[0].eq(minimum),
                transfer.read_data[1].eq(maximum),
            ]
        registers = shell.registers
        wiring.connect(m, noise.noise, transfer.noise)
        m.d.comb += [
            noise.scale.eq(registers.noise_scale),
            noise.seed.eq(registers.seed_low | (registers.seed_high << 32)),
        ]
        m.d.sync += noise.load.eq(registers.noise_control.strobe & registers.noise_control.value[0])

    def connect_ranges(self, m, matrix, transfer, ranges):
        m.d.comb += [
            ranges.clear.eq(transfer.range_clear),
            ranges.freeze.eq(transfer.range_freeze),
            ranges.bits.eq(transfer.range_bits),
            transfer.range_done.eq(ranges.done),
            ranges.monitor_valid.eq(matrix.monitor_valid),
            ranges.monitor_slot.eq(matrix.monitor_slot),
        ]
        m.d.sync += [
            ranges.write_enable.eq(transfer.write.valid & (transfer.write.memory == Memory.RANGE)),
            ranges.write_slot.eq(transfer.write.row),
            ranges.write_minimum.eq(transfer.write.words[0]),
            ranges.write_maximum.eq(transfer.write.words[1]),
        ]
        for core in range(self.config.cores):
            m.d.comb += ranges.monitor_mask[core].eq(matrix.monitor_mask[core])
            for lane in range(self.config.lanes):
                m.d.comb += ranges.monitor_values[core][lane].eq(matrix.monitor_values[core][lane])
        for lookup in range(LOOKUPS):
            m.d.comb += [
                ranges.lookup_slots[lookup].eq(matrix.lookup_slots[lookup]),
                matrix.lookup_parameters[lookup].eq(ranges.lookup_parameters[lookup]),
            ]

    def connect_counters(self, m, shell, matrix, memories, optimizer):
        for name, increment in (
            ("result_saturations", matrix.result_saturations),
            ("code_saturations", matrix.code_saturations),
            ("gradient_saturations", memories.gradient_saturations),
            ("weight_saturations", optimizer.saturations),
        ):
            count = Signal(48, name=name)
            counted = Signal.like(increment, name=f"{name}_counted")
            m.d.sync += [counted.eq(increment), count.eq(count + counted)]
            m.d.comb += getattr(shell.registers, name).eq(count)
        m.d.sync += shell.errors.overflow.eq((memories.gradient_saturations != 0) | (optimizer.saturations != 0))
