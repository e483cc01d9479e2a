"""The cores of the backward half of attention."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.ways import buffer_stream, fork_stream
from .config import AttentionConfig
from .others_product import OthersProduct
from .softmax_derivative import AttentionSoftmaxDerivative
from .weight_transposition import WeightTransposition

__all__ = ["AttentionBackwardLane"]


class AttentionBackwardLane(ConfiguredComponent):
    """Makes errors at queries, keys and values of errors d at the messages, for each head of the lane::

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

    Throughput: an experience in ``config.backward_cycles``. Back-pressure: ``config.waiting`` experiences of queries,
    keys, values and weights wait for their errors.

    Parameters
    ----------
    config : AttentionConfig
        Configuration of the lane's heads: :attr:`.AttentionConfig.lane`.

    Members
    -------
    message_errors : In(stream of width)
        Agent after agent, head after head, ``value_size`` elements.
    queries, keys, values, weights : In(stream of width)
        What :class:`.AttentionForwardLane` had, and its weights.
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

    def elaborate(self, platform):
        m = Module()
        config = self._config
        errors, values = wiring.flipped(self.message_errors), wiring.flipped(self.values)
        m.submodules.derivative = derivative = AttentionSoftmaxDerivative(config)
        # The product takes an error only when it has multiplied the one before by the values of all others. An agent's
        # errors come without a pause, and would hold up what follows for other lanes and nodes.
        depth = (config.heads + 1) * config.value_size
        inputs, vectors = fork_stream(m, "message_errors", buffer_stream(m, "message_errors", errors, depth))
        banks = config.waiting + 1
        weight_errors = self._multiply(
            m, "weight_errors", inputs, values, config.product("scores", config.value_size, banks)
        )
        wiring.connect(m, weight_errors, derivative.errors)

        depth = config.waiting * config.agents * config.heads * config.others
        waiting = buffer_stream(m, "weights", wiring.flipped(self.weights), depth)
        to_derivative, to_values = fork_stream(m, "weights", waiting)
        wiring.connect(m, to_derivative, derivative.weights)
        to_values = self._transpose(m, "weights", to_values)
        value_errors = self._multiply(
            m, "value_errors", to_values, vectors, config.product("sums", config.value_size, 3)
        )

        to_queries, to_keys = fork_stream(m, "score_errors", derivative.results)
        keys, queries = wiring.flipped(self.keys), wiring.flipped(self.queries)
        query_errors = self._multiply(
            m, "query_errors", to_queries, keys, config.product("sums", config.key_size, banks)
        )
        to_keys = self._transpose(m, "score_errors", to_keys)
        # One experience more: its errors come while those of the last are summed.
        key_errors = self._multiply(
            m, "key_errors", to_keys, queries, config.product("sums", config.key_size, banks + 1)
        )
        wiring.connect(m, query_errors, wiring.flipped(self.query_errors))
        wiring.connect(m, key_errors, wiring.flipped(self.key_errors))
        wiring.connect(m, value_errors, wiring.flipped(self.value_errors))
        return m

    def _multiply(self, m, name, inputs, vectors, product):
        """Products of inputs with vectors of other agents."""
        m.submodules[name] = part = OthersProduct(product)
        wiring.connect(m, inputs, part.inputs)
        wiring.connect(m, vectors, part.vectors)
        return part.outputs

    def _transpose(self, m, name, elements):
        m.submodules[f"{name}_transposed"] = transposed = WeightTransposition(self._config)
        wiring.connect(m, elements, transposed.i)
        return transposed.o
