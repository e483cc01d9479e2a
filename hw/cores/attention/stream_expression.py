"""Expressions of floating-point units behind a stream."""

from amaranth.hdl import Module

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
        Of the pipeline; the units have ``_units`` behind it.
    arithmetic : FloatLaneConfig
    operands : stream
    compute : function
        Makes a :class:`..float.expression.Number` of a :class:`..float.expression.FloatExpression` and a payload.
    """
    m.submodules[f"{name}_units"] = units = Module()
    result = compute(FloatExpression(units, arithmetic), operands.payload)
    m.submodules[name] = pipeline = StreamPipeline(arithmetic.format.width, StreamPipelineConfig(latency=result.time))
    m.d.comb += [
        operands.ready.eq(pipeline.ready),
        pipeline.begin.eq(operands.valid & pipeline.ready),
        pipeline.result.eq(result.value),
    ]
    return pipeline
