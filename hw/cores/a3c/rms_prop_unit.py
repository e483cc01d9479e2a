"""The unit that updates the central parameters."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.host_map import HostPort
from ..memory.memory import Memory
from ..optimizer.float_lane import rates_layout
from ..optimizer.lane_sweep import sweep_lanes
from ..optimizer.rms_prop_config import RATES, RMS_PROP, RMSpropConfig
from ..optimizer.rms_prop_lane import RMSpropLane
from ..pipeline import delay, delay_record
from ..replicated import replicated
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .config import A3CConfig
from .host_regions import CENTRAL_LATENCY, central_regions
from .ports import agent_number, gradient_layout, parameter_write, row_address, word_layout

__all__ = ["RMSPropUnit"]


class RMSPropUnit(ConfiguredComponent):
    """Holds the central parameters and their mean squares, and updates them with gradients, word by word::

        new_square = decay * square + (one_minus_decay * gradient) * gradient
        new_parameter = parameter + (-(learning_rate * (gradient * reciprocal(sqrt(new_square) + epsilon))))

    Each new word of parameters also goes to the copy of the agent whose gradients it was updated with.

    ::

        gradients --+--------------> lanes --+--> parameters, squares
                    '-> parameters,    ^     +--> updated
                        squares -------'     '--> done

    Number format: ``config.arithmetic.format``; every operation is rounded. A place that holds +0 and gets gradients of
    +0 stays so as long as ``epsilon`` is above 0.

    Latency: ``latency`` cycles from a word of gradients to ``updated``, a cycle more to ``done``. Throughput: a word
    every ``config.interval`` cycles, on ``config.lanes`` lanes; the first word of an agent waits until all words of the
    one before have been written. Back-pressure: no agent's last word is taken while two ends wait.

    The host's reads and writes wait for those of the update, and are for times in which there is none: what they find
    of an update that is under way is not defined. A word of parameters that the host writes goes to the copies of all
    agents.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    gradients : In(stream of gradient_layout)
        Every word of an agent once, ``last`` with the last one.
    rates : In(rates_layout)
        Constant while words are under way.
    parameters, squares : In(HostPort)
        The host's, of :func:`central_regions`.
    updated : Out(parameter_write)
        A word as it is written.
    done : Out(stream of an agent's number)
        All of its words have been written.
    nonfinite : Out(1)
        A number that the update writes in this cycle is infinite or NaN.

    Source
    ------
    Ge et al., section 4.6.
    """

    def __init__(self, config: A3CConfig):
        arithmetic = config.arithmetic
        self._lane = RMSpropConfig(
            format=arithmetic.format,
            adder_depth=arithmetic.adder_depth,
            multiplier_depth=arithmetic.multiplier_depth,
        )
        self._lanes = [replicated(RMSpropLane(self._lane)) for _ in range(config.lanes)]
        super().__init__(
            config,
            {
                "gradients": In(stream.Signature(gradient_layout(config))),
                "rates": In(rates_layout(RMS_PROP, arithmetic.format)),
                **{region.name: In(HostPort(region)) for region in central_regions(config)},
                "updated": Out(parameter_write(config)),
                "done": Out(stream.Signature(agent_number(config.agents))),
                "nonfinite": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a word of gradients to ``updated``."""
        return CENTRAL_LATENCY + self._config.interval - 1 + self._lanes[0].latency + 1

    def elaborate(self, platform):
        m = Module()
        m.submodules.buffer = buffer = CreditBuffer(self.done.payload.shape(), StreamBufferConfig(depth=2, latency=1))
        wiring.connect(m, buffer.o, wiring.flipped(self.done))
        taken = self._take(m, buffer)
        memories = {}
        for name in ("parameters", "squares"):
            memories[name] = Memory(
                word_layout(self._config),
                MemoryConfig(depth=self._config.words, latency=CENTRAL_LATENCY, hazard="never"),
            )
            m.submodules[f"central_{name}"] = memories[name]
        loads = delay_record(m, taken, CENTRAL_LATENCY, "to_lanes")
        writes = delay_record(m, loads, self.latency - CENTRAL_LATENCY - 1, "to_write")
        results = self._through_lanes(m, loads.valid, memories)
        words = dict(zip(memories, (results["new_weight"], results["new_square"]), strict=True))
        for name, memory in memories.items():
            self._access(m, name, memory, taken, writes, Cat(*words[name][: self._config.width]))
        flags = Cat(*results["nonfinite"][: self._config.width])
        m.d.sync += [
            self.nonfinite.eq(writes.valid & flags.any()),
            buffer.arrive.eq(writes.valid & writes.last),
            buffer.value.eq(writes.agent),
            self.updated.agent.eq(writes.agent),
            self.updated.broadcast.eq(~writes.valid),
        ]
        written = memories["parameters"].write
        m.d.comb += [getattr(self.updated, name).eq(getattr(written, name)) for name in ("enable", "address", "data")]
        return m

    def _take(self, m, buffer):
        """A word of gradients that is taken in this cycle."""
        gradient = self.gradients.payload
        taken = Signal(
            data.StructLayout(
                {
                    "valid": 1,
                    "last": 1,
                    "agent": gradient.agent.shape(),
                    "address": row_address(self._config.words),
                }
            )
        )
        waits = Signal(range(max(self._config.interval, 2)))
        # Between agents: from a last word that is taken until it has been written.
        ending = Signal()
        m.d.comb += [
            self.gradients.ready.eq((waits == 0) & ~ending & (~gradient.last | buffer.room)),
            taken.valid.eq(self.gradients.valid & self.gradients.ready),
            taken.last.eq(gradient.last),
            taken.agent.eq(gradient.agent),
            taken.address.eq(gradient.address),
            buffer.reserve.eq(taken.valid & gradient.last),
        ]
        with m.If(waits != 0):
            m.d.sync += waits.eq(waits - 1)
        with m.If(taken.valid):
            m.d.sync += [waits.eq(self._config.interval - 1), ending.eq(gradient.last)]
        with m.If(buffer.arrive):
            m.d.sync += ending.eq(0)
        return taken

    def _through_lanes(self, m, load, memories):
        """Words to the lanes, which are time-multiplexed, and from them."""
        gradients = delay(m, Value.cast(self.gradients.payload.word), CENTRAL_LATENCY, "gradient")
        width = self._config.arithmetic.format.width
        rows = {
            "weight": list(memories["parameters"].reads[0].data),
            "square": list(memories["squares"].reads[0].data),
            "gradient": [gradients.word_select(index, width) for index in range(self._config.width)],
        }
        rates = {name: self.rates[name] for name in RATES}
        return sweep_lanes(
            m, self._lanes, load, rows, rates, ("new_weight", "new_square", "nonfinite"), self._config.interval
        )

    def _access(self, m, name, memory, taken, writes, word):
        """The ports of a central memory: the update's, and the host's when it does not need them."""
        host, read, write = getattr(self, name), memory.reads[0], memory.write
        m.d.comb += [
            host.read_granted.eq(~taken.valid),
            host.write_granted.eq(~writes.valid),
            read.enable.eq(taken.valid | host.read.enable),
            read.address.eq(Mux(taken.valid, taken.address, host.read.address)),
            host.read.data.eq(Cat(*read.data)),
        ]
        m.d.sync += [
            write.enable.eq(writes.valid | host.write.enable),
            write.address.eq(Mux(writes.valid, writes.address, host.write.address)),
            Value.cast(write.data).eq(Mux(writes.valid, word, host.write.data)),
        ]
