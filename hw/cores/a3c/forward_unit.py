"""The unit that infers: engines, and the softmax behind them."""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.softmax import Softmax
from ..component import ConfiguredComponent
from ..stream.arbiter import StreamArbiter, StreamDispatcher
from ..stream.array_elements import ArrayElements, ElementArray
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.join import StreamJoin
from ..stream.ways import fork_stream
from .config import A3CConfig
from .forward_engine import ForwardEngine
from .ports import (
    activation_read,
    activation_write,
    inference_layout,
    parameter_read,
    result_layout,
    sign_write,
)
from .rollout_layouts import policy_layout

__all__ = ["ForwardUnit"]

# Inferences whose probabilities are on their way.
WAITING = 4


class ForwardUnit(ConfiguredComponent):
    """Infers from observations: each goes to a forward engine that is idle, and waits only while none is.

    ::

        inferences -> engines -> results -+-> logits -> Softmax -> probabilities -+-> policies
                                          `-> value --------------- wait --------'

    Number format: ``config.arithmetic.format``; see :class:`.ForwardEngine` and
    :class:`.Softmax`.

    Latency: that of an engine and of the softmax. Throughput: that of the engines. Back-pressure: an engine begins
    while there is room for its results.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    inferences : In(stream of inference_layout(config))
    parameters : Out(parameter_read(config)).array(forward_engines)
    activations : Out(activation_read(config)).array(forward_engines)
    new_activations : Out(activation_write(config)).array(forward_engines)
    new_signs : Out(sign_write(config)).array(forward_engines)
    policies : Out(stream of policy_layout(config))

    Source
    ------
    Ge et al., section 4.2.
    """

    def __init__(self, config: A3CConfig):
        count = config.forward_engines
        super().__init__(
            config,
            {
                "inferences": In(stream.Signature(inference_layout(config))),
                "parameters": Out(parameter_read(config)).array(count),
                "activations": Out(activation_read(config)).array(count),
                "new_activations": Out(activation_write(config)).array(count),
                "new_signs": Out(sign_write(config)).array(count),
                "policies": Out(stream.Signature(policy_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.dispatcher = dispatcher = StreamDispatcher(inference_layout(config), config.forward_engines)
        m.submodules.results = results = StreamArbiter(result_layout(config), config.forward_engines)
        wiring.connect(m, wiring.flipped(self.inferences), dispatcher.i)
        for number in range(config.forward_engines):
            m.submodules[f"engine_{number}"] = engine = ForwardEngine(config)
            wiring.connect(m, dispatcher.o[number], engine.jobs)
            wiring.connect(m, engine.results, results.i[number])
            for name in ("parameters", "activations", "new_activations", "new_signs"):
                wiring.connect(m, getattr(engine, name), wiring.flipped(getattr(self, name)[number]))
        self._probabilities(m, results.o)
        return m

    def _probabilities(self, m, results):
        """Logits to probabilities, beside place and value."""
        config = self._config
        width, count = config.arithmetic.format.width, config.actions
        given, waiting = fork_stream(m, "results", results)
        kept = data.StructLayout({"place": inference_layout(config), "value": width})
        probabilities = data.ArrayLayout(width, count)
        m.submodules.logits = logits = ArrayElements(width, count)
        m.submodules.softmax = softmax = Softmax(config.arithmetic, count)
        m.submodules.collected = collected = ElementArray(width, count)
        m.submodules.kept = buffer = StreamBuffer(kept, StreamBufferConfig(depth=WAITING))
        m.submodules.both = both = StreamJoin(data.StructLayout({"kept": kept, "probabilities": probabilities}))
        for index in range(count):
            m.d.comb += logits.i.payload[index].eq(given.payload.outputs[index])
        m.d.comb += [
            logits.i.valid.eq(given.valid),
            given.ready.eq(logits.i.ready),
            buffer.i.payload.place.agent.eq(waiting.payload.agent),
            buffer.i.payload.place.slot.eq(waiting.payload.slot),
            buffer.i.payload.value.eq(waiting.payload.outputs[count]),
            buffer.i.valid.eq(waiting.valid),
            waiting.ready.eq(buffer.i.ready),
            self.policies.payload.place.eq(both.o.payload.kept.place),
            self.policies.payload.value.eq(both.o.payload.kept.value),
            self.policies.payload.probabilities.eq(both.o.payload.probabilities),
            self.policies.valid.eq(both.o.valid),
            both.o.ready.eq(self.policies.ready),
        ]
        wiring.connect(m, logits.o, softmax.scores)
        wiring.connect(m, softmax.weights, collected.i)
        wiring.connect(m, collected.o, both.i.probabilities)
        wiring.connect(m, buffer.o, both.i.kept)
