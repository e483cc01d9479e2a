"""The figures of FIXAR: counted on the RTL, synthesised, placed, and against PyTorch on this machine."""

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....measurement.bench import Bench, drawn_from, make_row, say

__all__ = ["BATCHES", "PAPER_MHZ", "FixarBench"]

BATCHES = (64, 128, 256, 512)
PAPER_MHZ = 164
BITS = 16
COMPARED_BATCH = 256
SEED = 1
BOARD = "ulx3s-85f"
# The paper's figures, for comparison with ours.
PAPER = {"ips_full": 53_827, "util_full": 92.4, "dsp_per_pe": 4.5, "lut_per_pe": 422, "ff_per_pe": 316}


class FixarBench(Bench):
    """Rows of the bench, each made when it is asked for; what several need is done once.

    Parameters
    ----------
    preset : str
        Configuration of the RTL, by name or file.
    networks : Networks or None
        None: the paper's, HalfCheetah with 400 and 300 hidden neurons.
    """

    tracked = ("ips_full_b64", "util_full_b64", "act_cycles", "dsp_per_pe", "lut_per_pe", "ff_per_pe")

    def __init__(self, preset: str = "paper", networks: Any = None):
        from .....hw.soc.fixar.config import Networks
        from .....hw.soc.presets import load_preset

        self.preset = preset
        self.config = load_preset(preset)
        self.networks = networks or Networks(observation_size=17, action_size=6, hidden_sizes=(400, 300))
        self.batches = [batch for batch in BATCHES if batch <= self.config.batch_limit]
        self._device: Any = None

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        rows: dict[str, Callable[[], dict[str, Any]]] = {}
        for figure in (self.ips_full, self.ips_half, self.util_full, self.util_half):
            for batch in self.batches:
                rows[f"{figure.__name__}_b{batch}"] = functools.partial(figure, batch)
        return rows | {
            "act_cycles": self.act_cycles,
            "dsp_per_pe": functools.partial(self.per_element, "dsp"),
            "lut_per_pe": functools.partial(self.per_element, "lut"),
            "ff_per_pe": functools.partial(self.per_element, "ff"),
            "fmax_ulx3s": self.fmax_ulx3s,
            "ips_vs_cpu": functools.partial(self.ips_vs_cpu, half=False),
            "ips_half_vs_cpu": functools.partial(self.ips_vs_cpu, half=True),
            "ips_scaled_vs_cpu": self.ips_scaled_vs_cpu,
            "model_error": self.model_error,
            "sim_cycles_per_s": self.sim_cycles_per_s,
        }

    def in_order(self, names: Sequence[str]) -> list[str]:
        """All of one precision before the ranges are frozen for the other."""
        return sorted(names, key=lambda name: ("half" in name or name == "ips_scaled_vs_cpu", names.index(name)))

    def close(self) -> None:
        if self._device is not None:
            self._device.close()

    # Counted on the RTL.

    def ips_full(self, batch: int) -> dict[str, Any]:
        return self._throughput(batch, half=False, paper=PAPER["ips_full"])

    def ips_half(self, batch: int) -> dict[str, Any]:
        return self._throughput(batch, half=True, paper=None)

    def util_full(self, batch: int) -> dict[str, Any]:
        return self._utilization(batch, half=False, paper=PAPER["util_full"])

    def util_half(self, batch: int) -> dict[str, Any]:
        return self._utilization(batch, half=True, paper=None)

    def act_cycles(self) -> dict[str, Any]:
        report = self._act()
        actor = sum((layer.inputs - layer.first) * layer.outputs for layer in self.networks.layers("actor"))
        return make_row(
            report.cycles,
            "cycles",
            "counted",
            f"RTL: one observation to one action, load and store included; the weight memory gives a row of "
            f"{self.config.lanes} words a cycle, not a tile: {actor} weights alone take "
            f"{-(-actor // self.config.lanes)} cycles",
        )

    def sim_cycles_per_s(self) -> dict[str, Any]:
        batch = self.batches[-1] if ("full", self.batches[-1]) in self._steps else self.batches[0]
        self._step(batch, False)
        cycles, seconds = max(self._speed, key=lambda entry: entry[0] / entry[1])
        return make_row(
            round(cycles / seconds), "cycles/s", "measured", "Verilator, one thread, driver included; best run"
        )

    def _throughput(self, batch: int, half: bool, paper: float | None) -> dict[str, Any]:
        report = self._step(batch, half)
        how = f"RTL: a DDPG step of {batch} samples in {report.cycles} cycles, at {PAPER_MHZ} MHz"
        return make_row(round(batch / report.cycles * PAPER_MHZ * 1e6), "samples/s", "counted", how, paper)

    def _utilization(self, batch: int, half: bool, paper: float | None) -> dict[str, Any]:
        from ..program.cycles import useful_products

        report = self._step(batch, half)
        useful = useful_products(self.networks, batch)
        busy = report.busy["matrix"]
        per_cycle = self.elements * (2 if half else 1)
        how = f"RTL: {useful} multiply-accumulates over {per_cycle} a cycle in {busy} cycles of the matrix engine"
        return make_row(round(100 * useful / (per_cycle * busy), 2), "%", "counted", how, paper)

    @property
    def elements(self) -> int:
        """Processing elements."""
        return self.config.cores * self.config.lanes**2

    @functools.cached_property
    def _steps(self) -> dict[tuple[str, int], Any]:
        return {}

    @functools.cached_property
    def _speed(self) -> list[tuple[int, float]]:
        return []

    def _step(self, batch: int, half: bool) -> Any:
        """Report of one training step on the RTL."""
        key = ("half" if half else "full", batch)
        if key not in self._steps:
            device = self._open()
            if half and device.bits is None:
                if not self._steps:
                    self._step(self.batches[0], False)  # ranges to freeze
                device.freeze(BITS)
            elif not half and device.bits is not None:
                device.clear_ranges()
            say(f"training step of {batch} samples on the RTL, {key[0]} precision")
            start = time.perf_counter()
            device.train(_transitions(self.networks, batch))
            self._speed.append((device.report.cycles, time.perf_counter() - start))
            self._steps[key] = device.report
        return self._steps[key]

    @functools.lru_cache(maxsize=1)  # noqa: B019  one bench a process
    def _act(self) -> Any:
        device = self._open()
        if device.bits is not None:
            device.clear_ranges()
        device.act(_transitions(self.networks, 1).observations)
        return device.report

    def _open(self) -> Any:
        if self._device is None:
            from ....device.open import open_device
            from ..driver import FixarDevice

            say("building the simulator, or finding it in the cache")
            device = open_device("sim", self.config)
            self._device = FixarDevice(device, self.config, self.networks, _rates(), seed=drawn_from(SEED))
            self._device.load(_initial_state(self.config, self.networks))
        return self._device

    # Synthesised and placed.

    def per_element(self, resource: str) -> dict[str, Any]:
        """A resource of one processing element and its share of the adder trees."""
        from .....hw.soc.target.target import TARGETS
        from ....measurement.elaboration import elaborate_design
        from ....measurement.tool_cache import synthesise_once

        name = "processing_element_column"
        design = elaborate_design(name, self.preset)
        total = synthesise_once(design.verilog, name, "xcup", depth=0).result.total
        lanes = self.config.lanes
        unit = TARGETS["xcup"].units[resource]
        how = f"Yosys, synth_xilinx -family xcup: a column of {lanes} elements with its adder trees, over {lanes}"
        return make_row(
            round(getattr(total, resource) / lanes, 2), unit, "synthesised", how, PAPER[f"{resource}_per_pe"]
        )

    def fmax_ulx3s(self) -> dict[str, Any]:
        from ....measurement.board_flow import build_board

        result = build_board(BOARD)
        used = result["utilization"]
        how = (
            f"nextpnr, LFE5U-85F speed grade 6, preset {result['preset']}: "
            f"{used['lut'][0]} LUT, {used['dsp'][0]} multipliers, {used['bram'][0]} block RAMs"
        )
        return make_row(result["frequency_mhz"], "MHz", "placed", how)

    # Against PyTorch.

    def ips_vs_cpu(self, half: bool) -> dict[str, Any]:
        processor = self._processor()
        ours = self._throughput(COMPARED_BATCH, half, paper=None)["value"]
        bits = BITS if half else 32
        how = f"{ours} samples/s in {bits} bits over PyTorch's {processor['value']:.0f} ({processor['how']})"
        return make_row(round(ours / processor["value"], 2), "times", "counted", how)

    def ips_scaled_vs_cpu(self) -> dict[str, Any]:
        from .....hw.soc.presets import load_preset

        config = load_preset("scaled")
        model = _model(config, self.networks, COMPARED_BATCH, BITS)
        ours = COMPARED_BATCH / model * PAPER_MHZ * 1e6
        processor = self._processor()
        elements = config.cores * config.lanes**2
        multipliers = round(self.per_element("dsp")["value"] * elements)
        how = (
            f"preset scaled, {config.cores} cores of {config.lanes} x {config.lanes} ({multipliers} DSP48E2 in the "
            f"elements; `rewardware report fixar --config scaled --part xcvp1802` has the rest): {ours:.0f} samples/s "
            f"in {BITS} bits by the cycle model, which is {self.model_error()['value']} % off the RTL at most, over "
            f"PyTorch's {processor['value']:.0f} ({processor['how']})"
        )
        return make_row(round(ours / processor["value"], 2), "times", "model", how)

    def model_error(self) -> dict[str, Any]:
        """The cycle model against the RTL, over the steps that ran."""
        self._step(COMPARED_BATCH if COMPARED_BATCH in self.batches else self.batches[-1], False)
        self._step(COMPARED_BATCH if COMPARED_BATCH in self.batches else self.batches[-1], True)
        errors = {
            key: _model(self.config, self.networks, key[1], BITS if key[0] == "half" else None) / report.cycles - 1
            for key, report in self._steps.items()
        }
        worst = max(errors, key=lambda key: abs(errors[key]))
        how = f"cycle model and RTL over {len(errors)} steps; furthest off: {worst[0]} precision, {worst[1]} samples"
        return make_row(round(100 * abs(errors[worst]), 2), "%", "counted", how)

    @functools.lru_cache(maxsize=1)  # noqa: B019  one bench a process
    def _processor(self) -> dict[str, Any]:
        from .processor import samples_per_second

        say("PyTorch on one core of this machine")
        return samples_per_second(self.networks, COMPARED_BATCH, _transitions(self.networks, COMPARED_BATCH))


def _rates() -> Any:
    from .....hw.soc.fixar.config import Rates

    return Rates.of()


def _model(config: Any, networks: Any, batch: int, bits: int | None) -> int:
    """Cycles of a training step by the program's model."""
    from ..program.compiler import Compiler

    cycles: int = Compiler(config, networks).train(batch, bits=bits).cycles().cycles
    return cycles


def _transitions(networks: Any, batch: int) -> Any:
    """A batch of random numbers of the size that HalfCheetah's have."""
    from ....reference.learner_batch import LearnerBatch

    random = np.random.default_rng(drawn_from(SEED))
    shape = (batch, networks.observation_size)
    return LearnerBatch(
        observations=random.normal(size=shape).astype(np.float32),
        actions=random.uniform(-1, 1, (batch, networks.action_size)).astype(np.float32),
        rewards=random.normal(size=batch).astype(np.float32),
        discounts=np.full(batch, 0.99, np.float32),
        next_observations=random.normal(size=shape).astype(np.float32),
    )


def _initial_state(config: Any, networks: Any) -> Any:
    from ....networks.initialization import initial_layers
    from ....reference.fixar_state import initial_state, with_parameters

    state = initial_state(config, networks, drawn_from(SEED))
    random = np.random.default_rng(drawn_from(SEED))
    for network, inputs, outputs in (
        ("actor", networks.observation_size, networks.action_size),
        ("critic", networks.input_size, 1),
    ):
        layers = initial_layers((inputs, *networks.hidden_sizes, outputs), random)
        matrices, biases = [matrix for matrix, _ in layers], [bias for _, bias in layers]
        for name in (network, f"target_{network}"):
            state = with_parameters(state, config, networks, name, matrices, biases)
    return state
