"""FIXAR as a device: shell, engines and memories."""

from amaranth.hdl import Cat, Mux, ResetInserter, Signal
from amaranth.lib.wiring import connect

from ...cores.array.commands import MATRIX_COMMAND
from ...cores.array.host_rows import HostRows, host_regions, row_options
from ...cores.array.matrix_engine import LOOKUPS, ArrayMatrixEngine
from ...cores.array.range_noise_engine import RangeNoiseEngine
from ...cores.memory.host_map import HostMap
from ...cores.memory.host_map_config import HostMapConfig, HostRegion
from ...cores.optimizer.adam_engine import AdamEngine
from ...cores.quantization.config import RangeConfig
from ...cores.quantization.range_unit import RangeUnit
from ...cores.random.config import GaussianConfig
from ...cores.random.gaussian import GaussianNoise
from ..shell.system import System
from ..shell.transfer_config import TransferConfig
from ..shell.transfer_engine import TransferEngine
from .dispatch import TransferDispatch
from .instructions import CODES, Memory
from .memories import NetworkMemories, network_regions
from .registers import POWERS

__all__ = ["FixarSystem", "host_config"]


class FixarSystem(System):
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

    def connect_engines(self, m, shell):
        config = self.config
        reset = ResetInserter(shell.reset)
        matrix, adam = ArrayMatrixEngine(config.array_engine), AdamEngine(config.adam)
        m.submodules.matrix, m.submodules.adam = reset(matrix), reset(adam)
        m.submodules.memories = memories = NetworkMemories(config)
        m.submodules.ranges = ranges = RangeUnit(
            RangeConfig(slots=config.slots, cores=config.cores, lanes=config.lanes, lookups=LOOKUPS)
        )
        self._connect_matrix(m, shell, matrix, memories, ranges)
        self._connect_adam(m, shell, adam, memories)
        self._transfers(m, shell, reset, matrix, memories, ranges)
        self._count(m, shell, matrix, adam)
        # Flags are sticky: a cycle later is soon enough, and keeps long paths out of the sequencer.
        m.d.sync += shell.errors.memory_conflict.eq(memories.conflict)

    def _connect_matrix(self, m, shell, matrix, memories, ranges):
        """The matrix engine, its weights and gradients, and the ranges that it records and looks up."""
        arguments, given = shell.engines.matrix.commands.payload.arguments.matrix, matrix.commands.payload
        _connect_engine(m, shell.engines.matrix, matrix)
        m.d.comb += [given[field.name].eq(arguments[field.name]) for field in MATRIX_COMMAND.fields]
        for port, weights in zip(matrix.weights, memories.matrix_weights, strict=True):
            connect(m, port, weights)
        connect(m, matrix.gradient_read, memories.gradient_read)
        connect(m, matrix.gradient_write, memories.gradient_write)
        connect(m, matrix.monitor, ranges.monitor)
        for lookup, port in zip(matrix.lookups, ranges.lookups, strict=True):
            connect(m, lookup, port)

    def _connect_adam(self, m, shell, adam, memories):
        """The Adam engine: its memories, and its rates and powers as registers."""
        port, registers = shell.engines.adam, shell.registers
        arguments, given = port.commands.payload.arguments.adam, adam.commands.payload
        _connect_engine(m, port, adam)
        m.d.comb += [given[name].eq(arguments[name]) for name in ("network", "base", "count", "advance")]
        m.d.comb += port.errors.address_out_of_range.eq(
            port.commands.valid & (arguments.base + arguments.count > self.config.weight_rows)
        )
        with m.If(port.commands.valid & port.commands.ready):
            m.d.sync += memories.adam_index.eq(arguments.index)
        connect(m, adam.gradients_read, memories.adam_gradients)
        moments = [adam.first_moments_read, *adam.second_moments_read]
        moments_write = [adam.first_moments_write, *adam.second_moments_write]
        for ports, users in (
            (memories.adam_moments, moments),
            (memories.adam_moments_write, moments_write),
            (memories.adam_weights, [*adam.weights_read, *adam.targets_read]),
            (memories.adam_weights_write, [*adam.weights_write, *adam.targets_write]),
        ):
            for one, user in zip(ports, users, strict=True):
                connect(m, user, one)
        control, powers = registers.power_control, [power for pair in adam.powers for power in pair]
        m.d.comb += [
            adam.gradients_granted.eq(memories.gradients_granted),
            adam.rates.learning_rates[0].eq(registers.learning_rate_actor),
            adam.rates.learning_rates[1].eq(registers.learning_rate_critic),
            *(
                getattr(adam.rates, name).eq(getattr(registers, name))
                for name in ("one_minus_beta1", "one_minus_beta2", "tau", "epsilon_squared")
            ),
            adam.set_power.enable.eq(control.strobe),
            Cat(adam.set_power.moment, adam.set_power.network).eq(control.value[:2]),
            adam.set_power.value.eq(Mux(control.value[2], 1 << 32, registers.power_value)),
            *(getattr(registers, name).eq(power) for name, power in zip(POWERS, powers, strict=True)),
        ]

    def _transfers(self, m, shell, reset, matrix, memories, ranges):
        """Connects the host's loads and stores, rows of noise, and commands to the ranges."""
        config, settle = self.config, matrix.insertion_latency
        host = host_config(config, settle)
        options = row_options(config.array_engine)
        transfer_config = TransferConfig(
            host=host, width=32 * config.lanes, address_width=18, option_width=options.size
        )
        m.submodules.host_map = host_map = reset(HostMap(host))
        m.submodules.transfer = transfer = reset(TransferEngine(transfer_config))
        m.submodules.others = others = reset(RangeNoiseEngine(config.array_engine, settle=settle))
        m.submodules.dispatch = dispatch = TransferDispatch(config, transfer=transfer_config)
        m.submodules.rows = rows = HostRows(config.array_engine, host=host)
        m.submodules.noise = noise = GaussianNoise(GaussianConfig(lanes=config.lanes))

        port = shell.engines.transfer
        connect(m, port.commands, dispatch.commands)
        connect(m, dispatch.transfers, transfer.commands)
        connect(m, dispatch.others, others.commands)
        connect(m, shell.rows_in, transfer.packets_in)
        connect(m, transfer.packets_out, shell.rows_out)
        connect(m, transfer.accesses, host_map.accesses)
        connect(m, others.insertions, rows.noise)
        connect(m, others.ranges, ranges.control)
        connect(m, noise.noise, others.noise)
        self._connect_map(m, host_map, memories, rows, matrix, ranges)
        m.d.comb += [
            transfer.answers.eq(host_map.answers),
            transfer.waiting.eq(host_map.waiting),
            rows.options.eq(transfer.options),
            dispatch.transfers_busy.eq(transfer.busy),
            dispatch.others_busy.eq(others.busy),
            port.completions.valid.eq(transfer.completions.valid | others.completions.valid),
            transfer.completions.ready.eq(port.completions.ready),
            others.completions.ready.eq(port.completions.ready),
            port.busy.eq(transfer.busy | others.busy),
            *(port.errors[name].eq(transfer.errors[name]) for name, _ in transfer.errors.shape()),
            noise.scale.eq(shell.registers.noise_scale),
            noise.seed.eq(shell.registers.seed_low | (shell.registers.seed_high << 32)),
        ]
        control = shell.registers.noise_control
        m.d.sync += noise.load.eq(control.strobe & control.value[0])

    def _connect_map(self, m, host_map, memories, rows, matrix, ranges):
        """The memories behind the host's map."""
        for region in host_map.config.regions:
            behind = memories if hasattr(memories, region.name) else rows
            for core, ports in enumerate(getattr(host_map, region.name)):
                for bank, port in enumerate(ports):
                    if region.name == "ranges":
                        connect(m, port.read, ranges.read)
                        connect(m, port.write, ranges.write)
                    else:
                        connect(m, port, getattr(behind, region.name)[core][bank])
        connect(m, rows.insertions, matrix.insertions)
        for core in range(self.config.cores):
            connect(m, rows.activation_rows[core], matrix.activation_rows[core])
            connect(m, rows.error_rows[core], matrix.error_rows[core])

    def _count(self, m, shell, matrix, adam):
        """Saturations, as registers and as a flag."""
        for name, increment in (
            ("result_saturations", matrix.result_saturations),
            ("code_saturations", matrix.code_saturations),
            ("gradient_saturations", matrix.gradient_saturations),
            ("weight_saturations", adam.saturations),
        ):
            count = Signal(48, name=name)
            counted = Signal.like(increment, name=f"{name}_counted")
            m.d.sync += [counted.eq(increment), count.eq(count + counted)]
            m.d.comb += getattr(shell.registers, name).eq(count)
        m.d.sync += shell.errors.overflow.eq((matrix.gradient_saturations != 0) | (adam.saturations != 0))


def host_config(config, settle):
    """The host's view; an insertion is in memory ``settle`` cycles after it was accepted."""
    regions = (
        *network_regions(config),
        *host_regions(
            config.array_engine, activations=Memory.ACTIVATION, errors=Memory.ERROR, codes=CODES, settle=settle - 1
        ),
        HostRegion(name="ranges", number=Memory.RANGE, width=64, depth=config.slots),
    )
    return HostMapConfig(regions=regions, core_width=6, modulus=config.lanes, registered=True)


def _connect_engine(m, port, engine):
    """An engine at the shell, all but the payload of its commands."""
    m.d.comb += [
        engine.commands.valid.eq(port.commands.valid),
        port.commands.ready.eq(engine.commands.ready),
        port.completions.valid.eq(engine.completions.valid),
        engine.completions.ready.eq(port.completions.ready),
        port.busy.eq(engine.busy),
    ]
    if hasattr(engine, "errors"):
        m.d.comb += [port.errors[name].eq(engine.errors[name]) for name, _ in engine.errors.shape()]
