"""The backward half of attention."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.fork import StreamFork
from .config import AttentionConfig
from .others_product import OthersProduct
from .softmax_derivative import AttentionSoftmaxDerivative
from .weight_transposition import WeightTransposition

__all__ = ["AttentionBackward"]


class AttentionBackward(ConfiguredComponent):
    """Makes errors at queries, keys and values of errors d at the messages, for each head::

        error at w[i, j] = d_i . value_j                      error at value_j = sum over i of w[i, j] * d_i
        e = softmax's derivative of it                        error at key_j = sum over i of e[i, j] * query_i
        error at query_i = sum over j of e[i, j] * key_j

    All four are products with the vectors of the other agents; those of keys and values take weights by the agent that
    is attended to (:class:`.WeightTransposition`).

    ::

        messages -> scores of values -> AttentionSoftmaxDerivative -+-> sums of keys ------------------> query_errors
            |                                  ^                    `-> transposed, sums of queries ---> key_errors
            |       weights -> wait -+---------'
            |                        `-> transposed -> sums of message errors ------------------------> value_errors
            `------------------------------------------'

    Number format: ``config.arithmetic.format``; see the cores.

    Throughput: an experience in ``cycles``. Back-pressure: ``config.waiting`` experiences of queries, keys, values and
    weights wait for their errors.

    Parameters
    ----------
    config : AttentionConfig

    Members
    -------
    message_errors : In(stream of width)
        Agent after agent, head after head, ``value_size`` elements.
    queries, keys, values, weights : In(stream of width)
        What :class:`.AttentionForward` had, and its weights.
    query_errors, key_errors, value_errors : Out(stream of width)
        Agent after agent, head after head, ``key_size`` or ``value_size`` elements.

    Source
    ------
    The derivatives of S. Wiggins et al., equation 2. Not in the source: errors at keys and values as sums over the
    attending agents, so that nothing is accumulated in place.
    """

    def __init__(self, config: AttentionConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        taken = ("message_errors", "queries", "keys", "values", "weights")
        given = ("query_errors", "key_errors", "value_errors")
        super().__init__(config, {**{name: In(elements) for name in taken}, **{name: Out(elements) for name in given}})
        banks = config.waiting + 1
        self._products = {
            "weight_errors": OthersProduct(config.product("scores", config.value_size, banks)),
            "query_errors": OthersProduct(config.product("sums", config.key_size, banks)),
            # One experience more: its errors come while those of the last are summed.
            "key_errors": OthersProduct(config.product("sums", config.key_size, banks + 1)),
            "value_errors": OthersProduct(config.product("sums", config.value_size, 3)),
        }
        self._derivative = AttentionSoftmaxDerivative(config)

    @property
    def cycles(self):
        """Cycles of an experience, if they follow each other: those of the slowest core."""
        return self._config.backward_cycles

    def elaborate(self, platform):
        m = Module()
        config = self._config
        for name, part in self._products.items():
            m.submodules[name] = part
        m.submodules.derivative = derivative = self._derivative
        weight_errors = self._products["weight_errors"]
        inputs, vectors = self._fork(m, "message_errors", wiring.flipped(self.message_errors))
        self._connect(m, "weight_errors", inputs, wiring.flipped(self.values))
        wiring.connect(m, weight_errors.outputs, derivative.errors)

        depth = config.waiting * config.agents * config.heads * config.others
        m.submodules.weights_waiting = waiting = StreamBuffer(
            self.weights.payload.shape(), StreamBufferConfig(depth=depth)
        )
        wiring.connect(m, wiring.flipped(self.weights), waiting.i)
        to_derivative, to_values = self._fork(m, "weights", waiting.o)
        wiring.connect(m, to_derivative, derivative.weights)
        self._connect(m, "value_errors", self._transpose(m, "weights", to_values), vectors)

        to_queries, to_keys = self._fork(m, "score_errors", derivative.results)
        self._connect(m, "query_errors", to_queries, wiring.flipped(self.keys))
        self._connect(m, "key_errors", self._transpose(m, "score_errors", to_keys), wiring.flipped(self.queries))
        for name in ("query_errors", "key_errors", "value_errors"):
            wiring.connect(m, self._products[name].outputs, wiring.flipped(getattr(self, name)))
        return m

    def _connect(self, m, name, inputs, vectors):
        """Inputs and vectors of a product."""
        wiring.connect(m, inputs, self._products[name].inputs)
        wiring.connect(m, vectors, self._products[name].vectors)

    def _fork(self, m, name, elements):
        m.submodules[f"{name}_fork"] = fork = StreamFork(elements.payload.shape(), 2)
        wiring.connect(m, elements, fork.i)
        return fork.o

    def _transpose(self, m, name, elements):
        m.submodules[f"{name}_transposed"] = transposed = WeightTransposition(self._config)
        wiring.connect(m, elements, transposed.i)
        return transposed.o
