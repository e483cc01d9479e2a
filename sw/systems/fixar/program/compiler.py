"""Compiler: from networks and a batch to FIXAR's instructions for the four jobs act, train, save and load."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .....hw.cores.checks import require_integer
from .....hw.soc.fixar.config import BANKS, FixarConfig, Networks
from .....hw.soc.fixar.instructions import EVERY_CORE, Memory, Operation
from ....device.program import Packet
from ....reference.fixar_state import Transitions
from .layers import LayerCompiler
from .memory import Allocator, Tensor
from .program import FixarProgram
from .schedule import Scheduler
from .train import TrainBuilder

__all__ = ["ActProgram", "Compiler", "TrainProgram"]

# Rows of a packet: words of all lanes, as the device takes and gives them.
Rows = NDArray[np.uint32]


class ActProgram(FixarProgram):
    """Actor inference for ``observations`` samples; see :meth:`Compiler.act`."""

    sampler: "Sampler"

    def pack(self, observations: ArrayLike) -> list[Rows]:
        """Packets, in the order of the loads, for an int array (samples, observation size)."""
        return self.sampler.pack({"state": {"observation": np.asarray(observations)}}, self.inputs)

    def unpack(self, packets: Sequence[Rows]) -> NDArray[np.int32]:
        """Actions (samples, action size) from the rows that came back."""
        return self.sampler.unpack(packets, self.outputs, self.sampler.networks.action_size)


class TrainProgram(FixarProgram):
    """One DDPG step on a batch; see :meth:`Compiler.train`."""

    sampler: "Sampler"

    def pack(self, batch: Transitions, actor_error_exponent: int) -> list[Rows]:
        """Packets, in the order of the loads.

        Parameters
        ----------
        batch : Transitions
        actor_error_exponent : int
            k of the word -2^k from which the actor's errors start.
        """
        tensors: dict[str, dict[str, ArrayLike]] = {
            "state": {"action": batch.actions, "observation": batch.observations},
            "next": {"observation": batch.next_observations},
            "temporal": {"reward": batch.rewards, "discount": batch.discounts},
            "constant": {"value": -(1 << actor_error_exponent)},
        }
        return self.sampler.pack(tensors, self.inputs)

    def unpack(self, packets: Sequence[Rows]) -> NDArray[np.int32]:
        """Temporal-difference errors (samples,) from the rows that came back."""
        return self.sampler.unpack(packets, self.outputs, 1)[:, 0]


class Sampler:
    """Deals samples to chunks, cores and rows.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    batch : int
    half : bool
        Two samples per row of the activation memory.
    """

    def __init__(self, config: FixarConfig, networks: Networks, batch: int, half: bool):
        self.config = config
        self.networks = networks
        self.batch = batch
        self.half = half
        self.chunks = config.chunks(batch)
        lanes = config.lanes
        most, _ = config.core_samples(self.chunks[0])
        unit = 2 * lanes if half else lanes
        self.error_stride = -(-most // unit) * unit
        self.activation_stride = self.error_stride // 2 if half else self.error_stride

    def samples(self, chunk: int, core: int) -> NDArray[np.int64]:
        """Indices in the batch of a core's samples of a chunk."""
        start = chunk * self.config.chunk_size
        return np.arange(start + core, start + self.chunks[chunk], self.config.cores)

    def columns(self, values: Mapping[str, ArrayLike], indices: NDArray[np.int64]) -> Iterator[tuple[int, np.ndarray]]:
        """The first input of each part of a tensor, and the rows of its samples."""
        action = self.networks.action_size
        places = {"action": 0, "observation": action, "reward": 0, "discount": 1}
        for name, array in values.items():
            part = np.asarray(array)[indices]
            yield places[name], part.reshape(len(indices), -1)

    def pack(self, tensors: Mapping[str, Mapping[str, ArrayLike]], packets: Sequence[Packet]) -> list[Rows]:
        """Rows of every packet; its key is the tensor's name, the chunk and the core."""
        lanes = self.config.lanes
        result = []
        for packet in packets:
            tensor, chunk, core = packet.key
            values = tensors[tensor]
            rows = np.zeros((packet.count // self.error_stride, lanes, self.error_stride), np.int32)
            if tensor == "constant":
                rows[0, 0] = values["value"]
            else:
                indices = np.arange(1) if core == EVERY_CORE else self.samples(chunk, core)
                flat = rows.reshape(-1, self.error_stride)
                for place, part in self.columns(values, indices):
                    flat[place : place + part.shape[1], : len(indices)] = part.T
            result.append(np.ascontiguousarray(rows.swapaxes(1, 2)).reshape(-1, lanes).view(np.uint32))
        return result

    def unpack(self, received: Sequence[Rows], packets: Sequence[Packet], size: int) -> NDArray[np.int32]:
        """The tensor (batch, size) of which the packets' rows are parts."""
        lanes = self.config.lanes
        result = np.zeros((self.batch, size), np.int32)
        blocks = -(-size // lanes)
        for rows, packet in zip(received, packets, strict=True):
            _, chunks, core = packet.key
            words = np.asarray(rows).view(np.int32).reshape(chunks, blocks, self.error_stride, lanes)
            for chunk in range(chunks):
                indices = self.samples(chunk, core) if core is not None else np.arange(1)
                values = words[chunk].swapaxes(1, 2).reshape(blocks * lanes, self.error_stride)
                result[indices] = values[:size, : len(indices)].T
        return result


class Compiler:
    """Compiles programs for one device and one pair of networks; compiled programs are kept.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks

    Raises
    ------
    ValueError
        The networks or the batch do not fit: what is needed and what there is.
    """

    def __init__(self, config: FixarConfig, networks: Networks):
        self.config = config
        self.networks = networks
        self.layouts = LayerCompiler(config, networks).layouts
        self.act = lru_cache(64)(self.compile_act)
        self.train = lru_cache(64)(self.compile_train)

    def check_bits(self, bits: int | None) -> None:
        if bits is not None:
            require_integer("Bits", bits, 8, 16)

    def check_batch(self, what: str, batch: int, limit: int) -> None:
        if isinstance(batch, bool) or not isinstance(batch, int):
            raise TypeError(f"{what} must be an integer, not {batch!r}")
        if not 1 <= batch <= limit:
            raise ValueError(f"{what} must be from 1 to {limit} in configuration {self.config.name}, not {batch}")

    def compile_act(self, observations: int = 1, *, noise: bool = False, bits: int | None = None) -> ActProgram:
        """Actor inference: observations in, actions out, with exploration noise or without."""
        self.check_batch("Number of observations", observations, self.config.chunk_size)
        self.check_bits(bits)
        config, networks = self.config, self.networks
        single = observations == 1
        sampler = Sampler(config, networks, observations, bits is not None)
        compiler = LayerCompiler(config, networks, bits=bits, intra_layer=single)
        activations = Allocator("activation", config.activation_rows, config.lanes)
        errors = Allocator("error", config.error_rows, config.lanes)
        sizes = (networks.input_size, *networks.hidden_sizes)
        tensors = [
            activations.tensor(f"layer {index} input", size, sampler.activation_stride)
            for index, size in enumerate(sizes)
        ]
        disturbance = errors.tensor("noise", networks.action_size, sampler.error_stride)
        result = errors.tensor("action", networks.action_size, sampler.error_stride)
        activations.check(f"Acting on {observations} observations", config.name)
        errors.check(f"Acting on {observations} observations", config.name)

        program = ActProgram(f"act {observations}{' noise' * noise}{f' {bits} bits' if bits else ''}", config)
        program.sampler = sampler
        cores = range(min(config.cores, observations))
        for core in (EVERY_CORE,) if single else cores:
            self.load_activation(program, ("state", 0, core), tensors[0], core, bits, monitor=False)
        if noise:
            for sample in range(observations):
                row = disturbance.base + sample // config.cores
                for block in range(disturbance.blocks):
                    lanes = config.lanes if block + 1 < disturbance.blocks else compiler.last_lanes(disturbance.size)
                    core = EVERY_CORE if single else sample % config.cores
                    program.emit("noise", core=core, base=row + block * disturbance.stride, lanes=lanes)
        steps = []
        for index in range(len(sizes)):
            last = index == len(sizes) - 1
            steps.append(
                compiler.forward(
                    "actor",
                    index,
                    observations,
                    tensors[index],
                    result if last else tensors[index + 1],
                    (Operation.TANH_NOISE if noise else Operation.TANH) if last else Operation.RELU,
                    auxiliary=disturbance if last and noise else None,
                    to_error=last,
                )  # fmt: skip
            )
        for index, step in enumerate(Scheduler(config).order(steps)):
            program.matrix(step, wait=("transfer",) if index == 0 else ())
        sources: Sequence[int | None] = (None,) if single else cores
        for number, source in enumerate(sources):
            program.store(
                ("action", 1, source), result.rows, wait=() if number else ("matrix",),
                memory=Memory.ERROR, core=source or 0, base=result.base,
            )  # fmt: skip
        return program.finish()

    def load_activation(
        self,
        program: FixarProgram,
        key: tuple[str, int, int],
        tensor: Tensor,
        core: int,
        bits: int | None,
        *,
        monitor: bool,
        wait: Sequence[str] = (),
    ) -> None:
        """Loads all rows of a tensor of inputs into one core; padding is zeros."""
        half = bits is not None
        program.load(
            key, tensor.rows * (2 if half else 1), wait=wait, memory=Memory.ACTIVATION, core=core, base=tensor.base,
            half=int(half), slot=0, monitor=int(monitor and not half), quantize=int(half), lanes=self.config.lanes,
        )  # fmt: skip

    def compile_train(self, batch: int, *, bits: int | None = None) -> TrainProgram:
        """One DDPG step: critic, then actor, with Adam and the soft target updates."""
        self.check_batch("Batch", batch, self.config.batch_limit)
        self.check_bits(bits)
        sampler = Sampler(self.config, self.networks, batch, bits is not None)
        program = TrainProgram(f"train {batch}{f' {bits} bits' if bits else ''}", self.config)
        program.sampler = sampler
        TrainBuilder(self, program, bits).build()
        return program.finish()

    def control(self, *, clear: bool = False, bits: int | None = None) -> FixarProgram:
        """Clears the recorded ranges, or freezes them for codes of ``bits`` bits."""
        self.check_bits(bits)
        program = FixarProgram("clear ranges" if clear else f"freeze ranges at {bits} bits", self.config)
        program.emit("range", clear=int(clear), freeze=int(bits is not None), bits=bits or 16)
        return program.finish()

    def contents(self) -> list[tuple[tuple[str, str], Memory, int, int]]:
        """``(key, memory, first row, rows)`` of everything that save and load move."""
        config = self.config
        result = []
        for bank, network in enumerate(BANKS):
            rows = self.layouts[network.removeprefix("target_")].rows
            result.append((("weight", network), Memory.WEIGHT, bank * config.weight_rows, rows))
            if bank < 2:
                for memory in (
                    Memory.GRADIENT,
                    Memory.FIRST_MOMENT,
                    Memory.SECOND_MOMENT_LOW,
                    Memory.SECOND_MOMENT_HIGH,
                ):
                    result.append(((memory.name.lower(), network), memory, bank * config.weight_rows, rows))
        result.append((("range", ""), Memory.RANGE, 0, config.slots))
        return result

    def save(self) -> FixarProgram:
        """Stores everything that :meth:`contents` lists."""
        program = FixarProgram("save", self.config)
        for key, memory, base, rows in self.contents():
            program.store(key, rows, memory=memory, base=base)
        return program.finish()

    def load(self) -> FixarProgram:
        """Loads everything that :meth:`contents` lists."""
        program = FixarProgram("load", self.config)
        for key, memory, base, rows in self.contents():
            program.load(key, rows, memory=memory, base=base, lanes=self.config.lanes)
        return program.finish()
