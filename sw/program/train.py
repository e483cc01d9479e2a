"""The training program: tensors, matrix instructions of each chunk, loads, sweeps and stores around them."""

from types import SimpleNamespace

from ...hw.soc.fixar.instructions import EVERY_CORE, Memory, Operation
from .layers import LayerCompiler
from .memory import Allocator
from .schedule import Scheduler

__all__ = ["TrainBuilder"]


class TrainBuilder:
    """Fills a program with one DDPG step.

    Parameters
    ----------
    compiler : Compiler
    program : TrainProgram
        Its ``sampler`` is set.
    bits : int or None
    """

    def __init__(self, compiler, program, bits):
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

    def allocate(self):
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

    def allocate_set(self, activations, errors, number):
        """Hidden activations and errors of a chunk; the target networks and the actor take turns."""
        tensors = SimpleNamespace()
        for network in ("actor", "critic"):
            tensors.__dict__[network] = [
                activations.tensor(f"{network} hidden {index} of set {number}", size, self.sampler.activation_stride)
                for index, size in enumerate(self.hidden)
            ]
            tensors.__dict__[f"{network}_errors"] = [
                errors.tensor(f"{network} errors {index} of set {number}", size, self.sampler.error_stride)
                for index, size in enumerate(self.hidden)
            ]
        tensors.action_errors = errors.tensor(
            f"action errors of set {number}", self.networks.action_size, self.sampler.error_stride
        )
        return tensors

    def build(self):
        count = len(self.sampler.chunks)
        critic = [step for chunk in range(count) for step in self.critic_steps(chunk)]
        self.emit_critic(self.scheduler.order(critic))
        rows = self.layers.layout("critic").rows
        self.program.emit("adam", wait=("matrix",), network=1, base=0, count=rows, advance=1)

        actor = [step for chunk in range(count) for step in self.actor_steps(chunk)]
        # The last chunk's gradients of the largest layer come first: its sweep runs while the others are made.
        self.emit_actor(self.scheduler.order(actor))
        self.emit_last_gradients(count - 1)

    # The steps of one chunk.

    def forwards(self, chunk, network, source, hidden, target, operation, **options):
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
                    **(options if last else {}),
                )  # fmt: skip
            )
        return steps

    def backwards(self, chunk, network, hidden, errors, source):
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

    def gradients(self, chunk, network, source, hidden, errors, blocks=None):
        """Gradient of every layer, the largest first; ``blocks`` selects layers and their output blocks."""
        size = self.sampler.chunks[chunk]
        inputs = [source, *hidden]
        return [
            self.layers.gradient(network, index, size, inputs[index], errors[index], chunk > 0, part)
            for index, part in blocks or [(index, None) for index in self.by_rows(network)]
        ]

    def by_rows(self, network):
        layers = self.layers.layout(network).layers
        return sorted(range(len(layers)), key=lambda index: -layers[index].rows)

    def critic_steps(self, chunk):
        """Target y over the reward, error Q - y over the target, and the critic's gradients."""
        tensors = self.sets[chunk % len(self.sets)]
        state, following, temporal = self.state[chunk], self.next[chunk], self.temporal[chunk]
        target = self.forwards(chunk, "target_actor", following, tensors.actor, following, Operation.TANH)
        target += self.forwards(
            chunk, "target_critic", following, tensors.actor, temporal, Operation.TEMPORAL_DIFFERENCE_TARGET,
            auxiliary=temporal, to_error=True,
        )  # fmt: skip
        online = self.forwards(
            chunk, "critic", state, tensors.critic, temporal, Operation.DIFFERENCE, auxiliary=temporal, to_error=True
        )
        errors = [*tensors.critic_errors, temporal]
        backward = self.backwards(chunk, "critic", tensors.critic, tensors.critic_errors, temporal)
        return [*target, *online, *backward, *self.gradients(chunk, "critic", state, tensors.critic, errors)]

    def actor_steps(self, chunk):
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

    def emit_loads(self, chunk):
        """Transitions of one chunk."""
        size = self.sampler.chunks[chunk]
        for core in range(min(self.config.cores, size)):
            for name, tensor in (("state", self.state[chunk]), ("next", self.next[chunk])):
                self.compiler.load_activation(self.program, (name, chunk, core), tensor, core, self.bits, monitor=True)
            temporal = self.temporal[chunk]
            self.program.load(
                ("temporal", chunk, core), temporal.rows, memory=Memory.ERROR, core=core, base=temporal.base,
                lanes=self.config.lanes,
            )  # fmt: skip

    def emit_critic(self, steps):
        """The first phase: a chunk is loaded while the one before it is computed."""
        count = len(self.sampler.chunks)
        self.emit_loads(0)
        loaded, arrived = 1, 0
        for step in steps:
            needed = [chunk for chunk in range(count) if self.uses(step, chunk)]
            wait = ()
            if needed and max(needed) >= arrived:
                while loaded <= max(needed):
                    self.emit_loads(loaded)
                    loaded += 1
                arrived, wait = loaded, ("transfer",)
            self.program.matrix(step, wait=wait)
            if arrived == loaded < count:
                self.emit_loads(loaded)
                loaded += 1
        self.program.load(
            ("constant", 0, EVERY_CORE), self.constant.rows, memory=Memory.ERROR, base=self.constant.base,
            lanes=self.config.lanes,
        )  # fmt: skip

    def uses(self, step, chunk):
        names = {self.state[chunk].name, self.next[chunk].name, self.temporal[chunk].name}
        return not names.isdisjoint((*step.reads, *step.writes))

    def emit_actor(self, steps):
        """The second phase: the critic is read again only after its sweep, the temporal errors leave meanwhile."""
        swept = False
        for index, step in enumerate(steps):
            wait = ()
            if not swept and step.name.startswith("critic"):
                wait, swept = ("optimizer", "transfer"), True
            self.program.matrix(step, wait=wait)
            if index == 0:
                self.emit_stores()

    def emit_stores(self):
        """Temporal-difference errors of all chunks, which lie one after the other."""
        chunks = len(self.sampler.chunks)
        for core in range(min(self.config.cores, self.sampler.batch)):
            self.program.store(
                ("temporal", chunks, core), chunks * self.temporal[0].rows, memory=Memory.ERROR, core=core,
                base=self.temporal[0].base,
            )  # fmt: skip

    def emit_last_gradients(self, chunk):
        """Gradients of the last chunk, each followed by the sweep of the part before it."""
        layers = self.layers.layout("actor").layers
        lanes = self.config.lanes
        tensors = self.sets[chunk % len(self.sets)]
        errors = [*tensors.actor_errors, tensors.action_errors]
        largest, *others = self.by_rows("actor")
        cut = layers[largest].output_blocks // lanes * lanes  # rows of bias gradients belong to an aligned block
        parts = [(largest, (0, cut)), (largest, (cut, layers[largest].output_blocks))]
        parts = [part for part in parts if part[1][0] < part[1][1]]
        first, *rest = [*parts, *((index, None) for index in others)]

        def emit(part):
            for step in self.gradients(chunk, "actor", self.state[chunk], tensors.actor, errors, [part]):
                self.program.matrix(self.scheduler.add(step))

        emit(first)
        # One sweep only: the next would have to wait for it, and the gradients behind it, too.
        now, *later = self.part_rows(layers, first)
        self.emit_sweeps([now], advance=1)
        for part in rest:
            emit(part)
            later += self.part_rows(layers, part)
        self.emit_sweeps(later, advance=0)

    def part_rows(self, layers, part):
        """Row ranges ``(base, count)`` of a layer's output blocks, biases included."""
        index, blocks = part
        layer = layers[index]
        start, stop = blocks or (0, layer.output_blocks)
        if (start, stop) == (0, layer.output_blocks):
            return [(layer.base, layer.rows)]
        stride = layer.output_stride
        return [(layer.base + start * stride, (stop - start) * stride), (layer.bias_base + start, stop - start)]

    def emit_sweeps(self, ranges, advance):
        for number, (base, count) in enumerate(ranges):
            wait = () if number else ("matrix",)
            self.program.emit("adam", wait=wait, network=0, base=base, count=count, advance=advance)
            advance = 0
