"""Expressions of floating-point units behind a stream."""

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import data

from ..float.config import FloatLaneConfig
from ..float.expression import FloatExpression
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig

__all__ = ["stream_expression"]


def stream_expression(m, name, arithmetic: FloatLaneConfig, operands, compute):
    """Puts the units of an expression behind a stream; returns the pipeline whose ``o`` has a result for each payload.

    Latency: that of the expression and of the pipeline's buffer. Throughput: a result a cycle.

    Parameters
    ----------
    m : Module
        Where units and pipeline go.
    name : str
        Name of the pipeline; the units have ``_units`` behind it.
    arithmetic : FloatLaneConfig
    operands : stream
    compute : function
        Makes a :class:`..float.expression.Number` of a :class:`..float.expression.FloatExpression` and a payload; or
        several, by the names of the result's fields.
    """
    m.submodules[f"{name}_units"] = units = Module()
    expression = FloatExpression(units, arithmetic)
    found = compute(expression, operands.payload)
    numbers = found if isinstance(found, dict) else {"": found}
    latency = max(number.time for number in numbers.values())
    values = [expression.at(number, latency) for number in numbers.values()]
    fields = {field: number.value.shape() for field, number in numbers.items()}
    shape = data.StructLayout(fields) if isinstance(found, dict) else arithmetic.format.width
    m.submodules[name] = pipeline = StreamPipeline(shape, StreamPipelineConfig(latency=latency))
    m.d.comb += [
        operands.ready.eq(pipeline.ready),
        pipeline.begin.eq(operands.valid & pipeline.ready),
        Value.cast(pipeline.result).eq(Cat(values)),
    ]
    return pipeline
