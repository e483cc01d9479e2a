"""The training program: tensors, matrix instructions of each chunk, loads, sweeps and stores around them."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .....hw.soc.fixar.instructions import EVERY_CORE, Memory, Operation
from .layers import Blocks, LayerCompiler
from .memory import Allocator, Tensor
from .schedule import MatrixStep, Scheduler
from .weights import LayerLayout

if TYPE_CHECKING:
    # It imports this module.
    from .compiler import Compiler, TrainProgram

__all__ = ["TrainBuilder"]

# Where the last and largest gradient is cut, as shares of its output blocks. At a cut the array waits for a drain, but
# the sweep of what came before it is hidden behind what comes after.
SWEPT_SHARES = (0.5,)
# Tensors of a transition.
LOADED = ("next", "state", "temporal")

# A layer's index, and its output blocks; None: all of them.
Part = tuple[int, Blocks | None]


@dataclass(frozen=True)
class TensorSet:
    """Tensors of the hidden layers of a chunk, and the errors of its actions.

    Parameters
    ----------
    actor, critic : list of Tensor
        Activations of each hidden layer.
    actor_errors, critic_errors : list of Tensor
    action_errors : Tensor
    """

    actor: list[Tensor]
    critic: list[Tensor]
    actor_errors: list[Tensor]
    critic_errors: list[Tensor]
    action_errors: Tensor


class TrainBuilder:
    """Fills a program with one DDPG step.

    Parameters
    ----------
    compiler : Compiler
    program : TrainProgram
        Its ``sampler`` is set.
    bits : int or None
    """

    def __init__(self, compiler: "Compiler", program: "TrainProgram", bits: int | None):
        self.compiler = compiler
        self.config = compiler.config
        self.networks = compiler.networks
        self.program = program
        self.sampler = program.sampler
        self.bits = bits
        self.layers = LayerCompiler(self.config, self.networks, bits=bits, monitor=True)
        self.hidden = self.networks.hidden_sizes
        self.allocate()
        self.scheduler = Scheduler(self.config)

    def allocate(self) -> None:
        """Inputs and temporal rows of the whole batch; tensors of a chunk twice if they fit: then chunks overlap."""
        for sets in (2, 1):
            activations = Allocator("activation", self.config.activation_rows, self.config.lanes)
            errors = Allocator("error", self.config.error_rows, self.config.lanes)
            stride, whole = self.sampler.activation_stride, self.sampler.error_stride
            size = self.networks.input_size
            chunks = range(len(self.sampler.chunks))
            self.state = [activations.tensor(f"state {chunk}", size, stride) for chunk in chunks]
            self.next = [activations.tensor(f"next {chunk}", size, stride) for chunk in chunks]
            self.temporal = [errors.tensor(f"temporal {chunk}", 1, whole) for chunk in chunks]
            self.constant = errors.tensor("constant", 1, whole)
            self.sets = [self.allocate_set(activations, errors, number) for number in range(sets)]
            if activations.fits and errors.fits:
                return
        what = f"Training on a batch of {self.sampler.batch}"
        activations.check(what, self.config.name)
        errors.check(what, self.config.name)

    def allocate_set(self, activations: Allocator, errors: Allocator, number: int) -> TensorSet:
        """Hidden activations and errors of a chunk; the target networks and the actor take turns."""

        def tensors(allocator: Allocator, what: str, stride: int) -> list[Tensor]:
            return [
                allocator.tensor(f"{what} {index} of set {number}", size, stride)
                for index, size in enumerate(self.hidden)
            ]

        stride, whole = self.sampler.activation_stride, self.sampler.error_stride
        return TensorSet(
            actor=tensors(activations, "actor hidden", stride),
            critic=tensors(activations, "critic hidden", stride),
            actor_errors=tensors(errors, "actor errors", whole),
            critic_errors=tensors(errors, "critic errors", whole),
            action_errors=errors.tensor(f"action errors of set {number}", self.networks.action_size, whole),
        )

    def build(self) -> None:
        count = len(self.sampler.chunks)
        critic = [step for chunk in range(count) for step in self.critic_steps(chunk)]
        self.emit_critic(self.scheduler.order(critic))
        rows = self.layers.layout("critic").rows
        self.program.emit("adam", wait=("matrix",), network=1, base=0, count=rows, advance=1)

        actor = [step for chunk in range(count) for step in self.actor_steps(chunk)]
        self.emit_actor(self.scheduler.order(actor))
        self.emit_last_gradients(count - 1)

    # The steps of one chunk.

    def forwards(
        self,
        chunk: int,
        network: str,
        source: Tensor,
        hidden: Sequence[Tensor],
        target: Tensor,
        operation: Operation,
        *,
        auxiliary: Tensor | None = None,
        to_error: bool = False,
    ) -> list[MatrixStep]:
        """Forward pass of a whole network."""
        size = self.sampler.chunks[chunk]
        inputs = [source, *hidden]
        steps = []
        for index in range(len(inputs)):
            last = index == len(hidden)
            steps.append(
                self.layers.forward(
                    network,
                    index,
                    size,
                    inputs[index],
                    target if last else hidden[index],
                    operation if last else Operation.RELU,
                    auxiliary=auxiliary if last else None,
                    to_error=to_error and last,
                )  # fmt: skip
            )
        return steps

    def backwards(
        self, chunk: int, network: str, hidden: Sequence[Tensor], errors: Sequence[Tensor], source: Tensor
    ) -> list[MatrixStep]:
        """Errors of all hidden layers."""
        size = self.sampler.chunks[chunk]
        steps = []
        for index in range(len(hidden), 0, -1):
            target = errors[index - 1]
            steps.append(
                self.layers.backward(
                    network, index, size, source, target, Operation.RELU_GRADIENT, auxiliary=hidden[index - 1]
                )
            )
            source = target
        return steps

    def gradients(
        self,
        chunk: int,
        network: str,
        source: Tensor,
        hidden: Sequence[Tensor],
        errors: Sequence[Tensor],
        blocks: Sequence[Part] | None = None,
    ) -> list[MatrixStep]:
        """Gradient of every layer, the largest first; ``blocks`` selects layers and their output blocks."""
        size = self.sampler.chunks[chunk]
        inputs = [source, *hidden]
        return [
            self.layers.gradient(network, index, size, inputs[index], errors[index], chunk > 0, part)
            for index, part in blocks or [(index, None) for index in self.by_rows(network)]
        ]

    def by_rows(self, network: str) -> list[int]:
        layers = self.layers.layout(network).layers
        return sorted(range(len(layers)), key=lambda index: -layers[index].rows)

    def critic_steps(self, chunk: int) -> list[MatrixStep]:
        """Target y over the reward, error Q - y over the target, and the critic's gradients."""
        tensors = self.sets[chunk % len(self.sets)]
        state, following, temporal = self.state[chunk], self.next[chunk], self.temporal[chunk]
        target = self.forwards(chunk, "target_actor", following, tensors.actor, following, Operation.TANH)
        target += self.forwards(
            chunk, "target_critic", following, tensors.actor, temporal, Operation.MULTIPLY_ADD,
            auxiliary=temporal, to_error=True,
        )  # fmt: skip
        online = self.forwards(
            chunk, "critic", state, tensors.critic, temporal, Operation.DIFFERENCE, auxiliary=temporal, to_error=True
        )
        errors = [*tensors.critic_errors, temporal]
        backward = self.backwards(chunk, "critic", tensors.critic, tensors.critic_errors, temporal)
        return [*target, *online, *backward, *self.gradients(chunk, "critic", state, tensors.critic, errors)]

    def actor_steps(self, chunk: int) -> list[MatrixStep]:
        """Errors of the actor through the critic, and the actor's gradients (the last chunk's are made apart)."""
        tensors = self.sets[chunk % len(self.sets)]
        size = self.sampler.chunks[chunk]
        state = self.state[chunk]
        steps = self.forwards(chunk, "actor", state, tensors.actor, state, Operation.TANH)
        # The critic's value itself is not needed, only the signs of its hidden layers.
        value = self.forwards(chunk, "critic", state, tensors.critic, self.constant, Operation.IDENTITY, to_error=True)
        steps += value[:-1]
        steps += self.backwards(chunk, "critic", tensors.critic, tensors.critic_errors, self.constant)
        steps.append(
            self.layers.backward(
                "critic",
                0,
                size,
                tensors.critic_errors[0],
                tensors.action_errors,
                Operation.TANH_GRADIENT,
                auxiliary=state,
                outputs=self.networks.action_size,
            )  # fmt: skip
        )
        steps += self.backwards(chunk, "actor", tensors.actor, tensors.actor_errors, tensors.action_errors)
        if chunk + 1 < len(self.sampler.chunks):
            errors = [*tensors.actor_errors, tensors.action_errors]
            steps += self.gradients(chunk, "actor", state, tensors.actor, errors)
        return steps

    # The program around them.

    def emit_loads(self, chunk: int, names: Iterable[str]) -> None:
        """Transitions of one chunk: the tensors of those names."""
        size = self.sampler.chunks[chunk]
        for name in names:
            for core in range(min(self.config.cores, size)):
                key = (name, chunk, core)
                if name == "temporal":
                    tensor = self.temporal[chunk]
                    self.program.load(
                        key, tensor.rows, memory=Memory.ERROR, core=core, base=tensor.base, lanes=self.config.lanes
                    )
                else:
                    tensor = {"state": self.state, "next": self.next}[name][chunk]
                    self.compiler.load_activation(self.program, key, tensor, core, self.bits, monitor=True)

    def emit_critic(self, steps: Iterable[MatrixStep]) -> None:
        """The first phase: loads run ahead of the instructions that need them, so that few have to wait."""
        # Loads follow the first instruction and then every other one, one chunk ahead of their use.
        queue: list[tuple[int, tuple[str, ...]]] = [
            (chunk, ("state", "temporal") if chunk == 0 else LOADED) for chunk in range(len(self.sampler.chunks))
        ]
        self.emit_loads(0, ("next",))
        loaded = {self.next[0].name}
        arrived: set[str] = set()
        for step in steps:
            needed = self.transitions(step) - arrived
            while not needed <= loaded:
                loaded |= self.load_next(queue)
            wait = ("transfer",) if needed else ()
            if needed:
                arrived = set(loaded)
            self.program.matrix(step, wait=wait)
            if queue and loaded == arrived:
                loaded |= self.load_next(queue)
        self.program.load(
            ("constant", 0, EVERY_CORE), self.constant.rows, memory=Memory.ERROR, base=self.constant.base,
            lanes=self.config.lanes,
        )  # fmt: skip

    def load_next(self, queue: list[tuple[int, tuple[str, ...]]]) -> set[str]:
        """Loads what is first in the queue; returns the names of its tensors."""
        chunk, names = queue.pop(0)
        self.emit_loads(chunk, names)
        return {f"{name} {chunk}" for name in names}

    def transitions(self, step: MatrixStep) -> set[str]:
        """Names of the loaded tensors that a step needs."""
        return {name for name in (*step.reads, *step.writes) if name.split()[0] in LOADED}

    def emit_actor(self, steps: Iterable[MatrixStep]) -> None:
        """The second phase: the critic is read again only after its sweep, the temporal errors leave meanwhile."""
        swept = False
        for index, step in enumerate(steps):
            wait: tuple[str, ...] = ()
            if not swept and step.name.startswith("critic"):
                wait, swept = ("adam", "transfer"), True
            self.program.matrix(step, wait=wait)
            if index == 0:
                self.emit_stores()

    def emit_stores(self) -> None:
        """Temporal-difference errors of all chunks, which lie one after the other."""
        chunks = len(self.sampler.chunks)
        for core in range(min(self.config.cores, self.sampler.batch)):
            self.program.store(
                ("temporal", chunks, core), chunks * self.temporal[0].rows, memory=Memory.ERROR, core=core,
                base=self.temporal[0].base,
            )  # fmt: skip

    def emit_last_gradients(self, chunk: int) -> None:
        """Gradients of the last chunk, and the actor's sweep.

        The largest gradient is made in parts, and each is swept while the next is made. The sweep reads the gradient
        memory when no gradients are added to it: always, if there is one chunk; every other cycle in full precision;
        never with codes, where the cut would only cost its drain.
        """
        layers = self.layers.layout("actor").layers
        tensors = self.sets[chunk % len(self.sets)]
        errors = [*tensors.actor_errors, tensors.action_errors]
        largest, *others = self.by_rows("actor")
        blocks = layers[largest].output_blocks
        cuts = [0, *(round(blocks * share) for share in SWEPT_SHARES if self.bits is None or chunk == 0), blocks]
        parts: list[Part] = [(largest, (start, stop)) for start, stop in itertools.pairwise(cuts) if stop > start]
        advance = 1
        later: list[tuple[int, int]] = []
        for index, part in enumerate([*parts, *((other, None) for other in others)]):
            for step in self.gradients(chunk, "actor", self.state[chunk], tensors.actor, errors, [part]):
                self.program.matrix(self.scheduler.add(step))
            rows = self.part_rows(layers, part)
            if index < len(parts) - 1:
                # One sweep only: another would have to wait for it, and so would the gradients after it.
                self.emit_sweeps(rows[:1], advance)
                advance, rows = 0, rows[1:]
            later += rows
        self.emit_sweeps(later, advance)

    def part_rows(self, layers: Sequence[LayerLayout], part: Part) -> list[tuple[int, int]]:
        """Row ranges ``(base, count)`` of a layer's output blocks, biases included."""
        index, blocks = part
        layer = layers[index]
        start, stop = blocks or (0, layer.output_blocks)
        if (start, stop) == (0, layer.output_blocks):
            return [(layer.base, layer.rows)]
        stride = layer.output_stride
        return [(layer.base + start * stride, (stop - start) * stride), (layer.bias_base + start, stop - start)]

    def emit_sweeps(self, ranges: Iterable[tuple[int, int]], advance: int) -> None:
        for number, (base, count) in enumerate(ranges):
            wait = () if number else ("matrix",)
            index = base % self.config.lanes
            self.program.emit("adam", wait=wait, network=0, base=base, count=count, index=index, advance=advance)
            advance = 0
