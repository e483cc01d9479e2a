"""A core of LearningGroup: matrix engine, elementwise unit, softmax unit, parameters and their update, memories."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.forwarding import forward_port
from ...cores.memory.arbiter import ReadArbiter
from ...cores.memory.config import ArbiterConfig, SharedMemoryConfig
from ...cores.memory.host_map import HostPort
from ...cores.memory.ports import ReadPort, WritePort
from ...cores.memory.shared import SharedMemory, connect_rows
from ...cores.sparse_update.core_parameters import CoreParameters
from ...cores.vector.elementwise_layouts import elementwise_command
from ...cores.vector.elementwise_unit import ElementwiseUnit
from ...cores.vector.matrix_core import MatrixCore
from ...cores.vector.matrix_layouts import command_layout
from ...cores.vector.softmax_layouts import softmax_command
from ...cores.vector.softmax_unit import SoftmaxUnit
from .hardware import LearningGroupHardware

__all__ = ["CORE_REGIONS", "LearningGroupCore"]

ENGINES = ("matrix", "elementwise", "softmax")
STATES = ("state_0", "state_1", "state_2")
# Memories of a core that the host sees. The activations are not there: a row of them goes to all cores.
CORE_REGIONS = (*STATES, "result", "choice", "scalar", "parameter", "parameter_square", "gradient")
# Ports of parts that are the core's.
OF_MATRIX = ("read_tables", "read_row_list", "read_column_list", "write_weights", "write_activations")
OF_PARAMETERS = ("words", "parameters", "rates")


class LearningGroupCore(ConfiguredComponent):
    """One of the device's equal cores.

    ::

                       ┌──────────────────────── host ───────────────────────┐
        activations ─> MatrixCore ─> results ─> ElementwiseUnit <─> states ──┤
                        ▲   │  errors <──────────────┤ │  ▲                  │
                        │   ▼                        ▼ │  └─ aggregates      │
                 weights  gradients          activation│     scalars <───────┤
                            │                          ▼        ▲            │
                            │                   SoftmaxUnit     │            │
                            └────────────────────────> CoreParameters <──────┘

    Latency, throughput and back-pressure: those of its engines. Memories have one read and one write port, for an
    engine, or several, and the host: the program keeps them apart, ``memory_conflict`` says that it did not. The host
    waits while a pass uses the states or the choices.

    Parameters
    ----------
    config : LearningGroupHardware

    Members
    -------
    matrix, elementwise, softmax : In(stream.Signature(command))
        Commands of the engines; ``<engine>_done`` completions, ``<engine>_busy``.
    biases, words, biases_done, parameters, rates
        ``commands``, ``words``, ``done``, ``parameters`` and ``rates`` of :class:`.CoreParameters`.
    read_weights, read_gradients : In(ReadPort).array(weight_banks)
        The banks, for the sums of :class:`.UpdateEngine`.
    errors : Out
        ``address_out_of_range``, ``memory_conflict``, ``nonfinite``.
    read_tables, read_row_list, read_column_list : Out(ReadPort)
        Ports of the sparse data engine.
    write_weights : In(WritePort).array(weight_banks)
        From the sparse data engine.
    write_activations : In(WritePort).array(cores)
        Activations of all cores.
    activation : Out(WritePort)
        Activations of this core.
    aggregate, copies : In(WritePort)
        Sums over the cores, with an enable for each block; words copied from a core.
    read_results : In(ReadPort)
        For the aggregator.
    host : In, a ``HostPort`` for each of ``CORE_REGIONS``
    seed, load_seed : In
        State for the generator of the softmax unit.
    random_state : Out(64)
        The generator's state before the next number.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: LearningGroupHardware):
        matrix = self._matrix = MatrixCore(config.matrix)
        self._elementwise, self._softmax = ElementwiseUnit(config.elementwise), SoftmaxUnit(config.softmax)
        parameters = self._parameters = CoreParameters(config.parameters)
        blocks, host = config.device.blocks, config.host_map
        word = blocks * config.block_bits
        errors = ("address_out_of_range", "memory_conflict", "nonfinite")
        super().__init__(
            config,
            {
                "matrix": In(stream.Signature(command_layout(config.matrix))),
                "elementwise": In(stream.Signature(elementwise_command(config.elementwise))),
                "softmax": In(stream.Signature(softmax_command(config.softmax))),
                **{f"{name}_done": Out(1) for name in ENGINES},
                **{f"{name}_busy": Out(1) for name in ENGINES},
                "errors": Out(data.StructLayout(dict.fromkeys(errors, 1))),
                "activation": self._elementwise.signature.members["write_activation"],
                "aggregate": In(WritePort(word, config.aggregate_rows, blocks)),
                "copies": In(WritePort(word, config.aggregate_rows)),
                "read_results": In(ReadPort(word, config.result_rows)),
                "host": In(wiring.Signature({name: Out(HostPort(host.region(name))) for name in CORE_REGIONS})),
                "seed": In(64),
                "load_seed": In(1),
                "random_state": Out(64),
                "biases": parameters.signature.members["commands"],
                "biases_done": parameters.signature.members["done"],
                **{name: parameters.signature.members[name] for name in OF_PARAMETERS},
                **{name: matrix.signature.members[name] for name in (*OF_MATRIX, "read_weights", "read_gradients")},
            },
        )

    def elaborate(self, platform):
        m = Module()
        matrix, unit, softmax, parameters = self._matrix, self._elementwise, self._softmax, self._parameters
        m.submodules.parameters = parameters
        for name, engine in zip(ENGINES, (matrix, unit, softmax), strict=True):
            m.submodules[f"{name}_engine"] = engine
            wiring.connect(m, wiring.flipped(getattr(self, name)), engine.commands)
            m.d.comb += [
                engine.completions.ready.eq(1),
                getattr(self, f"{name}_done").eq(engine.completions.valid),
                getattr(self, f"{name}_busy").eq(engine.busy),
            ]
        for part, names in ((matrix, (*OF_MATRIX, "read_weights")), (parameters, OF_PARAMETERS)):
            for name in names:
                forward_port(m, part, self, name)
        wiring.connect(m, wiring.flipped(self.biases), parameters.commands)
        wiring.connect(m, unit.write_error, matrix.write_errors)
        wiring.connect(m, unit.write_activation, wiring.flipped(self.activation))
        wiring.connect(m, unit.write_logit, softmax.write_logits)
        m.d.comb += [
            self.biases_done.eq(parameters.done),
            softmax.seed.eq(self.seed),
            softmax.load.eq(self.load_seed),
            self.random_state.eq(softmax.state),
        ]
        self._states(m)
        self._parameter_memories(m)
        conflicts = [self._results(m), self._gradients(m), self._scalars(m), self._aggregates(m)]
        self._choices(m)
        m.d.sync += [
            self.errors.address_out_of_range.eq(
                matrix.errors.address_out_of_range | parameters.errors.address_out_of_range
            ),
            self.errors.memory_conflict.eq(
                Cat(conflicts).any()
                | unit.errors.memory_conflict
                | parameters.errors.memory_conflict
                | matrix.memory_conflict
            ),
            self.errors.nonfinite.eq(
                matrix.nonfinite | unit.errors.nonfinite | softmax.errors.nonfinite | parameters.errors.nonfinite
            ),
        ]
        return m

    def _states(self, m):
        """The state memories, for passes and, while these do without, for the host."""
        config, blocks = self.config, self.config.device.blocks
        size = SharedMemoryConfig(depth=config.state_rows, readers=2, writers=2, lanes=blocks)
        for name, read, write in zip(
            STATES, self._elementwise.read_states, self._elementwise.write_states, strict=True
        ):
            m.submodules[name] = memory = SharedMemory(blocks * config.block_bits, size)
            host = getattr(self.host, name)
            wiring.connect(m, read, memory.reads[0])
            wiring.connect(m, write, memory.writes[0])
            wiring.connect(m, wiring.flipped(host.read), memory.reads[1])
            wiring.connect(m, wiring.flipped(host.write), memory.writes[1])
            m.d.comb += [
                host.read_granted.eq(memory.read_granted[1]),
                host.write_granted.eq(memory.write_granted[1]),
            ]

    def _choices(self, m):
        """Probabilities and choices, for passes and, while these do without, for the host."""
        softmax, host = self._softmax, self.host.choice
        port = softmax.read_choices.signature
        m.submodules.choices = arbiter = ReadArbiter(port.shape, ArbiterConfig(depth=port.depth, users=2))
        wiring.connect(m, self._elementwise.read_choice, arbiter.users[0])
        wiring.connect(m, wiring.flipped(host.read), arbiter.users[1])
        wiring.connect(m, arbiter.port, softmax.read_choices)
        m.d.comb += host.read_granted.eq(arbiter.granted[1])

    def _parameter_memories(self, m):
        """Weights and mean squares for the host, which the program keeps away from the update."""
        parameters = self._parameters
        for host, read, write in (
            (self.host.parameter, parameters.read_weights, parameters.write_weights),
            (self.host.parameter_square, parameters.read_squares, parameters.write_squares),
        ):
            wiring.connect(m, wiring.flipped(host.read), read)
            wiring.connect(m, wiring.flipped(host.write), write)

    def _results(self, m):
        """The halves of the results, each for passes or, whole, for the aggregator or the host; whether two met."""
        port, halves = self.read_results.signature, self._matrix.read_results
        m.submodules.whole_results = whole = ReadArbiter(port.shape, ArbiterConfig(depth=port.depth, users=2))
        wiring.connect(m, wiring.flipped(self.read_results), whole.users[0])
        wiring.connect(m, wiring.flipped(self.host.result.read), whole.users[1])
        half = Signal()
        with m.If(whole.port.enable):
            m.d.sync += half.eq(whole.port.address[-1])
        m.d.comb += whole.port.data.eq(Mux(half, *(part.data.as_value() for part in reversed(halves))))
        conflicts = [whole.conflict]
        for number, (part, read) in enumerate(zip(halves, self._elementwise.read_results, strict=True)):
            size = ArbiterConfig(depth=part.signature.depth, users=2)
            m.submodules[f"results_{number}"] = arbiter = ReadArbiter(port.shape, size)
            m.d.comb += [
                arbiter.users[0].enable.eq(whole.port.enable & (whole.port.address[-1] == number)),
                arbiter.users[0].address.eq(whole.port.address[:-1]),
            ]
            wiring.connect(m, read, arbiter.users[1])
            wiring.connect(m, arbiter.port, part)
            conflicts.append(arbiter.conflict)
        return Cat(conflicts).any()

    def _gradients(self, m):
        """The gradients' banks, for the host, the sums of the grouping or the update; whether two met."""
        host = self.host.gradient.read
        rows, conflicts = [], []
        for bank, port in enumerate(self._matrix.read_gradients):
            size = ArbiterConfig(depth=port.signature.depth, users=3)
            m.submodules[f"gradients_{bank}"] = arbiter = ReadArbiter(port.signature.shape, size)
            to_host, to_sums, to_update = arbiter.users
            m.d.comb += [to_host.enable.eq(host.enable), to_host.address.eq(host.address)]
            wiring.connect(m, wiring.flipped(self.read_gradients[bank]), to_sums)
            wiring.connect(m, self._parameters.gradients[bank], to_update)
            wiring.connect(m, arbiter.port, port)
            rows.append(to_host.data)
            conflicts.append(arbiter.conflict)
        m.d.comb += host.data.eq(Cat(rows))
        return Cat(conflicts).any()

    def _scalars(self, m):
        """Biases and other numbers of the elementwise unit, from the host and from the update; whether both wrote."""
        read = self._elementwise.read_scalar.signature
        m.submodules.scalars = scalars = SharedMemory(read.shape, SharedMemoryConfig(depth=read.depth, writers=2))
        wiring.connect(m, self._elementwise.read_scalar, scalars.reads[0])
        wiring.connect(m, wiring.flipped(self.host.scalar.write), scalars.writes[0])
        wiring.connect(m, self._parameters.scalars, scalars.writes[1])
        return scalars.conflict

    def _aggregates(self, m):
        """Sums over the cores, and what a core gave to all; whether both were written."""
        read, size = self._elementwise.read_aggregate, self.config.device.blocks
        m.submodules.aggregates = aggregates = SharedMemory(
            read.signature.shape, SharedMemoryConfig(depth=read.signature.depth, writers=2, lanes=size)
        )
        wiring.connect(m, read, aggregates.reads[0])
        wiring.connect(m, wiring.flipped(self.aggregate), aggregates.writes[0])
        connect_rows(m, self.copies, aggregates.writes[1])
        return aggregates.conflict
