"""The optimiser engine: Adam and soft target update, row after row."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..replicated import replicated
from ..time_sharing import collect, serialize
from .adam_lane import RATE_WIDTH, AdamLane
from .bias_correction import BiasCorrection
from .config import OptimizerConfig

__all__ = ["OptimizerEngine", "optimizer_command"]

# Rows of one network to update; `advance` first advances the bias correction, once a step and network.
optimizer_command = data.StructLayout({"network": 1, "base": 16, "count": 16, "advance": 1})


class OptimizerEngine(wiring.Component):
    """Sweeps rows of weights, moments and targets of one network; each lane is an :class:`AdamLane`.

    Throughput: one row every ``interval`` cycles while ``gradient_ready``. Latency of a command: busy for
    ``(count - 1) * interval + latency + 3`` cycles, and with ``advance`` one more than those of
    :class:`BiasCorrection` besides. Every memory is read once and written once for each row; the rows of one command
    are different, and a command starts when the one before it is written.

    With an interval above 1 the lanes take turns: ``lanes / interval`` units stand. What was read is taken in the
    cycle in which it comes; then others may read.

    Parameters
    ----------
    config : OptimizerConfig

    Members
    -------
    commands : stream, in
        ``optimizer_command``; without rows it does nothing.
    completions : stream, out
        One for each command, when everything is written.
    busy : Out(1)
    network : Out(1)
        Network whose banks are read and written.
    gradient_ready : In(1)
        0: the gradient memory is busy, no row is read in this cycle.
    moment_read_enable, moment_read_row : out
        Of the gradient and both moments; the words come in the next cycle: gradient, first_moment, second_moment.
    weight_read_enable, weight_read_row, target_read_enable, target_read_row : out
        The words come in the next cycle: weight, target.
    first_write_enable, first_write_row, first_write_words, and the same for second, weight, target : out
    learning_rate_actor, learning_rate_critic : In(32)
        Of networks 0 and 1, 32 fraction bits.
    first_moment_rate, second_moment_rate, target_rate : In(21)
        20 fraction bits.
    epsilon_squared : In(32)
    powers, set_enable, set_select, set_value
        See :class:`BiasCorrection`.
    saturations : Out(range(lanes + 1))
        Weights clamped in this cycle.

    Source
    ------
    FIXAR, sections III and VI-B.
    """

    def __init__(self, config: OptimizerConfig):
        self._config = config
        lanes, rows = config.lanes, config.rows
        self._units = [replicated(AdamLane(config), name="adam_lane") for _ in range(lanes // config.interval)]
        row = range(rows)
        words = data.ArrayLayout(32, lanes)
        double_words = data.ArrayLayout(64, lanes)
        super().__init__(
            {
                "commands": In(stream.Signature(optimizer_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "network": Out(1),
                "gradient_ready": In(1, init=1),
                "moment_read_enable": Out(1),
                "moment_read_row": Out(row),
                "gradient": In(words),
                "first_moment": In(words),
                "second_moment": In(double_words),
                "weight_read_enable": Out(1),
                "weight_read_row": Out(row),
                "weight": In(words),
                "target_read_enable": Out(1),
                "target_read_row": Out(row),
                "target": In(words),
                "first_write_enable": Out(1),
                "first_write_row": Out(row),
                "first_write_words": Out(words),
                "second_write_enable": Out(1),
                "second_write_row": Out(row),
                "second_write_words": Out(double_words),
                "weight_write_enable": Out(1),
                "weight_write_row": Out(row),
                "weight_write_words": Out(words),
                "target_write_enable": Out(1),
                "target_write_row": Out(row),
                "target_write_words": Out(words),
                "learning_rate_actor": In(32),
                "learning_rate_critic": In(32),
                "first_moment_rate": In(RATE_WIDTH),
                "second_moment_rate": In(RATE_WIDTH),
                "target_rate": In(RATE_WIDTH),
                "epsilon_squared": In(32),
                "powers": Out(33).array(4),
                "set_enable": In(1),
                "set_select": In(2),
                "set_value": In(33),
                "saturations": Out(range(lanes + 1)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the read of a row until its last word is written."""
        return self._units[0].latency + 2 + self._config.interval

    def elaborate(self, platform):
        m = Module()
        lanes, interval = self._config.lanes, self._config.interval
        m.submodules.bias_correction = correction = BiasCorrection()
        command = Signal(optimizer_command)
        row = Signal(range(self._config.rows))
        remaining = Signal(16)
        settling = Signal(range(self.latency + 1))
        m.d.comb += [
            self.network.eq(command.network),
            correction.network.eq(command.network),
            correction.learning_rate.eq(Mux(command.network, self.learning_rate_critic, self.learning_rate_actor)),
            correction.first_moment_rate.eq(self.first_moment_rate),
            correction.second_moment_rate.eq(self.second_moment_rate),
            correction.set_enable.eq(self.set_enable),
            correction.set_select.eq(self.set_select),
            correction.set_value.eq(self.set_value),
        ]
        m.d.comb += [self.powers[number].eq(correction.powers[number]) for number in range(4)]

        # The step size stands long before a row gets to it.
        alpha = Signal.like(correction.alpha)
        m.d.sync += alpha.eq(correction.alpha)

        # Reads of the rows under way and their numbers, by the cycles since.
        enables, numbers = [self.moment_read_enable], [row]
        for stage in range(self.latency):
            enable = Signal(name=f"enable_{stage}")
            number = Signal(range(self._config.rows), name=f"row_{stage}", reset_less=True)
            m.d.sync += [enable.eq(enables[-1]), number.eq(numbers[-1])]
            enables.append(enable)
            numbers.append(number)

        free = self.gradient_ready
        if interval > 1:
            free = free & ~Cat(enables[1:interval]).any()
        with m.FSM(name="optimizer"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [
                    row.eq(self.commands.payload.base),
                    remaining.eq(self.commands.payload.count),
                    settling.eq(self.latency),
                ]
                with m.If(self.commands.valid):
                    m.d.sync += command.eq(self.commands.payload)
                    m.next = "SWEEP"
                    with m.If(self.commands.payload.count == 0):
                        m.next = "COMPLETE"
                    with m.Elif(self.commands.payload.advance):
                        m.next = "ADVANCE"
            with m.State("ADVANCE"):
                m.d.comb += correction.start.eq(1)
                m.next = "CORRECT"
            with m.State("CORRECT"):
                with m.If(correction.done):
                    m.next = "SWEEP"
            with m.State("SWEEP"):
                m.d.comb += self.moment_read_enable.eq(free)
                with m.If(free):
                    m.d.sync += [row.eq(row + 1), remaining.eq(remaining - 1)]
                    with m.If(remaining == 1):
                        m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.sync += settling.eq(settling - 1)
                with m.If(settling == 0):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        m.d.comb += [self.busy.eq(~self.commands.ready), self.moment_read_row.eq(row)]

        # The row number travels beside the units; each access takes it where its words are.
        units = self._units
        reference = units[0]
        taken = {}
        for name, read in (
            ("gradient", 0),
            ("first_moment", 0),
            ("second_moment", 0),
            ("weight", reference.weight_delay),
            ("target", reference.target_delay),
        ):
            words = [getattr(self, name)[lane] for lane in range(lanes)]
            turns = serialize(m, enables[read + 1], words, interval, name)
            # A memory's word is late in its cycle: the units take it in the next.
            taken[name] = [
                Signal(word.shape(), name=f"{name}_{unit}", reset_less=True) for unit, word in enumerate(turns)
            ]
            m.d.sync += [register.eq(word) for register, word in zip(taken[name], turns, strict=True)]
            if read:
                m.d.comb += [
                    getattr(self, f"{name}_read_enable").eq(enables[read]),
                    getattr(self, f"{name}_read_row").eq(numbers[read]),
                ]
        for number, unit in enumerate(units):
            m.submodules[f"lane_{number}"] = unit
            m.d.comb += [getattr(unit, name).eq(words[number]) for name, words in taken.items()]
            m.d.comb += [
                unit.first_moment_rate.eq(self.first_moment_rate),
                unit.second_moment_rate.eq(self.second_moment_rate),
                unit.target_rate.eq(self.target_rate),
                unit.epsilon_squared.eq(self.epsilon_squared),
                unit.alpha.eq(alpha),
            ]
        for name, output, latency in (
            ("first", "first_moment_next", reference.first_latency),
            ("second", "second_moment_next", reference.second_latency),
            ("weight", "weight_next", reference.weight_latency),
            ("target", "target_next", reference.latency),
        ):
            words = collect(m, [getattr(unit, output) for unit in units], interval, name)
            port = getattr(self, f"{name}_write_words")
            m.d.comb += [port[lane].eq(word) for lane, word in enumerate(words)]
            m.d.comb += [
                getattr(self, f"{name}_write_enable").eq(enables[1 + latency + interval]),
                getattr(self, f"{name}_write_row").eq(numbers[1 + latency + interval]),
            ]
        saturated = collect(m, [unit.saturated for unit in units], interval, "saturated")
        m.d.comb += self.saturations.eq(Mux(self.weight_write_enable, sum(saturated), 0))
        return m
