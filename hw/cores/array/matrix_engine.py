"""The array matrix engine: array cores, their memories and accumulators, under one controller."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from ..memory.transposable import TransposableReadPort, TransposableWritePort
from ..pipeline import delay
from ..quantization.ports import LookupPort, MonitorPort
from .array_datapath import ArrayDatapath
from .config import WORD_WIDTH
from .core_memories import READ_LATENCY, REQUEST_LATENCY, CoreMemories, RowReadPort
from .drain_sequencer import DrainSequencer
from .engine_config import ArrayEngineConfig
from .layouts import insertion_layout, matrix_command
from .result_path import RESULT_LOOKUPS, ResultPath
from .tile_sequencer import TileSequencer

__all__ = ["LOOKUPS", "ArrayMatrixEngine"]

# Range slots looked up at once: those of the results, and the streamed tensor's.
LOOKUPS = RESULT_LOOKUPS + 1
STREAM_LOOKUP = RESULT_LOOKUPS


class ArrayMatrixEngine(ConfiguredComponent):
    """Executes matrix commands: forward, backward and gradient products of a whole layer and chunk.

    ::

        commands --> TileSequencer --+-- blocks --> DrainSequencer --.
                        |            |                               | drained
             stationary |            | streamed                      v
                        v            v                  .-----> CoreMemories <----- results ----.
        weights --> words --> ArrayDatapath <-- words --'                                       |
                                     '--- drains --> ResultPath (write-back) -------------------+
        insertions ---------------------------------------^    '--> gradient memory, monitor

    docs/fixar.md has dataflows, layouts and number formats. One controller (tile and drain sequencers) drives ``N``
    array cores in lockstep; each has its activation and error memory and its accumulators.

    Latency: a dependent command waits for its predecessor's drain, ``rows + fill_latency + write_latency`` cycles.
    Throughput: a tile every ``max(L, streamed rows)`` cycles. Back-pressure: a command waits until all tiles of the one
    before are loaded or being loaded; ``completions`` does not wait.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    commands : In(stream.Signature(matrix_command))
    completions : Out(stream.Signature(1))
    busy : Out(1)
    errors : Out(data.StructLayout)
        ``address_out_of_range``: a row past the end of an activation, error or weight memory; ``overflow``: a result
        was clamped.
    weights : Out(ReadPort(data.ArrayLayout(32, lanes), weight_rows)).array(weight_banks)
    gradient_read : Out(TransposableReadPort(config.gradients))
    gradient_write : Out(TransposableWritePort(config.gradients))
    insertions : In(stream.Signature(insertion_layout(config)))
        Rows to write into activation and error memories, taken when no results are written.
    activation_rows, error_rows : In(RowReadPort(config)).array(cores)
        Rows of these memories to read from outside, taken when the memory is free.
    lookups : Out(LookupPort(slots)).array(LOOKUPS)
    monitor : Out(MonitorPort(slots, cores, lanes))
        Results to record.
    result_saturations, code_saturations, gradient_saturations : out
        Values clamped in this cycle.

    Source
    ------
    FIXAR (Yang, Hong, Kim, DAC 2021), sections III and V.
    """

    def __init__(self, config: ArrayEngineConfig):
        self._datapath = ArrayDatapath(config)
        self._results = ResultPath(config)
        words = data.ArrayLayout(WORD_WIDTH, config.lanes)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(matrix_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"overflow": 1, "address_out_of_range": 1})),
                "weights": Out(ReadPort(words, config.weight_rows)).array(config.weight_banks),
                "gradient_read": Out(TransposableReadPort(config.gradients)),
                "gradient_write": Out(TransposableWritePort(config.gradients)),
                "insertions": In(stream.Signature(insertion_layout(config))),
                "activation_rows": In(RowReadPort(config)).array(config.cores),
                "error_rows": In(RowReadPort(config)).array(config.cores),
                "lookups": Out(LookupPort(config.slots)).array(LOOKUPS),
                "monitor": Out(MonitorPort(config.slots, config.cores, config.lanes)),
                "result_saturations": Out(range(2 * config.cores * config.lanes + 1)),
                "code_saturations": Out(range(config.cores * config.lanes + 1)),
                "gradient_saturations": Out(range(2 * config.lanes + 1)),
            },
        )

    @property
    def fill_latency(self):
        """Cycles from the last streamed vector of a block until its sums can be read."""
        return READ_LATENCY + self._datapath.latency

    @property
    def write_latency(self):
        """Cycles from a drained row until its result is in memory; a gradient is there sooner."""
        return REQUEST_LATENCY + self._results.latency

    @property
    def insertion_latency(self):
        """Cycles from an accepted insertion until it is in memory."""
        return self._results.insertion_latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.tiles = tiles = TileSequencer(self._config)
        m.submodules.drain = drain = DrainSequencer(
            self._config, fill_latency=self.fill_latency, write_latency=self.write_latency
        )
        m.submodules.memories = memories = CoreMemories(self._config)
        m.submodules.datapath = datapath = self._datapath
        m.submodules.results = results = self._results
        assert self._config.interval <= self.fill_latency  # an insertion is over before a block can be drained

        connect(m, flipped(self.commands), tiles.commands)
        m.d.comb += [
            drain.block_valid.eq(tiles.block_valid),
            drain.block.eq(tiles.block),
            drain.block_filled.eq(tiles.block_filled),
            tiles.buffer_busy.eq(drain.buffer_busy),
            tiles.auxiliary_busy.eq(drain.auxiliary_busy),
            tiles.drained.eq(drain.idle),
            self.completions.valid.eq(drain.completed),
            self.busy.eq(~tiles.idle | ~drain.idle | self.commands.valid),
        ]
        self._connect_memories(m, tiles, drain, memories)
        self._connect_datapath(m, tiles, drain, memories, datapath)
        self._connect_results(m, drain, memories, datapath, results)
        return m

    def _connect_memories(self, m, tiles, drain, memories):
        """Requests of this cycle to the activation and error memories."""
        m.d.comb += [
            memories.stationary.eq(tiles.stationary),
            memories.streamed.eq(tiles.streamed),
            memories.drained.eq(drain.drained),
        ]
        for core in range(self._config.cores):
            connect(m, flipped(self.activation_rows[core]), memories.activation_rows[core])
            connect(m, flipped(self.error_rows[core]), memories.error_rows[core])

    def _connect_datapath(self, m, tiles, drain, memories, datapath):
        """Words that were read, weights among them, enter the arrays."""
        stationary = delay(m, tiles.stationary, REQUEST_LATENCY, "stationary_request")
        streamed = delay(m, tiles.streamed, REQUEST_LATENCY, "streamed_request")
        behind = Signal()
        wanted = Signal()
        m.d.comb += [
            wanted.eq(stationary.valid & ~stationary.errors),
            behind.eq(wanted & (stationary.row >= self._config.weight_rows)),
        ]
        m.d.sync += self.errors.address_out_of_range.eq(memories.out_of_range | behind)
        for bank, port in enumerate(self.weights):
            m.d.comb += [port.enable.eq(wanted & (stationary.bank == bank)), port.address.eq(stationary.row)]
        row = Signal(self.weights[0].data.shape(), reset_less=True)
        with m.Switch(delay(m, stationary.bank, 1, "bank")):
            for bank, port in enumerate(self.weights):
                with m.Case(bank):
                    m.d.sync += row.eq(port.data)
        lookup = self.lookups[STREAM_LOOKUP]
        commit_latency = REQUEST_LATENCY + READ_LATENCY + 1
        m.d.comb += [
            datapath.stationary.eq(delay(m, stationary, READ_LATENCY, "stationary")),
            datapath.streamed.eq(delay(m, streamed, READ_LATENCY, "streamed")),
            datapath.weight_words.eq(row),
            datapath.activation_words.eq(memories.activation_words),
            datapath.error_words.eq(memories.error_words),
            lookup.slot.eq(delay(m, streamed.slot, READ_LATENCY - 1, "slot")),
            datapath.zero_point.eq(lookup.parameters.zero_point),
            datapath.commit_bias.eq(delay(m, tiles.commit_bias, commit_latency, "commit")),
            datapath.commit_buffer.eq(delay(m, tiles.commit_buffer, commit_latency, "commit_buffer")),
        ]

    def _connect_results(self, m, drain, memories, datapath, results):
        """Drained sums meet their auxiliary words; results enter the memories; counts and ranges go outside."""
        for core in range(self._config.cores):
            connect(m, results.drains[core], datapath.drains[core])
        connect(m, results.results, memories.results)
        connect(m, flipped(self.insertions), results.insertions)
        for name in ("gradient_read", "gradient_write", "monitor"):
            connect(m, getattr(results, name), flipped(getattr(self, name)))
        for lookup, outside in zip(results.lookups, self.lookups, strict=False):
            connect(m, lookup, flipped(outside))
        m.d.comb += [
            results.drained.eq(delay(m, drain.drained, REQUEST_LATENCY, "drained_request")),
            results.drain_waits.eq(drain.buffer_busy.any()),
            results.activation_words.eq(memories.activation_words),
            results.error_words.eq(memories.error_words),
            results.auxiliary_errors.eq(memories.auxiliary_errors),
            *(biases.eq(given) for biases, given in zip(results.biases, datapath.biases, strict=True)),
            self.result_saturations.eq(results.result_saturations),
            self.code_saturations.eq(results.code_saturations),
            self.gradient_saturations.eq(results.gradient_saturations),
        ]
        m.d.sync += self.errors.overflow.eq(results.result_saturations != 0)
