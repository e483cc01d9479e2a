"""Several clusters and their links in the drain chains."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..replicated import replicated
from .cluster import Cluster, ClusterControl, task_layout
from .matrix_config import ClusterConfig

__all__ = ["ClusterGroup"]


class ClusterGroup(wiring.Component):
    """``clusters`` neighbouring clusters with the same broadcasts: what a simulator compiles by itself.

    There are as many drain chains as blocks: what cluster i has moves on to cluster i - ``blocks``. The first clusters
    of the group are the ends of the chains' parts in it, ``chain_in`` continues them.

    Number format and latency: see :class:`Cluster`.

    Parameters
    ----------
    config : ClusterConfig
    clusters : int
        At least 1.

    Members
    -------
    tasks : In(task_layout(config)).array(clusters)
    control : In(ClusterControl)
    words, errors, weights
        See :class:`Cluster`.
    chain_in : In(4 * format.width).array(blocks, cluster_vpus)
        Results of the clusters ``clusters`` to ``clusters + blocks - 1``, counted from this group's first.
    chain_out : Out(4 * format.width).array(blocks, cluster_vpus)
        Results of the clusters 0 to ``blocks - 1``.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: ClusterConfig, clusters: int):
        self._config = config
        self._clusters = clusters
        vpus, vector = config.cluster_vpus, config.vector_width
        super().__init__(
            {
                "tasks": In(task_layout(config)).array(clusters),
                "control": In(ClusterControl),
                "words": In(vector).array(config.blocks, vpus),
                "errors": In(vector).array(config.error_ports, config.blocks, vpus),
                "weights": In(config.format.width).array(config.weight_banks),
                "chain_in": In(vector).array(config.blocks, vpus),
                "chain_out": Out(vector).array(config.blocks, vpus),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        links = []
        for index in range(self._clusters):
            m.submodules[f"cluster_{index}"] = cluster = replicated(Cluster(config), name="cluster")
            m.d.comb += [cluster.task.eq(self.tasks[index]), cluster.control.eq(self.control)]
            for block in range(config.blocks):
                for vpu in range(config.cluster_vpus):
                    m.d.comb += cluster.words[block][vpu].eq(self.words[block][vpu])
                    for port in range(config.error_ports):
                        m.d.comb += cluster.errors[port][block][vpu].eq(self.errors[port][block][vpu])
            for bank in range(config.weight_banks):
                m.d.comb += cluster.weights[bank].eq(self.weights[bank])
            links.append(cluster)
        ends = [cluster.chain_out for cluster in links] + [self.chain_in[block] for block in range(config.blocks)]
        for index, cluster in enumerate(links):
            for vpu in range(config.cluster_vpus):
                m.d.comb += cluster.chain_in[vpu].eq(ends[index + config.blocks][vpu])
        for block in range(config.blocks):
            for vpu in range(config.cluster_vpus):
                m.d.comb += self.chain_out[block][vpu].eq(ends[block][vpu])
        return m
