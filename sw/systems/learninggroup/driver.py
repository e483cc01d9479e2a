"""Driver of LearningGroup: iterations on a device, with the interface of the reference."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.optimizer.rms_prop_config import RATES
from ....hw.soc.learninggroup.config import Network, Rates
from ....hw.soc.learninggroup.hardware import LearningGroupHardware
from ....hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from ...device.device import Device, RunReport
from ...device.errors import DeviceError
from ...device.program import Program
from ...reference.arrays import IntegerArray, RealArray, ValueArray
from ...reference.learninggroup.grouping import Grouping, maximum_index
from ...reference.learninggroup.layout import Layout
from ...reference.learninggroup.state import SAMPLED_HEADS, check_state, generator_count
from .program.iteration import Compiler
from .state import DTYPES, StateLayout, StatePart, pad, rounded_to
from .vectors import pack_vectors, unpack_vectors

__all__ = ["LearningGroupDevice"]

# Beats of the streams, by the keys that a program gives its packets.
Rows = NDArray[np.uint32]
Packets = dict[Any, Rows]
# The same of what comes back, as words of 16 bits.
Received = dict[Any, NDArray[np.uint16]]

CYCLE_LIMIT = 5_000_000
# The largest finite number of binary16.
LARGEST = 65504.0


class LearningGroupDevice:
    """A LearningGroup device and the state it holds.

    Parameters
    ----------
    device : Device
        Opened for ``hardware``.
    hardware : LearningGroupHardware
    network : Network
    rates : Rates
    episodes, steps : int
        Episodes and steps of an iteration.

    Members
    -------
    report : RunReport or None
        Report of the last program.
    reports : list of RunReport
        Reports of the programs of the iteration under way, or of the last one.

    Raises
    ------
    ValueError
        The network does not fit: what is needed and what there is. Rates that the device does not have.
    """

    def __init__(
        self, device: Device, hardware: LearningGroupHardware, network: Network, rates: Rates, *,
        episodes: int, steps: int,
    ):  # fmt: skip
        network.check(hardware.device)
        if rates.grouping_gradient != "unmasked":
            raise ValueError(f"Grouping gradient of a device must be unmasked, not {rates.grouping_gradient}")
        self.device, self.hardware, self.network, self.rates = device, hardware, network, rates
        self.layout = Layout(hardware.device, network.agents, episodes)
        self.steps = steps
        self.compiler = Compiler(
            hardware, network, batches=self.layout.batches, blocks=self.layout.blocks,
            lanes_of_agent=self.layout.spread, steps=steps,
        )  # fmt: skip
        self.report: RunReport | None = None
        self.reports: list[RunReport] = []
        self._workloads: list[int] | None = None
        self._nonfinite: list[str] = []
        self.step_number = steps
        self._state = StateLayout(network, self.compiler.map)
        self._numbers = DTYPES[hardware.device.optimizer_format]
        self._programs: dict[Hashable, list[Program]] = {}

    # The jobs.

    def load(self, state: Mapping[str, np.ndarray]) -> None:
        """Takes a state as :meth:`save` or the reference's gives it, or other numbers, rounded."""
        check_state(state, self.network, self.hardware.device.cores)
        where, rates = self.compiler.map, self.rates
        program = Program("load", self.hardware)
        packets: Packets = {}

        def send(key: Hashable, rows: Rows, **fields: int) -> None:
            program.load(key, len(rows), wait=("transfer",), **fields)
            packets[key] = rows

        for part in self._state.parts:
            words = self._state.words(part, state[part.name])
            send(part, self._beats(words, self._numbers), memory=part.memory, core=part.core, base=part.base)
        for name, base in where.biases.items():
            # The elementwise units also have them.
            for core, own in self._state.columns_of(f"bias/{name}", state[f"bias/{name}"]).items():
                rows = self._beats(rounded_to(self._numbers, own.T))
                send((name, core), rows, memory=Memory.SCALAR, core=core, base=base)
        share = 1 / (self.network.agents - 1) if self.network.agents > 1 else 0
        for number, base in ((share, where.share), (2 * rates.value_coefficient, where.value_factor)):
            send(("scalar", base), self._beats([[number]]), memory=Memory.SCALAR, core=EVERY_CORE, base=base)
        blocks = self.hardware.device.blocks
        present = self._rows(self.layout.present[np.newaxis].astype(float))
        send("present", present, memory=Memory.STATE_2, core=EVERY_CORE, base=where.present * blocks)
        # Hidden state and cell before the first step, which no program writes.
        zeros = self._beats(np.zeros((where.units * blocks, 1)))
        for batch in range(self.layout.batches):
            frame = where.frame(0, batch)
            activations = (frame * where.activation_frame + where.h) * blocks
            for core in range(self.hardware.device.cores):
                send(("h", batch, core), zeros, memory=Memory.ACTIVATION, core=core, base=activations)
            for memory, place in ((Memory.STATE_0, where.in_state_0["h"]), (Memory.STATE_2, where.in_state_2["c"])):
                base = (frame * where.state_frame + place) * blocks
                send((memory, batch), zeros, memory=memory, core=EVERY_CORE, base=base)
        # Sums of units that a core has less than the others are never written, and must not bring anything back.
        zero = where.frame(0, 0) * where.state_frame + where.in_state_0["h"]
        for target in range(0, self.layout.batches * where.aggregates, where.units):
            count = min(where.units, self.layout.batches * where.aggregates - target)
            program.emit(
                "copy", wait=("transfer",), memory=Memory.STATE_0, core=0, base=zero, target=target, words=count
            )
        self.compiler.group_biases(program)
        self._run(program.finish(), packets)
        self._write_generators(np.asarray(state["random"]).tolist())
        values = rates.alpha, 1 - rates.alpha, rates.learning_rate, rates.epsilon
        for name, value in zip(RATES, values, strict=True):
            self.device.write_register(name, int.from_bytes(np.asarray(self._numbers(value)).tobytes(), "little"))
        self.step_number, self._nonfinite = self.steps, []

    def save(self) -> dict[str, np.ndarray]:
        """The state as the reference's ``save`` gives it: numbers, exactly, and generators."""
        return self._read(self._state.parts) | {"random": np.array(self._read_generators(), np.uint64)}

    def _read_generators(self) -> list[int]:
        """State of each generator."""
        numbers = []
        for core in range(generator_count(self.hardware.device.cores)):
            self.device.write_register("random_core", core)
            low, high = self.device.read_register("random_low"), self.device.read_register("random_high")
            numbers.append(high << 32 | low)
        return numbers

    def _write_generators(self, numbers: Iterable[int]) -> None:
        for core, number in enumerate(numbers):
            self.device.write_register("seed_low", number & 0xFFFF_FFFF)
            self.device.write_register("seed_high", number >> 32)
            self.device.write_register("load_seed", 1 << core)

    def _read(self, parts: Iterable[StatePart]) -> dict[str, np.ndarray]:
        """Arrays of the state whose parts these are, by name."""
        program = Program("read", self.hardware)
        for part in parts:
            core = 0 if part.core == EVERY_CORE else part.core
            program.store(part, part.count, wait=("transfer",), memory=part.memory, core=core, base=part.base)
        words: dict[str, dict[int, ValueArray]] = {}
        for part, rows in self._run(program.finish(), {}).items():
            numbers = rows.view(self._numbers)[:, : self.hardware.weight_banks]
            words.setdefault(part.name, {})[part.owner] = numbers.astype(np.float32)
        return {name: self._state.array(name, found) for name, found in words.items()}

    def workloads(self) -> list[int]:
        """Unmasked weights of all layers in this iteration, for each core."""
        if self._workloads is None:
            parts = [part for part in self._state.parts if part.memory == Memory.GROUPING]
            matrices, network, cores = self._read(parts), self.network, self.hardware.device.cores
            total = np.zeros(cores, np.int64)
            for name, layer in network.layers.items():
                rows = maximum_index(matrices[f"input_grouping/{name}"])
                columns = maximum_index(matrices[f"output_grouping/{name}"].T)
                total += Grouping(layer, rows, columns, network.groups, cores, network.hidden_size).workloads()
            self._workloads = total.tolist()
        return list(self._workloads)

    def nonfinite_layers(self) -> list[str]:
        """Names of the layers that had an infinity or a NaN when a program met one, since the state was loaded."""
        return list(self._nonfinite)

    def close(self) -> None:
        """Gives the device back."""
        self.device.close()

    def start(self) -> None:
        """Begins an iteration: weight grouping, and episodes without a past."""
        present = self.layout.present.astype(float)
        packets: Packets = {
            ("spoke", batch): self._rows(present[np.newaxis, batch]) for batch in range(self.layout.batches)
        }
        self.reports, self._workloads = [], None
        self._drawn_from = self._read_generators()
        self._job("start", lambda: [self.compiler.start()], packets)
        self.step_number = 0

    def rewind(self) -> None:
        """Takes back the iteration under way: the state is that before :meth:`start`."""
        self._write_generators(self._drawn_from)
        self.step_number = self.steps

    def step(self, observations: ArrayLike) -> tuple[IntegerArray, IntegerArray, RealArray]:
        """One time step: movements, gate actions (int), values (float64), each (episodes, agents).

        Raises
        ------
        ValueError
            Observations of another shape, NaN, infinite or beyond binary16; nothing was sent.
        DeviceError
            An infinity or a NaN came up on the device; in which layers.
        """
        if self.step_number >= self.steps:
            raise RuntimeError(f"An iteration has {self.steps} steps, and begins with start")
        where, step = self.compiler.map, self.step_number
        shape = self.layout.episodes, self.network.agents, self.network.observation_size
        words = pack_vectors(self.layout, self._checked("Observations", observations, shape))
        packets: Packets = {}
        for batch in range(self.layout.batches):
            for core in range(self.hardware.device.cores):
                own = words[core * where.inputs : (core + 1) * where.inputs, batch : batch + 1]
                own = pad(own, 0, where.inputs, at_least=where.inputs)
                packets["observation", batch, core] = self._rows(own)
        rows = self._job(step, lambda: [self.compiler.step(step)], packets)
        self.step_number += 1
        found = {
            name: self._words([rows[name, batch] for batch in range(self.layout.batches)])
            for name in (*SAMPLED_HEADS, "value")
        }
        movements, gates = (unpack_vectors(self.layout, found[head].argmax(axis=0)) for head in SAMPLED_HEADS)
        return movements, gates, unpack_vectors(self.layout, found["value"]).astype(np.float64)

    def train(self, returns: ArrayLike, scales: ArrayLike) -> None:
        """Ends an iteration: backward through time, gradients, update.

        Parameters and errors are those of :meth:`backward`.
        """
        steps = self.step_number
        self.workloads()  # While the matrices that this iteration was grouped by are there.
        self.backward(returns, scales)
        self._job(("learn", steps), lambda: [self.compiler.learn(steps)], {})
        self.step_number = self.steps

    def backward(self, returns: ArrayLike, scales: ArrayLike) -> None:
        """Backward through time: the errors of all layers, which stay on the device.

        Parameters
        ----------
        returns, scales : array (steps, episodes, agents)
            As the reference has them.

        Raises
        ------
        ValueError
            The shape is another, or a value is NaN, infinite or beyond binary16; nothing was sent.
        DeviceError
            An infinity or a NaN came up on the device; in which layers.
        """
        packets: Packets = {}
        shape = self.step_number, self.layout.episodes, self.network.agents
        for name, values in (("return", returns), ("scale", scales)):
            checked = self._checked(f"{name.capitalize()}s", values, shape)
            words = [pack_vectors(self.layout, part[..., np.newaxis]) for part in checked]
            packets[name] = self._rows(np.concatenate(words).reshape(-1, 1, self.layout.word))
        steps = self.step_number
        self._job(("backward", steps), lambda: self.compiler.backward(steps), packets)

    def compressed_gradients(self) -> list[IntegerArray]:
        """Bit patterns of each core's gradient memory, an array (``weight_banks``, rows): as weights are compressed."""
        rows, found = self.hardware.weight_rows, []
        for core in range(self.hardware.device.cores):
            program = Program("gradients", self.hardware)
            program.store("gradients", rows, memory=Memory.GRADIENT, core=core, base=0)
            words = self._run(program.finish(), {})["gradients"]
            found.append(words[:, : self.hardware.weight_banks].T.astype(np.int64))
        return found

    # Rows of the streams.

    def _beats(self, numbers: ArrayLike, dtype: type[np.floating] = np.float16) -> Rows:
        """Rows of numbers, rounded, to beats of the stream with zeros after them."""
        rounded = rounded_to(dtype, numbers)
        width = self.hardware.shell.stream_width // 8 // rounded.itemsize
        return np.ascontiguousarray(pad(rounded, 1, width)).view(np.uint32)

    def _rows(self, words: ValueArray) -> Rows:
        """Words (features, batches, lanes in use) to rows, every block of a word one."""
        lanes, blocks = self.hardware.device.lanes, self.hardware.device.blocks
        return self._beats(pad(words, words.ndim - 1, lanes * blocks).reshape(-1, lanes))

    def _words(self, rows: Sequence[NDArray[np.uint16]]) -> NDArray[np.float16]:
        """Rows of each batch to words (features, batches, lanes in use)."""
        lanes, blocks = self.hardware.device.lanes, self.hardware.device.blocks
        numbers = [part[:, :lanes].reshape(-1, blocks * lanes).view(np.float16) for part in rows]
        return np.stack(numbers, axis=1)[..., : self.layout.word]

    def _checked(self, what: str, values: ArrayLike, shape: tuple[int, ...]) -> RealArray:
        """Real numbers of a shape that binary16 has room for."""
        values = np.asarray(values, float)
        if values.shape != shape:
            raise ValueError(f"{what} must have shape {shape}, not {values.shape}")
        if not (np.abs(values) <= LARGEST).all():
            wrong = values[~(np.abs(values) <= LARGEST)][0]
            raise ValueError(f"{what} must be from -{LARGEST} to {LARGEST}, not {wrong}")
        return values

    def _job(self, key: Hashable, compile: Callable[[], list[Program]], packets: Packets) -> Received:
        """Runs the programs of a job of an iteration, compiled once."""
        if key not in self._programs:
            self._programs[key] = compile()
        received: Received = {}
        for program in self._programs[key]:
            received |= self._run(program, packets)
            assert self.report is not None
            self.reports.append(self.report)
        return received

    def _run(self, program: Program, packets: Packets) -> Received:
        """Runs a program; gives what it stored, rows of 16-bit words by key."""
        self.device.load_program(program.words)
        for packet in program.inputs:
            self.device.send(packets[packet.key])
        self.report = self.device.run(cycle_limit=CYCLE_LIMIT)
        received = {packet.key: self.device.receive(packet.count).view(np.uint16) for packet in program.outputs}
        if "nonfinite" in self.report.errors:
            self._nonfinite = self._find_nonfinite()
            layers = ", ".join(self._nonfinite) or "none any more"
            raise DeviceError(f"Program {program.name} met an infinity or a NaN; layers that have one: {layers}")
        return received

    def _find_nonfinite(self) -> list[str]:
        """Layers with an infinity or a NaN in parameters, gradients or what they gave last, as memories have them."""
        where, blocks = self.compiler.map, self.hardware.device.blocks
        parameters = self._read(self._state.parts)
        found = {name.rpartition("/")[2] for name, array in parameters.items() if not np.isfinite(array).all()}
        program = Program("look", self.hardware)
        for key, place in where.layers.items():
            layer = key.removeprefix("bias/")
            # Within a step the result memory has the products forward.
            batches = self.layout.batches if key == layer and self.step_number < self.steps else 0
            for core in place.cores:
                program.store(
                    (layer, key, core), place.weight_words, wait=("transfer",),
                    memory=Memory.GRADIENT, core=core, base=place.weight,
                )  # fmt: skip
                for batch in range(batches):
                    program.store(
                        (layer, core, batch), place.columns * blocks, wait=("transfer",),
                        memory=Memory.RESULT, core=core, base=(batch * where.results + place.result) * blocks,
                    )  # fmt: skip
        for (layer, *_), rows in self._run(program.finish(), {}).items():
            if not np.isfinite(rows.view(np.float16)).all():
                found.add(layer)
        return [name for name in self.network.layers if name in found]
