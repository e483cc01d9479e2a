"""The Adam engine: Adam and soft target update, row after row."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from ..bits import count_ones
from ..component import ConfiguredComponent
from ..memory.ports import ReadPort, WritePort
from ..replicated import replicated
from ..time_sharing import collect, serialize
from .adam_lane import AdamLane
from .adam_ports import AdamRates, PowerPort, adam_command
from .bias_correction import BiasCorrection
from .config import AdamConfig

__all__ = ["AdamEngine"]


class AdamEngine(ConfiguredComponent):
    """Sweeps rows of weights, moments and targets of one network; each lane is an :class:`.AdamLane`.

    ::

        commands --> sweep: a row every `interval` cycles --> its number travels beside the lanes
                                 |
        gradients, moments ------+--> AdamLane --> moments          (read and written at different
                     weights --------> AdamLane --> weights          times, as the lane needs them)
                         targets --------> AdamLane --> targets

    Latency: a command makes it busy for ``(count - 1) * interval + latency + 3`` cycles, and with ``advance`` one more
    than those of :class:`.BiasCorrection` besides. Throughput: one row every ``interval`` cycles while
    ``gradients_granted``. Every memory is read once and written once for each row; the rows of one command are
    different, and a command starts when the one before it is written. Back-pressure: ``commands`` waits meanwhile.

    With an interval above 1 the lanes are time-multiplexed: ``lanes / interval`` units stand. A word that was read is
    taken in the cycle in which it comes; then others may read.

    Parameters
    ----------
    config : AdamConfig

    Members
    -------
    commands : In(stream.Signature(adam_command(config)))
        One without rows does nothing.
    completions : Out(stream.Signature(1))
        One for each command, when everything is written.
    busy : Out(1)
    gradients_granted : In(1)
        0: the gradient memory is busy, no row is read in this cycle.
    gradients_read : Out(ReadPort(words, networks * rows))
        The rows of the networks, one after the other, as those of the moments.
    first_moments_read, first_moments_write : Out
    second_moments_read, second_moments_write : Out, array of 2
        Their low and their high words.
    weights_read, weights_write, targets_read, targets_write : Out, array of networks
        Ports of ``rows`` rows.
    rates : In(AdamRates(networks))
    powers : Out(33).array(networks, 2)
    set_power : In(PowerPort(networks))
        See :class:`.BiasCorrection`.
    saturations : Out(range(lanes + 1))
        Weights clamped in this cycle.

    Source
    ------
    FIXAR, sections III and VI-B.
    """

    def __init__(self, config: AdamConfig):
        networks = config.networks
        self._units = [replicated(AdamLane(config), name="adam_lane") for _ in range(config.lanes // config.interval)]
        self._correction = BiasCorrection(config)
        words = data.ArrayLayout(32, config.lanes)
        of_all = ReadPort(words, networks * config.rows), WritePort(words, networks * config.rows)
        of_one = ReadPort(words, config.rows), WritePort(words, config.rows)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(adam_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "gradients_granted": In(1, init=1),
                "gradients_read": Out(of_all[0]),
                "first_moments_read": Out(of_all[0]),
                "first_moments_write": Out(of_all[1]),
                "second_moments_read": Out(of_all[0]).array(2),
                "second_moments_write": Out(of_all[1]).array(2),
                "weights_read": Out(of_one[0]).array(networks),
                "weights_write": Out(of_one[1]).array(networks),
                "targets_read": Out(of_one[0]).array(networks),
                "targets_write": Out(of_one[1]).array(networks),
                "rates": In(AdamRates(networks)),
                "powers": Out(33).array(networks, 2),
                "set_power": In(PowerPort(networks)),
                "saturations": Out(range(config.lanes + 1)),
            },
        )

    @property
    def latency(self):
        """Cycles from the read of a row until its last word is written."""
        return self._units[0].latency + 2 + self._config.interval

    def elaborate(self, platform):
        m = Module()
        m.submodules.bias_correction = correction = self._correction
        command = Signal(adam_command(self._config))
        # Whether a row is read in this cycle, and which, then the same of the cycles before.
        enables, rows = [Signal(name="enable")], [Signal(range(self._config.rows), name="row")]
        for stage in range(self.latency):
            enable = Signal(name=f"enable_{stage}")
            row = Signal(range(self._config.rows), name=f"row_{stage}", reset_less=True)
            m.d.sync += [enable.eq(enables[-1]), row.eq(rows[-1])]
            enables.append(enable)
            rows.append(row)

        self._correct(m, command)
        self._sweep(m, command, enables, rows[0])
        taken = self._take(m, command, enables, rows)
        # The step size is constant long before a row gets to it.
        step_size = Signal.like(correction.step_size)
        m.d.sync += step_size.eq(correction.step_size)
        for number, unit in enumerate(self._units):
            m.submodules[f"lane_{number}"] = unit
            m.d.comb += [getattr(unit, name).eq(words[number]) for name, words in taken.items()]
            m.d.comb += [
                unit.one_minus_beta1.eq(self.rates.one_minus_beta1),
                unit.one_minus_beta2.eq(self.rates.one_minus_beta2),
                unit.tau.eq(self.rates.tau),
                unit.epsilon_squared.eq(self.rates.epsilon_squared),
                unit.step_size.eq(step_size),
            ]
        self._write(m, command, enables, rows)
        return m

    def _correct(self, m, command):
        """The bias correction of the command's network."""
        correction = self._correction
        connect(m, flipped(self.set_power), correction.set_power)
        learning_rate = Signal(32)
        with m.Switch(command.network):
            for network, rate in enumerate(self.rates.learning_rates):
                with m.Case(network):
                    m.d.comb += learning_rate.eq(rate)
                m.d.comb += [self.powers[network][moment].eq(correction.powers[network][moment]) for moment in range(2)]
        m.d.comb += [
            correction.network.eq(command.network),
            correction.learning_rate.eq(learning_rate),
            correction.one_minus_beta1.eq(self.rates.one_minus_beta1),
            correction.one_minus_beta2.eq(self.rates.one_minus_beta2),
        ]

    def _sweep(self, m, command, enables, row):
        """Goes through the rows of a command."""
        interval = self._config.interval
        remaining = Signal(16)
        settling = Signal(range(self.latency + 1))
        free = self.gradients_granted
        if interval > 1:
            free = free & ~Cat(enables[1:interval]).any()
        given = self.commands.payload
        with m.FSM(name="sweep"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [row.eq(given.base), remaining.eq(given.count), settling.eq(self.latency)]
                with m.If(self.commands.valid):
                    m.d.sync += command.eq(given)
                    m.next = "SWEEP"
                    with m.If(given.count == 0):
                        m.next = "COMPLETE"
                    with m.Elif(given.advance):
                        m.next = "ADVANCE"
            with m.State("ADVANCE"):
                m.d.comb += self._correction.start.eq(1)
                m.next = "CORRECT"
            with m.State("CORRECT"):
                with m.If(self._correction.done):
                    m.next = "SWEEP"
            with m.State("SWEEP"):
                m.d.comb += enables[0].eq(free)
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
        m.d.comb += self.busy.eq(~self.commands.ready)

    def _take(self, m, command, enables, rows):
        """Reads each word when the units need it; what the units take in this cycle, by the names of their ports."""
        unit = self._units[0]
        low, high = self.second_moments_read
        first_row = self._first_row(command)
        for port in (self.gradients_read, self.first_moments_read, low, high):
            m.d.comb += [port.enable.eq(enables[0]), port.address.eq(first_row + rows[0])]
        weights = self._read_network(m, command, self.weights_read, enables[unit.weight_delay], rows[unit.weight_delay])
        targets = self._read_network(m, command, self.targets_read, enables[unit.target_delay], rows[unit.target_delay])
        seconds = [Cat(words) for words in zip(low.data, high.data, strict=True)]
        taken = {}
        for name, words, read in (
            ("gradient", self.gradients_read.data, 0),
            ("first_moment", self.first_moments_read.data, 0),
            ("second_moment", seconds, 0),
            ("weight", weights, unit.weight_delay),
            ("target", targets, unit.target_delay),
        ):
            begun = serialize(m, enables[read + 1], list(words), self._config.interval, name)
            # A memory's word is late in its cycle: the units take it in the next.
            taken[name] = [
                Signal(word.shape(), name=f"{name}_{number}", reset_less=True) for number, word in enumerate(begun)
            ]
            m.d.sync += [register.eq(word) for register, word in zip(taken[name], begun, strict=True)]
        return taken

    def _first_row(self, command):
        """Row of gradients and moments at which the command's network begins."""
        row = 0
        for network in range(1, self._config.networks):
            row = Mux(command.network == network, network * self._config.rows, row)
        return row

    def _read_network(self, m, command, ports, enable, row):
        """A row of the command's network; its words, one cycle later."""
        words = ports[0].data
        for network, port in enumerate(ports):
            m.d.comb += [port.enable.eq(enable & (command.network == network)), port.address.eq(row)]
            if network:
                words = Mux(command.network == network, port.data, words)
        result = Signal(ports[0].data.shape())
        m.d.comb += result.eq(words)
        return result

    def _write(self, m, command, enables, rows):
        """Writes each word when it comes."""
        unit, interval = self._units[0], self._config.interval

        def row_of(output, latency):
            stage = 1 + latency + interval
            words = collect(m, [getattr(one, output) for one in self._units], interval, output)
            return enables[stage], rows[stage], words

        enable, row, words = row_of("first_moment_next", unit.first_latency)
        self._write_row(m, self.first_moments_write, enable, self._first_row(command) + row, words)
        enable, row, words = row_of("second_moment_next", unit.second_latency)
        for half, port in enumerate(self.second_moments_write):
            parts = [word[32 * half : 32 * half + 32] for word in words]
            self._write_row(m, port, enable, self._first_row(command) + row, parts)
        for output, latency, ports in (
            ("weight_next", unit.weight_latency, self.weights_write),
            ("target_next", unit.latency, self.targets_write),
        ):
            enable, row, words = row_of(output, latency)
            for network, port in enumerate(ports):
                self._write_row(m, port, enable & (command.network == network), row, words)
        enable, _, saturated = row_of("saturated", unit.weight_latency)
        m.d.comb += self.saturations.eq(Mux(enable, count_ones(m, Cat(saturated), "saturated_lanes"), 0))

    @staticmethod
    def _write_row(m, port, enable, row, words):
        m.d.comb += [port.enable.eq(enable), port.address.eq(row), port.data.eq(Cat(words))]
