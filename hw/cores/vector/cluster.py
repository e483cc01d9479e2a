"""A cluster of vector processing units: what computes one task."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..replicated import replicated
from .matrix_config import ACCUMULATORS, SLOTS, ClusterConfig, VpuConfig
from .vpu import SELECT_TO_SUM, VectorProcessingUnit

__all__ = ["Cluster", "ClusterControl", "task_layout"]


def task_layout(config):
    """What a cluster does in a round.

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


# The same for all clusters of a core, each field registered where it comes from.
ClusterControl = data.StructLayout(
    {
        "valid": 1,  # the broadcast belongs to a step
        "slot": range(SLOTS),  # of the broadcast
        "exchange": 1,  # all words of a step have been captured: use them from the next cycle on
        "gradient": 1,  # of what is in use: multiply words by words
        "select": range(ACCUMULATORS),  # of what is in use
        "first": 1,  # SELECT_TO_FIRST cycles after the selection: first step of a round
        "load": ACCUMULATORS,  # of each accumulator: its result leaves the adder
        "shift": ACCUMULATORS,  # of each accumulator: results move on
    }
)


class Cluster(wiring.Component):
    """``K`` VPUs on one task: the products of one column and one block of 4 K vectors, or of one pair and one block.

    In the cycle of its slot the cluster captures its block of the operand word, and its weight; in the cycle of its
    error slot, its block of the error word. On ``exchange`` both go to the VPUs, which work on them in the next four
    cycles, while the next ones are captured.

    Results go from the adders into the drain chain: accumulator i in the cycle in which ``load[i]`` is 1, and on to the
    next cluster where ``shift[i]`` is. VPU v has lanes 4 v to 4 v + 3 of the block, in accumulators 0 to 3.

    Number format: see :class:`VectorProcessingUnit`.

    Latency: from ``exchange`` to the result of accumulator i of that step, ``latency + i`` cycles. A step takes four
    cycles. No back-pressure.

    Parameters
    ----------
    config : ClusterConfig

    Members
    -------
    task : In(task_layout(config))
        Stable while a step is broadcast.
    control : In(ClusterControl)
    words : In(4 * format.width).array(blocks, cluster_vpus)
        Operand word of the broadcast: for each block and VPU four vectors.
    errors : In(4 * format.width).array(error_ports, blocks, cluster_vpus)
        Error words; port p has slot 4 p + ``control.slot``.
    weights : In(format.width).array(weight_banks)
    chain_in : In(4 * format.width).array(cluster_vpus)
        Results of the cluster behind.
    chain_out : Out(4 * format.width).array(cluster_vpus)

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: ClusterConfig):
        self._config = config
        vpus, vector = config.cluster_vpus, config.vector_width
        super().__init__(
            {
                "task": In(task_layout(config)),
                "control": In(ClusterControl),
                "words": In(vector).array(config.blocks, vpus),
                "errors": In(vector).array(config.error_ports, config.blocks, vpus),
                "weights": In(config.format.width).array(config.weight_banks),
                "chain_in": In(vector).array(vpus),
                "chain_out": Out(vector).array(vpus),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from ``exchange`` to the first result."""
        return 1 + SELECT_TO_SUM

    def elaborate(self, platform):
        m = Module()
        config, control, task = self._config, self.control, self.task
        width, vector = config.format.width, config.vector_width

        take_word, take_error = Signal(), Signal()
        m.d.comb += [
            take_word.eq(control.valid & (control.slot == task.slot)),
            take_error.eq(control.valid & (control.slot == task.error[:2])),
        ]
        captured_weight, weight = Signal(width, reset_less=True), Signal(width, reset_less=True)
        with m.If(take_word):
            m.d.sync += captured_weight.eq(_choose(self.weights, task.weight))
        with m.If(control.exchange):
            m.d.sync += weight.eq(captured_weight)

        for vpu in range(config.cluster_vpus):
            captured_operands = Signal(vector, name=f"captured_operands_{vpu}", reset_less=True)
            captured_factors = Signal(vector, name=f"captured_factors_{vpu}", reset_less=True)
            operands = Signal(vector, name=f"operands_{vpu}", reset_less=True)
            factors = Signal(vector, name=f"factors_{vpu}", reset_less=True)
            with m.If(take_word):
                words = [self.words[block][vpu] for block in range(config.blocks)]
                m.d.sync += captured_operands.eq(_choose(words, task.block))
            with m.If(take_error):
                ports = [
                    _choose([self.errors[port][block][vpu] for block in range(config.blocks)], task.block)
                    for port in range(config.error_ports)
                ]
                m.d.sync += captured_factors.eq(_choose(ports, task.error[2:]))
            with m.If(control.exchange):
                m.d.sync += [operands.eq(captured_operands), factors.eq(captured_factors)]

            m.submodules[f"vpu_{vpu}"] = unit = replicated(
                VectorProcessingUnit(VpuConfig(format=config.format)), name="vpu"
            )
            m.d.comb += [
                unit.operands.eq(operands),
                unit.factors.eq(factors),
                unit.weight.eq(weight),
                unit.own_factors.eq(control.gradient),
                unit.select.eq(control.select),
                unit.first.eq(control.first),
            ]
            links = []
            for accumulator in range(ACCUMULATORS):
                link = Signal(width, name=f"link_{vpu}_{accumulator}", reset_less=True)
                behind = self.chain_in[vpu][accumulator * width : (accumulator + 1) * width]
                with m.If(control.load[accumulator] | control.shift[accumulator]):
                    m.d.sync += link.eq(Mux(control.load[accumulator], unit.result, behind))
                links.append(link)
            m.d.comb += self.chain_out[vpu].eq(Cat(links))
        return m


def _choose(values, index):
    """``values[index]``: a tree of multiplexers; the index has as many bits as it takes."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    top = half.bit_length() - 1
    return Mux(index[top], _choose(values[half:], index[:top]), _choose(values[:half], index[:top]))
