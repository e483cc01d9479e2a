"""Driver of FIXAR: acting and training on a device, with the interface of the reference."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.checks import require_integer
from ....hw.cores.random.xorshift import advance
from ....hw.soc.fixar.config import FixarConfig, Networks, Rates
from ....hw.soc.fixar.registers import POWERS
from ...device.device import Device, RunReport
from ...reference.arrays import IntegerArray, RealArray
from ...reference.fixar_state import (
    COUNTERS,
    KINDS,
    Transitions,
    check_state,
    initial_state,
    observations_to_words,
)
from ...reference.learner_batch import LearnerBatch
from .program.compiler import Compiler
from .program.program import FixarProgram

__all__ = ["FixarDevice"]

# Steps of the generator for one lane of a row of noise.
STEPS_A_VALUE = 3
# A run may take so many times the cycle model's figure, and so many cycles more.
PATIENCE = 4
PATIENCE_CYCLES = 100_000
RATE_REGISTERS = (
    "learning_rate_actor",
    "learning_rate_critic",
    "one_minus_beta1",
    "one_minus_beta2",
    "tau",
    "epsilon_squared",
    "noise_scale",
)


class FixarDevice:
    """A FIXAR device and the state it holds; the same interface as ``FixarReference``.

    Everything given is checked before anything is sent: after an error the device is as it was.

    Parameters
    ----------
    device : Device
        Opened for ``config``.
    config : FixarConfig
    networks : Networks
    rates : Rates
    seed : int
        64 bits, of the exploration noise.

    Members
    -------
    report : RunReport or None
        Report of the last program.

    Raises
    ------
    ValueError
        The networks do not fit: what is needed and what there is.
    """

    def __init__(self, device: Device, config: FixarConfig, networks: Networks, rates: Rates, *, seed: int = 0):
        self.device = device
        self.config = config
        self.networks = networks
        self.rates = rates
        self.compiler = Compiler(config, networks)
        self.report: RunReport | None = None
        self.bits: int | None = None
        self.noise_state = 0
        self.addresses: dict[str, int] = {}
        self.free_address = 0
        self.offsets = np.zeros(len(COUNTERS), np.int64)
        for name in RATE_REGISTERS:
            device.write_register(name, getattr(rates, name))
        self.load(initial_state(config, networks, seed))

    # The two jobs.

    def act(self, observations: ArrayLike, noise: bool = False) -> RealArray:
        """Actions in [-1, 1] of rows of observations, with exploration noise if asked; as real numbers."""
        words = observations_to_words(self.config, self.networks, observations)
        actions = [
            self.act_chunk(words[start : start + self.config.chunk_size], noise)
            for start in range(0, len(words), self.config.chunk_size)
        ]
        return np.ldexp(np.concatenate(actions).astype(np.float64), -self.config.activation_fraction)

    def act_chunk(self, words: IntegerArray, noise: bool) -> NDArray[np.int32]:
        program = self.compiler.act(len(words), noise=bool(noise), bits=self.bits)
        actions = program.unpack(self.run(program, program.pack(words)))
        if noise:
            rows = len(words) * -(-self.networks.action_size // self.config.lanes)
            self.noise_state = advance(self.noise_state, STEPS_A_VALUE * self.config.lanes * rows)
        return actions

    def train(self, batch: LearnerBatch) -> RealArray:
        """One DDPG step; the temporal-difference errors of the batch as real numbers.

        Parameters
        ----------
        batch : LearnerBatch
            All samples count alike: its weights are not looked at.
        """
        transitions = Transitions(self.config, self.networks, batch)
        program = self.compiler.train(len(transitions), bits=self.bits)
        received = self.run(program, program.pack(transitions, self.rates.actor_error_exponent))
        return np.ldexp(program.unpack(received).astype(np.float64), -self.config.error_fraction)

    # State.

    def freeze(self, bits: int) -> None:
        """From now on activations are codes of so many bits, in the ranges recorded until now."""
        require_integer("Bits", bits, 8, 16)
        self.run(self.compiler.control(bits=bits), [])
        self.bits = bits

    def clear_ranges(self) -> None:
        """Forgets the recorded ranges; back to full precision."""
        self.run(self.compiler.control(clear=True), [])
        self.bits = None

    def counters(self) -> dict[str, int]:
        """Saturations counted since the start."""
        return dict(zip(COUNTERS, (int(count) for count in self.counts()), strict=True))

    def counts(self) -> IntegerArray:
        return np.array([self.device.read_register(name) for name in COUNTERS]) + self.offsets

    def save(self) -> dict[str, np.ndarray]:
        """The whole state as arrays by name (``fixar_state.state_shapes``)."""
        program = self.compiler.save()
        rows = {packet.key: words for packet, words in zip(program.outputs, self.run(program, []), strict=True)}
        state: dict[str, np.ndarray] = {}
        for kind, (networks, dtype) in KINDS.items():
            for network in networks:
                if kind == "second_moment":
                    low, high = (rows[f"{kind}_{half}", network].astype(np.uint64) for half in ("low", "high"))
                    words = low | high << np.uint64(32)
                else:
                    words = rows[kind, network].view(dtype)
                matrices, biases = self.compiler.layouts[network.removeprefix("target_")].unpack(words)
                for index, (matrix, bias) in enumerate(zip(matrices, biases, strict=True)):
                    state[f"{kind}/{network}/{index}/matrix"] = matrix
                    state[f"{kind}/{network}/{index}/bias"] = bias
        ranges = rows["range", ""].view(np.int32)
        state["range/minimum"], state["range/maximum"] = ranges[:, 0].copy(), ranges[:, 1].copy()
        state["bits"] = np.array(self.bits or 0)
        state["power"] = np.array([self.device.read_register(name) for name in POWERS])
        state["noise"] = np.array(self.noise_state, np.uint64)
        state["counters"] = self.counts()
        return state

    def load(self, state: Mapping[str, np.ndarray]) -> None:
        """Takes back what :meth:`save` gave; ValueError where it is another configuration's."""
        check_state(state, self.config, self.networks)
        program = self.compiler.load()
        self.run(program, [self.rows_of(state, *packet.key) for packet in program.inputs])
        for select, power in enumerate(int(power) for power in state["power"]):
            self.device.write_register("power_value", power % (1 << 32))
            self.device.write_register("power_control", select | (power >> 32) << 2)
        self.noise_state = int(state["noise"])
        self.device.write_register("seed_low", self.noise_state % (1 << 32))
        self.device.write_register("seed_high", self.noise_state >> 32)
        self.device.write_register("noise_control", 1)
        self.bits = int(state["bits"]) or None
        if self.bits:
            self.freeze(self.bits)
        self.offsets = np.asarray(state["counters"]) - (self.counts() - self.offsets)

    def rows_of(self, state: Mapping[str, np.ndarray], kind: str, network: str) -> NDArray[np.uint32]:
        """Rows of one packet of the load program."""
        if kind == "range":
            ranges = np.zeros((self.config.slots, self.config.lanes), np.int32)
            ranges[:, 0], ranges[:, 1] = state["range/minimum"], state["range/maximum"]
            return ranges.view(np.uint32)
        half = None
        if kind.startswith("second_moment"):
            kind, _, half = kind.rpartition("_")
        layout = self.compiler.layouts[network.removeprefix("target_")]
        indices = range(len(layout.layers))
        matrices = [state[f"{kind}/{network}/{index}/matrix"] for index in indices]
        biases = [state[f"{kind}/{network}/{index}/bias"] for index in indices]
        rows = layout.pack(matrices, biases, KINDS[kind][1])
        if half is not None:
            return (rows >> np.uint64(32 if half == "high" else 0)).astype(np.uint32)
        return rows.view(np.uint32)

    # Programs.

    def run(self, program: FixarProgram, packets: Sequence[NDArray[np.uint32]]) -> list[NDArray[np.uint32]]:
        """Sends the packets, runs the program, returns the packets that come back."""
        address = self.place(program)
        for rows in packets:
            self.device.send(rows)
        limit = PATIENCE * program.cycles().cycles + PATIENCE_CYCLES
        self.report = self.device.run(address, cycle_limit=limit)
        return [self.device.receive(packet.count) for packet in program.outputs]

    def place(self, program: FixarProgram) -> int:
        """Address of a program in the program memory, where it is written unless it is there."""
        if program.name not in self.addresses:
            if self.free_address + len(program.words) > self.config.instruction_depth:
                self.addresses.clear()
                self.free_address = 0
            self.device.load_program(program.words, self.free_address)
            self.addresses[program.name] = self.free_address
            self.free_address += len(program.words)
        return self.addresses[program.name]

    def close(self) -> None:
        """Gives the device back."""
        self.device.close()
