"""Rows of requests as anybody might send them."""

from rewardware.hw.cores.tree.records import REQUEST_HEADER, ROW_WIDTH, request_arguments
from rewardware.sw.device.search_tree_rows import pack_request

__all__ = ["noisy_row"]


def noisy_row(config, request, rng):
    """The row of a request, anything in the bits that its kind has no use for."""
    record = request_arguments(config).get(request.kind)
    width = REQUEST_HEADER.width + (record.width if record else 0)
    return pack_request(config, request) | rng.getrandbits(ROW_WIDTH - width) << width
