"""Several clusters and their links in the drain chains."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .cluster import Cluster, ClusterControl, assignment_layout, broadcast_signature
from .matrix_config import ClusterConfig

__all__ = ["ClusterGroup"]


class ClusterGroup(ConfiguredComponent):
    """``clusters`` neighbouring clusters with the same broadcasts: what a simulator compiles by itself.

    There are as many drain chains as blocks: what cluster i has moves on to cluster i - ``blocks``. The first clusters
    of the group are the ends of the chains' parts in it, ``chain_in`` continues them.

    Number format and latency: see :class:`.Cluster`.

    Parameters
    ----------
    config : ClusterConfig
    clusters : int
        At least 1.

    Members
    -------
    assignments : In(assignment_layout(config)).array(clusters)
    control : In(ClusterControl)
    broadcast : In(broadcast_signature(config))
    chain_in : In(4 * format.width).array(blocks, cluster_vpus)
        Results of the clusters ``clusters`` to ``clusters + blocks - 1``, counted from this group's first.
    chain_out : Out(4 * format.width).array(blocks, cluster_vpus)
        Results of the clusters 0 to ``blocks - 1``.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: ClusterConfig, clusters: int):
        self._clusters = clusters
        vpus, vector = config.cluster_vpus, config.vector_width
        super().__init__(
            config,
            {
                "assignments": In(assignment_layout(config)).array(clusters),
                "control": In(ClusterControl),
                "broadcast": In(broadcast_signature(config)),
                "chain_in": In(vector).array(config.blocks, vpus),
                "chain_out": Out(vector).array(config.blocks, vpus),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        clusters = [replicated(Cluster(config), name="cluster") for _ in range(self._clusters)]
        # The links of the chains, from the first cluster on.
        links = [*(cluster.chain_out for cluster in clusters), *self.chain_in]
        for number, cluster in enumerate(clusters):
            m.submodules[f"cluster_{number}"] = cluster
            wiring.connect(m, wiring.flipped(self.broadcast), cluster.broadcast)
            m.d.comb += [cluster.assignment.eq(self.assignments[number]), cluster.control.eq(self.control)]
            behind = links[number + config.blocks]
            m.d.comb += [link.eq(given) for link, given in zip(cluster.chain_in, behind, strict=True)]
        for ends, given in zip(self.chain_out, links, strict=False):
            m.d.comb += [end.eq(link) for end, link in zip(ends, given, strict=True)]
        return m
