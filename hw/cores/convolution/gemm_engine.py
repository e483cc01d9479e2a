"""The GEMM engine: multiplies matrices on a systolic array, from buffers into accumulators."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..pipeline import delay
from .cycles import pipeline_cycles
from .gemm_config import GemmEngineConfig
from .layouts import command_layout, result_layout
from .operand_reader import OperandReader, input_ports, weight_ports
from .pass_generator import PassGenerator
from .pass_sequencer import PassSequencer
from .result_collector import ResultCollector
from .row_accumulator import sum_read, sum_write
from .systolic_array import SystolicArray

__all__ = ["GemmEngine"]


class GemmEngine(ConfiguredComponent):
    """Multiplies inputs (a x b) by weights (b x c), a command a product, in any of three dataflows.

    ::

        commands --> PassGenerator --> PassSequencer --> result (delayed) -------.
                                        | load | request                         v
        input buffer (2 halves) <--> OperandReader --> SystolicArray --> ResultCollector <--> accumulators
        kernel buffer (2 halves) <------'                                        '--> completions

    P1 and P2 are the array's rows and columns, L its ``chain``. Places, in rows after those of the command:

    ====================== ========= ====================================== ==============
    memory: element        dataflow  row                                    lane or word
    ====================== ========= ====================================== ==============
    inputs: (i, k)         any       ``floor(k / P1) * input_stride + i``   ``k mod P1``
    kernels: weight (k, j) NS        ``floor(j / P2) * b + k``              ``j mod P2``
    the same               WS, IS    ``floor(k / P1) * c + j``              ``k mod P1``
    accumulators: (i, j)   NS, WS    ``floor(j / P2) * a + i``              ``j mod P2``
    the same               IS        ``floor(i / P2) * c + j``              ``i mod P2``
    ====================== ========= ====================================== ==============

    Words of rows that these do not name are not used, and not written. Row n of the accumulators is in bank ``n mod
    drains`` at address ``n // drains``. A command with a dimension of 0 writes nothing, and takes the cycles of an NS
    product of a single step.

    Number format: integers. A pass's sum is exact; one that goes beyond ``sum_width`` bits in the accumulators is
    saturated, in the order of row blocks. With ``config.array.format``, floating point: every product and every sum is
    rounded to nearest even, in the order of k within a pass and of row blocks in the accumulators.

    Latency, throughput: :mod:`.cycles`, a step a cycle in passes of a (WS), b (NS) or c (IS) steps that follow each
    other without a gap, whatever the commands' dataflows are, except where :class:`.PassSequencer` says. Back-pressure:
    a command is taken when the last pass of the one before is under way; commands wait where ``completions`` does.

    Parameters
    ----------
    config : GemmEngineConfig

    Members
    -------
    commands : In(stream.Signature(command_layout(config)))
    completions : Out(stream.Signature(1))
        For each command, in order, when all its sums are written.
    busy : Out(1)
    errors : Out(data.StructLayout)
        ``bad_instruction``: a command of an unknown dataflow, for which nothing is done. ``address_out_of_range``: a
        row past the end of a buffer or of the accumulators, where nothing is written. ``overflow``: a sum was
        saturated, or is infinite or NaN.
    inputs : Out(TransposableReadPort(config.input_memory)).array(2)
    weights : Out(ReadPort(data.ArrayLayout(signed(weight_width), weights), weight_rows)).array(2)
    sum_reads : Out(sum_read(config)).array(drains)
    sum_writes : Out(sum_write(config)).array(drains)

    Source
    ------
    DYNAMAP, section 3.1.3, equation 3.2.
    """

    def __init__(self, config: GemmEngineConfig):
        drains = config.array.drains
        errors = data.StructLayout(dict.fromkeys(("bad_instruction", "address_out_of_range", "overflow"), 1))
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(errors),
                "inputs": input_ports(config),
                "weights": weight_ports(config),
                "sum_reads": Out(sum_read(config)).array(drains),
                "sum_writes": Out(sum_write(config)).array(drains),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.generator = generator = PassGenerator(config)
        m.submodules.sequencer = sequencer = PassSequencer(config)
        m.submodules.reader = reader = OperandReader(config)
        m.submodules.array = array = SystolicArray(config.array)
        m.submodules.collector = collector = ResultCollector(config)
        self._count_commands(m, generator, collector)
        wiring.connect(m, generator.passes, sequencer.passes)
        for name in ("inputs", "weights"):
            forward_port(m, reader, self, name)
        for name in ("sum_reads", "sum_writes"):
            forward_port(m, collector, self, name)
        m.d.comb += [
            reader.request.eq(sequencer.request),
            reader.load.eq(sequencer.load),
            array.load.eq(reader.loads),
            *(getattr(array, name).eq(getattr(reader, name)) for name in ("step", "west", "north", "preload")),
            collector.sums.eq(array.sums),
            *(mine.eq(given) for mine, given in zip(collector.drained, array.drained, strict=True)),
            self.errors.bad_instruction.eq(generator.unknown & generator.commands.valid & generator.commands.ready),
            self.errors.address_out_of_range.eq(reader.out_of_range | collector.out_of_range),
            self.errors.overflow.eq(collector.overflow),
        ]
        request, result = sequencer.request, Signal(result_layout(config))
        m.d.comb += [
            result.valid.eq(request.valid & (request.stationary | request.last)),
            result.drains.eq(~request.stationary),
            *(result[name].eq(request[name]) for name in ("count", "lanes", "sum_row", "clear", "final")),
        ]
        latency = reader.latency + array.latency
        m.d.comb += [
            collector.result.eq(delay(m, result, latency, "result")),
            collector.result.valid.eq(delay(m, result.valid, latency, "valid", reset_less=False)),
        ]
        return m

    def _count_commands(self, m, generator, collector):
        """Commands under way, and those of them that are complete; more than a pipeline full of them are never here."""
        most = (1 << pipeline_cycles(self._config).bit_length()) - 1
        here, complete = (Signal(range(most + 1), name=name) for name in ("here", "complete"))
        begins, ends, leaves = (Signal(name=name) for name in ("begins", "ends", "leaves"))
        m.d.comb += [
            generator.commands.payload.eq(self.commands.payload),
            generator.commands.valid.eq(self.commands.valid & (here != most)),
            self.commands.ready.eq(generator.commands.ready & (here != most)),
            begins.eq(self.commands.valid & self.commands.ready),
            ends.eq(collector.complete),
            self.completions.valid.eq(complete != 0),
            leaves.eq(self.completions.valid & self.completions.ready),
            self.busy.eq(self.commands.valid | (here != complete)),
        ]
        m.d.sync += [here.eq(here + begins - leaves), complete.eq(complete + ends - leaves)]
