"""A cluster of vector processing units, which computes one block of a work item."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..bits import choose
from ..component import ConfiguredComponent
from ..replicated import replicated
from .matrix_config import ACCUMULATORS, SLOTS, ClusterConfig, VpuConfig
from .vpu import SELECT_TO_SUM, VectorProcessingUnit

__all__ = ["broadcast_signature", "Cluster", "ClusterControl", "assignment_layout"]


def assignment_layout(config):
    """Layout of a cluster's assignment in a wave.

    ``slot`` is the cycle of a step in which its operand word comes, ``block`` its block of words, ``weight`` its weight
    of those that come with the operand word, ``error`` the slot of its error word, ``gradient`` whether it multiplies
    by that word instead of the weight.
    """
    return data.StructLayout(
        {
            "slot": range(SLOTS),
            "block": max(1, (config.blocks - 1).bit_length()),
            "weight": range(config.weight_banks),
            "error": range(config.error_slots),
        }
    )


def broadcast_signature(config):
    """A broadcast: the words and weights of an issue slot, for all clusters of a core; seen from where they are read.

    ``words``, for each block and VPU, are four vectors of the operand word; ``errors`` those of the error words, port p
    having error slot 4 p + the number of the operand slot; ``weights`` those that come with the operand word.
    """
    vector, shape = config.vector_width, (config.blocks, config.cluster_vpus)
    return wiring.Signature(
        {
            "words": Out(vector).array(*shape),
            "errors": Out(vector).array(config.error_ports, *shape),
            "weights": Out(config.format.width).array(config.weight_banks),
        }
    )


# The same for all clusters of a core, each field registered where it comes from.
ClusterControl = data.StructLayout(
    {
        "valid": 1,  # the broadcast belongs to a step
        "slot": range(SLOTS),  # of the broadcast
        "exchange": 1,  # all words of a step have been captured: use them from the next cycle on
        "gradient": 1,  # of what is in use: multiply words by words
        "select": range(ACCUMULATORS),  # of what is in use
        "clear": 1,  # SELECT_TO_CLEAR cycles after the selection: first step of a wave
        "load": ACCUMULATORS,  # of each accumulator: its result leaves the adder
        "shift": ACCUMULATORS,  # of each accumulator: results move on
    }
)


class Cluster(ConfiguredComponent):
    """``K`` VPUs on one block of 4 K vectors: the products of one column, or of one pair of row and column.

    In the cycle of its slot the cluster captures its block of the operand word, and its weight; in the cycle of its
    error slot, its block of the error word. On ``exchange`` both go to the VPUs, which work on them in the next four
    cycles, while the next ones are captured.

    Results go from the adders into the drain chain: accumulator i in the cycle in which ``load[i]`` is 1, and on to the
    next cluster where ``shift[i]`` is. VPU v has lanes 4 v to 4 v + 3 of the block, in accumulators 0 to 3.

    Number format: see :class:`.VectorProcessingUnit`.

    Latency: from ``exchange`` to the result of accumulator i of that step, ``latency + i`` cycles. A step takes four
    cycles. No back-pressure.

    Parameters
    ----------
    config : ClusterConfig

    Members
    -------
    assignment : In(assignment_layout(config))
        Stable while a step is broadcast.
    control : In(ClusterControl)
    broadcast : In(broadcast_signature(config))
    chain_in : In(4 * format.width).array(cluster_vpus)
        Results of the cluster behind.
    chain_out : Out(4 * format.width).array(cluster_vpus)

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: ClusterConfig):
        vpus, vector = config.cluster_vpus, config.vector_width
        super().__init__(
            config,
            {
                "assignment": In(assignment_layout(config)),
                "control": In(ClusterControl),
                "broadcast": In(broadcast_signature(config)),
                "chain_in": In(vector).array(vpus),
                "chain_out": Out(vector).array(vpus),
            },
        )

    @property
    def latency(self):
        """Cycles from ``exchange`` to the first result."""
        return 1 + SELECT_TO_SUM

    def elaborate(self, platform):
        m = Module()
        config, control, assignment = self._config, self.control, self.assignment
        width = config.format.width
        take_word, take_error = Signal(), Signal()
        m.d.comb += [
            take_word.eq(control.valid & (control.slot == assignment.slot)),
            take_error.eq(control.valid & (control.slot == assignment.error[:2])),
        ]
        weight = self._capture(m, "weight", take_word, choose(assignment.weight, self.broadcast.weights))
        for vpu in range(config.cluster_vpus):
            words = [block[vpu] for block in self.broadcast.words]
            errors = [choose(assignment.block, [block[vpu] for block in port]) for port in self.broadcast.errors]
            m.submodules[f"vpu_{vpu}"] = unit = replicated(
                VectorProcessingUnit(VpuConfig(format=config.format)), name="vpu"
            )
            m.d.comb += [
                unit.operands.eq(self._capture(m, f"operands_{vpu}", take_word, choose(assignment.block, words))),
                unit.factors.eq(self._capture(m, f"factors_{vpu}", take_error, choose(assignment.error[2:], errors))),
                unit.weight.eq(weight),
                unit.own_factors.eq(control.gradient),
                unit.select.eq(control.select),
                unit.clear.eq(control.clear),
            ]
            for accumulator in range(ACCUMULATORS):
                load, shift = control.load[accumulator], control.shift[accumulator]
                link = Signal(width, name=f"link_{vpu}_{accumulator}", reset_less=True)
                lane = slice(accumulator * width, (accumulator + 1) * width)
                with m.If(load | shift):
                    m.d.sync += link.eq(Mux(load, unit.result, self.chain_in[vpu][lane]))
                m.d.comb += self.chain_out[vpu][lane].eq(link)
        return m

    def _capture(self, m, name, take, value):
        """The operands that were taken, from the end of their step on."""
        captured = Signal(value.shape(), name=f"captured_{name}", reset_less=True)
        used = Signal(value.shape(), name=f"used_{name}", reset_less=True)
        with m.If(take):
            m.d.sync += captured.eq(value)
        with m.If(self.control.exchange):
            m.d.sync += used.eq(captured)
        return used
