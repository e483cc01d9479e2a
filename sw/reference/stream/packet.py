"""Statement of what :mod:`rewardware.hw.cores.stream.packet` does."""

import numpy as np

from ....hw.cores.stream.packet_config import PacketReaderConfig

__all__ = ["PacketReaderReference"]


class PacketReaderReference:
    """Rows that a packet reader passes on, and its verdict on each request.

    Parameters
    ----------
    config : PacketReaderConfig
    """

    def __init__(self, config: PacketReaderConfig):
        self.config = config

    def read(self, packets: np.ndarray, requests: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows that pass, and the end of each request.

        Parameters
        ----------
        packets : array
            Length of each packet of the stream.
        requests : array
            Rows asked for; a request of 0 rows takes no packet.

        Returns
        -------
        passed : array
            Index in the stream of every row passed on.
        underflow, overflow : array of bool
            One entry a request.
        """
        packets, requests = np.asarray(packets, dtype=np.int64), np.asarray(requests, dtype=np.int64)
        asking = requests > 0
        # Request k that asks for anything takes the packet of its rank among those.
        rank = np.cumsum(asking) - 1
        lengths = np.where(asking, packets[np.maximum(rank, 0)], 0)
        starts = np.concatenate([[0], np.cumsum(packets)])[np.maximum(rank, 0)]
        counts = np.minimum(lengths, requests)
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(starts, counts) + offsets, lengths < requests, lengths > requests
