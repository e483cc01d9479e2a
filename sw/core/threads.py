"""Threads of PyTorch, which are a setting of the whole process."""

import contextlib
import logging
from collections.abc import Iterator

__all__ = ["limited_threads"]

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def limited_threads(count: int | None) -> Iterator[None]:
    """Let PyTorch have so many threads, and afterwards as many as before; ``None``: leave them alone.

    Small networks are slower on several. How sums are split over threads may change their last bits.
    """
    if count is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    logger.info("PyTorch has %d threads, of %d", count, before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
