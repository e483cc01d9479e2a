"""Driver of LearningGroup: grouping and acting on a device, with the interface of the reference."""

import numpy as np

from ...hw.cores.vector.matrix_config import WEIGHT_BANKS
from ...hw.soc.learninggroup.config import HEADS, Network, Rates
from ...hw.soc.learninggroup.hardware import LearningGroupHardware
from ...hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from ..program.learninggroup import Compiler
from ..program.program import Program
from ..reference.learninggroup.layout import Layout
from ..reference.learninggroup.state import SAMPLED_HEADS, check_state
from .device import Device, RunReport
from .errors import DeviceError

__all__ = ["LearningGroupDevice"]

CYCLE_LIMIT = 5_000_000
# Of binary16.
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
        Of an iteration.

    Members
    -------
    report : RunReport or None
        Of the last program.

    Raises
    ------
    ValueError
        The network does not fit: what is needed and what there is.
    """

    def __init__(
        self, device: Device, hardware: LearningGroupHardware, network: Network, rates: Rates, *,
        episodes: int, steps: int,
    ):  # fmt: skip
        network.check(hardware.device)
        if hardware.device.optimizer_format != "binary16":
            raise ValueError("The driver moves binary16 only, not " + hardware.device.optimizer_format)
        self.device, self.hardware, self.network, self.rates = device, hardware, network, rates
        self.layout = Layout(hardware.device, network.agents, episodes)
        self.steps = steps
        self.compiler = Compiler(
            hardware, network, batches=self.layout.batches, blocks=self.layout.blocks,
            lanes_of_agent=self.layout.spread, steps=steps,
        )  # fmt: skip
        self.report: RunReport | None = None
        self.step_number = steps
        self._lanes = hardware.shell.stream_width // 16
        self._programs: dict[object, Program] = {}

    # The jobs.

    def load(self, state):
        """Takes a state as the reference's ``save`` gives it."""
        check_state(state, self.network, self.hardware.device.cores)
        where = self.compiler.map
        program = Program("load", self.hardware)
        packets = {}

        def send(key, rows, **fields):
            if len(rows):
                program.load(key, len(rows), wait=("transfer",), **fields)
                packets[key] = rows

        for name in self.network.layers:
            place = where.layers[name]
            weights, parts = self.own_columns(name, np.asarray(state[f"weight/{name}"])), []
            inputs = np.asarray(state[f"input_grouping/{name}"])
            parts.append(self._grouping_words(inputs))
            outputs = self.own_columns(name, np.asarray(state[f"output_grouping/{name}"]))
            for core in place.cores:
                words = self._pad(weights[core], 1, WEIGHT_BANKS).reshape(-1, WEIGHT_BANKS)
                send((name, core), words, memory=Memory.PARAMETER, core=core, base=place.parameter)
                parts.append(self._grouping_words(outputs[core].T))
            send((name, "grouping"), np.concatenate(parts), memory=Memory.GROUPING, base=place.grouping)
        for name, base in where.biases.items():
            biases = self.own_columns(name, np.asarray(state[f"bias/{name}"])[np.newaxis])
            for core in where.layers[name].cores:
                send((name, "bias", core), biases[core].T, memory=Memory.SCALAR, core=core, base=base)
        share = 1 / (self.network.agents - 1) if self.network.agents > 1 else 0
        send("share", np.array([[share]]), memory=Memory.SCALAR, core=EVERY_CORE, base=where.share)
        factor = np.array([[2 * self.rates.value_coefficient]])
        send("value factor", factor, memory=Memory.SCALAR, core=EVERY_CORE, base=where.value_factor)
        blocks = self.hardware.device.blocks
        present = self._rows(self.layout.present[np.newaxis].astype(float))
        send("present", present, memory=Memory.STATE_2, core=EVERY_CORE, base=where.present * blocks)
        # Hidden state and cell before the first step, which no program writes.
        zeros = np.zeros((where.units * blocks, 1))
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
            words = min(where.units, self.layout.batches * where.aggregates - target)
            program.emit(
                "copy", wait=("transfer",), memory=Memory.STATE_0, core=0, base=zero, target=target, words=words
            )
        self._run(program.finish(), packets)
        for core, number in enumerate(np.asarray(state["random"]).tolist()):
            self.device.write_register("seed_low", number & 0xFFFF_FFFF)
            self.device.write_register("seed_high", number >> 32)
            self.device.write_register("load_seed", 1 << core)
        self.step_number = self.steps

    def start(self):
        """Begins an iteration: weight grouping, and episodes without a past."""
        present = self.layout.present.astype(float)
        packets = {("spoke", batch): self._rows(present[np.newaxis, batch]) for batch in range(self.layout.batches)}
        self._run(self._program("start", self.compiler.start), packets)
        self.step_number = 0

    def step(self, observations):
        """One time step: movements, gate actions (int), values (float64), each (episodes, agents).

        Raises
        ------
        ValueError
            Observations of another shape, NaN, infinite or beyond binary16; nothing was sent.
        DeviceError
            An infinity or a NaN came up on the device.
        """
        if self.step_number >= self.steps:
            raise RuntimeError(f"An iteration has {self.steps} steps, and begins with start")
        where, step = self.compiler.map, self.step_number
        shape = self.layout.episodes, self.network.agents, self.network.observation_size
        words = self.layout.pack(self._checked("Observations", observations, shape))
        packets = {}
        for batch in range(self.layout.batches):
            for core in range(self.hardware.device.cores):
                own = words[core * where.inputs : (core + 1) * where.inputs, batch : batch + 1]
                own = self._pad(own, 0, where.inputs, at_least=where.inputs)
                packets["observation", batch, core] = self._rows(own)
        rows = self._run(self._program(step, lambda: self.compiler.step(step)), packets)
        self.step_number += 1
        results = []
        for head in SAMPLED_HEADS:
            chosen = self._words([rows[head, batch] for batch in range(self.layout.batches)])
            results.append(self.layout.unpack(chosen.argmax(axis=0)[np.newaxis])[:, :, 0])
        value = self._words([rows["value", batch] for batch in range(self.layout.batches)])
        return *results, self.layout.unpack(value)[:, :, 0].astype(np.float64)

    def train(self, returns, scales):
        """Ends an iteration: backward through time, and all gradients. They stay on the device, compressed.

        Parameters
        ----------
        returns, scales : array (steps, episodes, agents)
            As the reference has them.

        Raises
        ------
        ValueError
            Of another shape, NaN, infinite or beyond binary16; nothing was sent.
        DeviceError
            An infinity or a NaN came up on the device.
        """
        packets = {}
        shape = self.step_number, self.layout.episodes, self.network.agents
        for name, values in (("return", returns), ("scale", scales)):
            for step, part in enumerate(self._checked(f"{name.capitalize()}s", values, shape)):
                words = self.layout.pack(part[..., np.newaxis])
                for batch in range(self.layout.batches):
                    packets[name, step, batch] = self._rows(words[:, batch : batch + 1])
        steps = self.step_number
        self._run(self._program(("train", steps), lambda: self.compiler.train(steps)), packets)
        self.step_number = self.steps

    def compressed_gradients(self):
        """Bit patterns of each core's gradient memory, an array (16, rows): as the weights are compressed."""
        rows, found = self.hardware.weight_rows, []
        for core in range(self.hardware.device.cores):
            program = Program("gradients", self.hardware)
            program.store("gradients", rows, memory=Memory.GRADIENT, core=core, base=0)
            words = self._run(program.finish(), {})["gradients"]
            found.append(words[:, :WEIGHT_BANKS].T.astype(np.int64))
        return found

    # Rows of the streams.

    def own_columns(self, name, array):
        """What each core has of a layer's columns (the last axis), zeros where it has fewer units than the others."""
        where, hidden = self.compiler.map, self.network.hidden_size
        place = where.layers[name]
        if name in HEADS:
            return {place.cores[0]: array}
        gates = array.reshape(len(array), -1, hidden)
        padded = np.zeros((*gates.shape[:2], where.units * len(place.cores)))
        padded[..., :hidden] = gates
        return {
            core: padded[..., core * where.units : (core + 1) * where.units].reshape(len(array), -1)
            for core in place.cores
        }

    def _pad(self, array, axis, multiple, at_least=0):
        width = max(-(-array.shape[axis] // multiple) * multiple, at_least)
        return np.pad(array, [(0, width - size if number == axis else 0) for number, size in enumerate(array.shape)])

    def _grouping_words(self, values):
        """(members, groups) to words of 16 members: for each 16 of them a word a group."""
        padded = self._pad(values, 0, WEIGHT_BANKS)
        return padded.reshape(-1, WEIGHT_BANKS, values.shape[1]).transpose(0, 2, 1).reshape(-1, WEIGHT_BANKS)

    def _rows(self, words):
        """Words (features, batches, lanes in use) to rows, every block of a word one."""
        lanes, blocks = self.hardware.device.lanes, self.hardware.device.blocks
        return self._pad(words, words.ndim - 1, lanes * blocks).reshape(-1, lanes)

    def _words(self, rows):
        """Rows of each batch to words (features, batches, lanes in use)."""
        lanes, blocks = self.hardware.device.lanes, self.hardware.device.blocks
        numbers = [part[:, :lanes].reshape(-1, blocks * lanes).view(np.float16) for part in rows]
        return np.stack(numbers, axis=1)[..., : self.layout.word]

    def _checked(self, what, values, shape):
        """Real numbers of a shape that binary16 has room for."""
        values = np.asarray(values, float)
        if values.shape != shape:
            raise ValueError(f"{what} must have shape {shape}, not {values.shape}")
        if not (np.abs(values) <= LARGEST).all():
            wrong = values[~(np.abs(values) <= LARGEST)][0]
            raise ValueError(f"{what} must be from -{LARGEST} to {LARGEST}, not {wrong}")
        return values

    def _program(self, key, compile):
        if key not in self._programs:
            self._programs[key] = compile()
        return self._programs[key]

    def _run(self, program, packets):
        """Runs a program; gives what it stored, rows of 16-bit words by key."""
        self.device.load_program(program.words)
        for packet in program.inputs:
            numbers = self._pad(np.asarray(packets[packet.key], float), 1, self._lanes)
            self.device.send(np.ascontiguousarray(numbers, np.float16).view(np.uint32))
        self.report = self.device.run(cycle_limit=CYCLE_LIMIT)
        received = {packet.key: self.device.receive(packet.count).view(np.uint16) for packet in program.outputs}
        if "nonfinite" in self.report.errors:
            raise DeviceError(f"Program {program.name} met an infinity or a NaN")
        return received
