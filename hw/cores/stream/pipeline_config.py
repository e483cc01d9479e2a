"""Configuration of a pipeline behind a stream. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["StreamPipelineConfig"]


@dataclass(frozen=True, kw_only=True)
class StreamPipelineConfig:
    """Configuration of a stream pipeline.

    Parameters
    ----------
    latency : int
        Cycles from a token's begin to its result; 0 where the result is there in the same cycle.
    depth : int or None
        Tokens that may be in the pipeline or wait behind it, at least 2. None: as many as one token a cycle needs,
        ``latency + 1 + buffer_latency``; fewer make the pipeline slower and are otherwise right.
    buffer_latency : int
        1 or 2, that of :class:`.StreamBufferConfig`.
    """

    latency: int
    depth: int | None = None
    buffer_latency: int = 2

    def __post_init__(self):
        require_integer("Latency", self.latency, 0)
        require_integer("Buffer latency", self.buffer_latency, 1, 2)
        if self.depth is not None:
            require_integer("Depth", self.depth, 2)

    @property
    def places(self):
        """Tokens that may be in the pipeline or wait behind it."""
        return self.latency + 1 + self.buffer_latency if self.depth is None else self.depth
