"""The figures of LearningGroup: counted on the RTL, told by the size of its data, and synthesised."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.lockstep import require_equal
from ....measurement.bench import Bench, drawn_from, make_row, say

__all__ = ["LearningGroupBench"]

PAPER_MHZ = 175
SEED = 1
GROUPS = (2, 4, 8, 16)
SPARSE_GROUPS = (*GROUPS, 32)
# The table's workload: eight agents in 32 episodes of 20 steps, 29 observed elements (5 x 5 cells, as the easy level).
AGENTS, EPISODES, STEPS, OBSERVED = 8, 32, 20, 29
FULL = "full"
# Vectors of each size. Eight and 32 fill a part of a block, or all of it: the matrix engine does the same.
VECTORS = {FULL: AGENTS * EPISODES, "s32": 32, "s8": 8}
# For a comparison of two devices.
FEW_STEPS = 3
ITERATION = f"weight grouping, {STEPS} steps forward and backward, gradients and update"
RANDOM = "groups at random, as training begins with them"
NETWORK_BITS = 16
# Shape of the matrix for the figures of the sparse data encoder.
MATRIX = (128, 512)
# Iterations over which workloads are watched, and groupings that are drawn for comparison.
WATCHED = 300
DRAWN = 2000
PAPER = {
    "gflops_dense": 257.4, "util_dense": 86.96, "util_sparse": 96.89, "gflops_g16": 3629.5, "speedup_inf_g16": 12.52,
    "speedup_train_g16": 9.75, "osel_share": 2.9, "iteration_ms_a8_g1": 25.04, "iteration_ms_a8_g4": 10,
    "workload_dev_row_g2": 47.4, "workload_dev_row_g4": 31.4, "workload_dev_row_g8": 35.8, "workload_dev_row_g16": 36.1,
    "workload_dev_threshold_g2": 86.0, "workload_dev_threshold_g4": 105.0, "workload_dev_threshold_g8": 39.2,
    "workload_dev_threshold_g16": 56.4,
}  # fmt: skip


@dataclasses.dataclass(frozen=True, kw_only=True)
class Counts:
    """Cycles of an iteration, and what it computed.

    Parameters
    ----------
    step : int
        Cycles of a step forward in the midst of an iteration.
    iteration, grouping : int
        Cycles of everything, and those in which the sparse data engine makes masks and compresses weights.
    matrix : int
        Cycles in which the matrix engine has work.
    products, dense_products : int
        Multiply-accumulates for each vector, and those that a dense network takes.
    """

    step: int
    iteration: int
    grouping: int
    matrix: int
    products: int
    dense_products: int


class LearningGroupBench(Bench):
    """Rows of the bench, each made when it is asked for; what several need is done once.

    Cycles depend on the sizes of groups and on words of vectors, not on how many vectors a word has. So they are
    counted on the RTL of a device with one VPU in a cluster and as many fewer vectors in a word, which the simulator
    runs faster: the same commands, rounds and steps in the same cycles. ``device_cycles`` holds that against the whole
    device.

    Parameters
    ----------
    preset : str
        Configuration of the RTL, by name or file.
    """

    tracked = (
        *(f"util_limit_g{groups}" for groups in GROUPS),
        *(f"osel_{what}_g{groups}" for what in ("cycles", "memory") for groups in SPARSE_GROUPS),
        "lut_per_vpu",
        "dsp_per_vpu",
    )

    def __init__(self, preset: str = "paper"):
        from .....hw.soc.presets import read_preset

        self.preset = preset
        self.hidden_size = read_preset(preset, "learninggroup").training["hidden_size"]
        hardware: Any = read_preset(preset, "learninggroup").hardware
        self.hardware = hardware
        self.config = hardware.device
        self._simulations: dict[Any, Any] = {}
        self._counts: dict[tuple[int, bool], Counts] = {}

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        rows: dict[str, Callable[[], dict[str, Any]]] = {}
        for ending, size in (("", FULL), ("_s32", "s32"), ("_s8", "s8")):
            rows |= {
                f"gflops_dense{ending}": part(self.throughput, 1, size),
                f"util_dense{ending}": part(self.utilisation, (1,), size),
                f"util_sparse{ending}": part(self.utilisation, GROUPS, size),
                f"gflops_g16{ending}": part(self.throughput, 16, size),
            }
        for ending, size in (("", FULL), ("_s32", "s32")):
            rows |= {f"util_limit_g{groups}{ending}": part(self.limit, groups, size) for groups in GROUPS}
        rows |= {f"speedup_inf_g{groups}": part(self.speedup, groups, "step") for groups in GROUPS}
        rows |= {f"speedup_train_g{groups}": part(self.speedup, groups, "iteration") for groups in GROUPS}
        rows |= {f"osel_cycles_g{groups}": part(self.sparse_data_cycles, groups) for groups in SPARSE_GROUPS}
        rows |= {f"osel_memory_g{groups}": part(self.memory, groups) for groups in SPARSE_GROUPS}
        rows["osel_share"] = self.encoder_share
        for scheme in ("row", "threshold"):
            rows |= {f"workload_dev_{scheme}_g{groups}": part(self.deviation, scheme, groups) for groups in GROUPS}
        rows |= {f"iteration_ms_a8_g{groups}": part(self.latency, groups) for groups in (1, 4)}
        return rows | {
            "lut_per_vpu": part(self.per_vpu, "lut"),
            "dsp_per_vpu": part(self.per_vpu, "dsp"),
            "device_cycles": self.device_cycles,
        }

    def close(self) -> None:
        for simulation in self._simulations.values():
            simulation.close()
        self._simulations.clear()

    # Counted on the RTL.

    def throughput(self, groups: int, size: str) -> dict[str, Any]:
        counts, vectors = self.counts(groups, size), VECTORS[size]
        replaced, done = (
            2 * products * vectors * PAPER_MHZ / counts.matrix / 1e3
            for products in (counts.dense_products, counts.products)
        )
        what = "dense operations replaced" if groups > 1 else "operations"
        how = f"RTL: {what} of {vectors} vectors in {counts.matrix} cycles of the matrix engine"
        if groups > 1:
            how += f"; {done:.1f} GFLOPS were done; {RANDOM}"
        name = "gflops_dense" if groups == 1 else f"gflops_g{groups}"
        return make_row(round(replaced, 1), "GFLOPS", "counted", how, PAPER[name] if size == FULL else None)

    def utilisation(self, groups: tuple[int, ...], size: str) -> dict[str, Any]:
        units, found = self.config.cores * self.config.vpus, {}
        for number in groups:
            counts = self.counts(number, size)
            found[number] = 100 * counts.products * VECTORS[size] / (counts.matrix * units)
        how = f"RTL: products of {VECTORS[size]} vectors over {units} x cycles of the matrix engine"
        if len(groups) > 1:
            how += f"; {_each(found, 1)}; {RANDOM}"
        name = "util_dense" if groups == (1,) else "util_sparse"
        value = round(sum(found.values()) / len(found), 2)
        return make_row(value, "%", "counted", how, PAPER[name] if size == FULL else None)

    def limit(self, groups: int, size: str) -> dict[str, Any]:
        """Share of the VPUs' time that packing leaves where no product waits for its data."""
        from .....hw.soc.learninggroup.config import Network, Rates
        from ....mapping.product_limit import product_limit
        from ....reference.learninggroup.iteration import LearningGroupReference

        network = Network(observation_size=OBSERVED, hidden_size=self.hidden_size, agents=AGENTS, groups=groups)
        reference: Any = LearningGroupReference(self.config, network, Rates(), episodes=EPISODES)
        reference.load(_initial_state(network, self.hardware))
        reference.start()
        matrix, batches = self.hardware.matrix, -(-AGENTS * EPISODES // self.config.vectors)
        if size != FULL:
            # One word, of one block.
            matrix, batches = dataclasses.replace(matrix, blocks=1), 1
        found = product_limit(matrix, reference.network.groupings, steps=STEPS, batches=batches)
        lost = {
            "in sums shorter than the longest of their round": "padding",
            "in clusters without a task": "free",
            "between rounds": "between",
            "in cores with less to do than the others": "unequal",
        }
        each = ", ".join(f"{found.percent(name):.1f} % {words}" for words, name in lost.items())
        how = f"cycle model: products of an iteration one after another, none waits for data; lost: {each}; {RANDOM}"
        return make_row(round(found.percent("operations"), 2), "%", "model", how)

    def speedup(self, groups: int, what: str) -> dict[str, Any]:
        dense, sparse = getattr(self.counts(1), what), getattr(self.counts(groups), what)
        name = f"speedup_{'inf' if what == 'step' else 'train'}_g{groups}"
        meant = {
            "step": "RTL: a step forward of all vectors, from observations to choices, transfers included",
            "iteration": f"RTL: {ITERATION}",
        }[what]
        how = f"{meant}: {dense} cycles dense, {sparse} with {groups} groups; {RANDOM}"
        return make_row(round(dense / sparse, 2), "times", "counted", how, PAPER.get(name))

    def encoder_share(self) -> dict[str, Any]:
        shares = {groups: 100 * self.counts(groups).grouping / self.counts(groups).iteration for groups in GROUPS}
        most = self.counts(max(shares, key=lambda groups: shares[groups]))
        how = (
            f"RTL: weight grouping with compression, {most.grouping} cycles of {most.iteration}: {ITERATION}; "
            f"the largest of: {_each(shares, 2)}"
        )
        return make_row(round(max(shares.values()), 2), "%", "counted", how, PAPER["osel_share"])

    def latency(self, groups: int) -> dict[str, Any]:
        cycles = self.counts(groups).iteration
        how = f"RTL: {AGENTS} agents, {EPISODES} episodes; {ITERATION}: {cycles} cycles at {PAPER_MHZ} MHz"
        value = round(cycles / PAPER_MHZ / 1e3, 2)
        return make_row(value, "ms", "counted", how, PAPER[f"iteration_ms_a8_g{groups}"])

    def device_cycles(self) -> dict[str, Any]:
        """The whole device, held against the reference and against the device that counts."""
        counted, whole = (self._iterate(max(GROUPS), FULL, FEW_STEPS, whole) for whole in (False, True))
        how = (
            f"RTL of the whole device, an iteration of {FEW_STEPS} steps with {max(GROUPS)} groups, every bit of its "
            f"state and choices the reference's: {whole.iteration} cycles; {counted.iteration} on the one that counts"
        )
        return make_row(round(100 * (whole.iteration / counted.iteration - 1), 3), "%", "counted", how)

    def counts(self, groups: int, size: str = FULL) -> Counts:
        """Counts of an iteration on the RTL."""
        # A part of a block takes the cycles of the whole.
        key = groups, size == FULL
        if key not in self._counts:
            self._counts[key] = self._iterate(groups, size, STEPS)
        return self._counts[key]

    def _iterate(self, groups: int, size: str, steps: int, whole: bool = False) -> Counts:
        from .....hw.soc.learninggroup.config import Network, Rates
        from ....reference.learninggroup.iteration import LearningGroupReference
        from ..driver import LearningGroupDevice

        simulation, hardware = self._open(whole)
        narrower = self.config.cluster_vpus // hardware.device.cluster_vpus
        # A block of a word: as many agents as it has lanes, or the table's agents with as many fewer episodes.
        agents, episodes = (AGENTS, EPISODES // narrower) if size == FULL else (hardware.device.lanes, 1)
        network = Network(observation_size=OBSERVED, hidden_size=self.hidden_size, agents=agents, groups=groups)
        say(f"an iteration of {steps} steps with {groups} groups on the RTL")
        device: Any = LearningGroupDevice(simulation, hardware, network, Rates(), episodes=episodes, steps=steps)
        reference = LearningGroupReference(hardware.device, network, Rates(), episodes=episodes)
        state = _initial_state(network, hardware)
        # A matrix engine remembers the kind of its last product: each count begins alike, whatever ran before.
        simulation.soft_reset()
        _train_alike(device, reference, state, steps)
        reports = device.reports
        products = dense = 0
        for name, masks in reference.network.groupings.items():
            # Forward, backward, gradient. No error goes back to observations, nor through the first communication.
            often = 3 * steps - {"encoder": steps, "communication": 1}.get(name, 0)
            products += often * int(masks.mask.sum())
            dense += often * masks.mask.size
        return Counts(
            # Weight grouping, steps forward, the way back, gradients and update.
            step=reports[2].cycles,
            iteration=sum(report.cycles for report in reports),
            grouping=reports[0].busy["sparse"],
            matrix=sum(report.busy["matrix"] for report in reports),
            products=products,
            dense_products=dense,
        )

    def _open(self, whole: bool) -> tuple[Any, Any]:
        from ....device.open import open_device

        vpus = self.config.cluster_vpus if whole else 1
        hardware = dataclasses.replace(self.hardware, device=dataclasses.replace(self.config, cluster_vpus=vpus))
        if whole not in self._simulations:
            say("building the simulator, or finding it in the cache")
            self._simulations[whole] = open_device("sim", hardware)
        return self._simulations[whole], hardware

    # Figures of the sparse data.

    def sparse_data_cycles(self, groups: int) -> dict[str, Any]:
        from ....mapping.sparse import generation_cycles

        config, layer = self._layer(groups)
        cycles = [generation_cycles(dataclasses.replace(config, caching=caching), layer) for caching in (False, True)]
        how = (
            f"cycles of maxima, encoding and compression, as tests hold the RTL to: {cycles[0]} without caching, "
            f"{cycles[1]} with; {MATRIX[0]} x {MATRIX[1]}, {RANDOM}"
        )
        return make_row(round(cycles[0] / cycles[1], 2), "times", "model", how)

    def _layer(self, groups: int) -> tuple[Any, Any]:
        """Configuration of the sparse data engine, and a layer grouped by random matrices in binary16."""
        from .....hw.cores.sparse.config import SparseConfig
        from ....reference.sparse.engine import group_layer

        config = SparseConfig(cores=self.config.cores)
        random = np.random.default_rng(drawn_from(SEED))
        # Bits of positive numbers.
        rows, columns = (random.integers(0, 0x7C00, (groups, size)) for size in MATRIX)
        return config, group_layer(config, rows, np.array_split(columns, config.cores, axis=1))

    def memory(self, groups: int) -> dict[str, Any]:
        weights = NETWORK_BITS * int(self._layer(groups)[1].workloads().sum())
        matrices = NETWORK_BITS * groups * sum(MATRIX)
        # Bit vector, workload, and where the non-zero indexes begin, of both directions; the indexes themselves.
        row_bits, column_bits = ((size - 1).bit_length() for size in MATRIX)
        tuples = groups * (sum(MATRIX) + 2 * (row_bits + 1) + 2 * (column_bits + 1))
        lists = MATRIX[0] * row_bits + MATRIX[1] * column_bits
        dense = NETWORK_BITS * MATRIX[0] * MATRIX[1]
        value = dense / (weights + matrices + tuples + lists)
        how = (
            f"bits: dense weights {dense} over unmasked ones {weights}, grouping matrices {matrices} in binary16, "
            f"tuples {tuples} and index lists {lists}; {MATRIX[0]} x {MATRIX[1]}, {RANDOM}"
        )
        return make_row(round(value, 2), "times", "model", how)

    def deviation(self, scheme: str, groups: int) -> dict[str, Any]:
        trained, drawn = (deviations[scheme] for deviations in self._deviations(groups))
        how = (
            "largest distance of a core's unmasked weights from an equal part, the LSTM's hidden matrix, "
            f"{len(trained)} iterations of training on Predator-Prey, easy level (PyTorch, binary32), "
            f"mean {np.mean(trained):.1f}; of {DRAWN} groupings at random mean {np.mean(drawn):.1f}, "
            f"largest {max(drawn):.1f}"
        )
        name = f"workload_dev_{scheme}_g{groups}"
        return make_row(round(max(trained), 1), "weights", "model", how, PAPER[name])

    @functools.lru_cache(maxsize=len(GROUPS))  # noqa: B019  one bench a process
    def _deviations(self, groups: int) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
        """Deviations of each iteration of training, and of groupings at random."""
        from .allocation import deviations_at_random, deviations_in_training

        say(f"{WATCHED} iterations of training with {groups} groups")
        hidden_size, cores, seed = self.hidden_size, self.config.cores, drawn_from(SEED)
        return (
            deviations_in_training(groups, cores, hidden_size=hidden_size, iterations=WATCHED, seed=seed),
            deviations_at_random(groups, cores, shape=(hidden_size, 4 * hidden_size), draws=DRAWN, seed=seed),
        )

    # Synthesised.

    def per_vpu(self, resource: str) -> dict[str, Any]:
        """A resource of a VPU and its share of the cluster's operand registers and selection."""
        from .....hw.soc.target.target import TARGETS
        from ....measurement.elaboration import elaborate_design
        from ....measurement.tool_cache import synthesise_once

        name = "vpu_cluster"
        design = elaborate_design(
            name, settings={"cluster_vpus": self.config.cluster_vpus, "blocks": self.config.blocks}
        )
        total = synthesise_once(design.verilog, name, "xcup", depth=0).result.total
        vpus = self.config.cluster_vpus
        how = f"Yosys, synth_xilinx -family xcup: a cluster of {vpus} VPUs, over {vpus}"
        unit = TARGETS["xcup"].units[resource]
        return make_row(round(getattr(total, resource) / vpus, 2), unit, "synthesised", how)


def _train_alike(device: Any, reference: Any, state: Any, steps: int) -> None:
    """An iteration on both, from the same state; all that they give and leave is compared."""
    random = np.random.default_rng(drawn_from(SEED))
    network, shape = device.network, (device.layout.episodes, device.network.agents)
    for one in (device, reference):
        one.load(state)
        one.start()
    for step in range(steps):
        observations = random.normal(0, 1, (*shape, network.observation_size))
        got, expected = (
            dict(zip(("movements", "gates", "values"), one.step(observations), strict=True))
            for one in (device, reference)
        )
        require_equal(f"The device in step {step}", expected, got)
    returns = random.normal(0, 1, (steps, *shape))
    for one in (device, reference):
        one.train(returns, np.full_like(returns, 1 / returns.size))
    require_equal("The device", reference.save(), device.save())


def _each(found: dict[int, float], digits: int) -> str:
    return ", ".join(f"{value:.{digits}f} with {groups}" for groups, value in found.items())


def _initial_state(network: Any, hardware: Any) -> Any:
    """Weights and grouping matrices at random, as training begins with them."""
    from ....reference.learninggroup.state import initial_state

    random = np.random.default_rng(drawn_from(SEED))
    state = initial_state(network, hardware.device.cores, drawn_from(SEED))
    for name, numbers in state.items():
        kind = name.split("/")[0]
        if kind.endswith("grouping"):
            state[name] = random.uniform(-1, 1, numbers.shape)
        elif kind in ("weight", "bias"):
            state[name] = random.normal(0, 0.1, numbers.shape)
    return state
