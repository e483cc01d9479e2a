"""The figures of PEARL beside those of the paper and of sum trees in software."""

import functools
from collections.abc import Callable
from typing import Any

from .....hw.cores.layer.config import NetworkConfig
from .....hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig, PerceptronLearnerConfig
from ....mapping.layer_balance import balance_actor_critic, balance_units
from ....mapping.layer_pipeline import (
    equation_cycles,
    learner_stage_cycles,
    step_cycles,
    units,
    utilisation,
)
from ....mapping.replay_cycles import sample_cycles, update_cycles
from ....measurement.bench import BenchOfPresets, make_row
from . import sum_trees
from .fastest import FASTEST, against_the_fastest
from .portability import portability
from .returns import IN_BFLOAT16, LEARNING, returns_against_stable_baselines3, returns_in_bfloat16
from .runtime import COMPARISONS, against_stable_baselines3
from .user_lines import EXAMPLES, lines_of_example

__all__ = ["PearlBench"]

FANOUTS = (2, 4, 8, 16)
REPLAY_PRESETS = (*(f"k{fanout}" for fanout in FANOUTS), "k16-lanes2")
BATCH = 128
# The source's models, section 4.5.2, in percent.
MODEL_ERROR = 12
MODEL_ERROR_LEARNER = 10
# From Table 4.4, about.
USER_LINES = {"dqn": 85, "ddpg": 120, "sac": 160}
# The comparison with software.
MHZ = 250
# Networks of the source's benchmarks, of DDPG the actor and the critic, and multiplier and adder pairs for all stages.
DQN_NETWORKS = {"CartPole": (4, 64, 64, 2), "MountainCar": (2, 256, 128, 3)}
DDPG_NETWORKS = {"MountainCarContinuous": ((2, 256, 128, 1), (3, 256, 128, 1))}
LEARNERS = {"dqn": tuple(DQN_NETWORKS), "ddpg": tuple(DDPG_NETWORKS)}
UNITS = {"dqn": 300, "ddpg": 700}
ROW_BYTES = 8


class PearlBench(BenchOfPresets):
    """Rows of the bench: ``sample_cycles_k4`` is of preset ``k4``."""

    system = "pearl"
    tracked = (
        *(f"{kind}_cycles_k{fanout}" for kind in ("sample", "update") for fanout in FANOUTS),
        "learner_cycles_dqn",
    )

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        rows: dict[str, Callable[[], dict[str, Any]]] = {
            f"{kind}_cycles_k{fanout}": part(self.cycles, kind, fanout)
            for kind in ("sample", "update")
            for fanout in FANOUTS
        }
        rows |= {f"{kind}_vs_cpu": part(self.against_cpu, kind) for kind in ("sample", "update")}
        rows |= {f"learner_cycles_{algorithm}": part(self.learner_cycles, algorithm) for algorithm in LEARNERS}
        rows |= {f"learner_util_{algorithm}": part(self.learner_utilisation, algorithm) for algorithm in LEARNERS}
        rows["model_error_learner"] = self.learner_model_error
        rows["model_error_replay"] = self.model_error
        rows |= {f"eps_vs_sb3_{name}": part(against_stable_baselines3, what) for name, what in COMPARISONS.items()}
        rows |= {f"eps_vs_fastest_{name}": part(against_the_fastest, what) for name, what in FASTEST.items()}
        rows |= {
            f"return_vs_sb3_{name}": part(returns_against_stable_baselines3, what) for name, what in LEARNING.items()
        }
        rows |= {f"return_bfloat16_{name}": part(returns_in_bfloat16, what) for name, what in IN_BFLOAT16.items()}
        return rows | {"portability": portability, "user_lines": self.user_lines}

    def cycles(self, kind: str, fanout: int) -> dict[str, Any]:
        """Cycles of a batch, from the start of the program to its end."""
        counts = _counts(f"k{fanout}")
        depth = counts.depth
        paper = 2 * fanout * (BATCH + depth) if kind == "sample" else 2 * (BATCH + depth)
        what = {
            "sample": "samples, draws of the device, the total behind them",
            "update": "updates of leaves at random, their old priorities in the answers",
        }
        how = (
            f"preset k{fanout}: {BATCH} {what[kind]}, program included; {counts.leaves} leaves, {depth} levels; all "
            f"answers the reference's; {BATCH} + 8 * {depth} is {BATCH + 8 * depth}"
        )
        return make_row(getattr(counts, kind), "cycles", "counted", how, paper)

    def model_error(self) -> dict[str, Any]:
        """The largest distance of the cycle model from what was counted."""
        models = {"sample": sample_cycles, "update": update_cycles}
        errors = {}
        for preset in REPLAY_PRESETS:
            for batch in (BATCH, sum_trees.BATCH):
                counts = _counts(preset, batch)
                for kind, model in models.items():
                    counted = getattr(counts, kind)
                    errors[preset, batch, kind] = 100 * abs(model(_preset(preset), batch) - counted) / counted
        worst = max(errors, key=lambda point: errors[point])
        how = (
            f"most of {len(errors)} batches, of {BATCH} and {sum_trees.BATCH} samples and updates of "
            f"{', '.join(REPLAY_PRESETS)}: {worst[0]}, {worst[1]} in a batch, {worst[2]}"
        )
        return make_row(round(errors[worst], 2), "%", "model", how, MODEL_ERROR)

    def learner_cycles(self, algorithm: str) -> dict[str, Any]:
        """Cycles of a gradient step, from its command to its completion."""
        name = LEARNERS[algorithm][0]
        counted, config = _step(name)
        stage = learner_stage_cycles(config)
        layers = sum(len(network.units) for network, _ in config.network_stages)
        paper, model = equation_cycles(stage, BATCH, layers), step_cycles(config, BATCH)
        how = (
            f"{_learner(name)}, T_stage {stage}; the source's is equation 4.4, {layers} layers and no optimiser: "
            f"counted {_difference(counted, paper)}; the gateware's model has each stage in its own time, and the "
            f"optimiser: {model}, counted {_difference(counted, model)}; batch {BATCH}, all numbers the reference's"
        )
        return make_row(counted, "cycles", "counted", how, paper)

    def learner_utilisation(self, algorithm: str) -> dict[str, Any]:
        """Multiplications and additions of a step over those that the units could have done in it: the least."""
        shares = {}
        for name in LEARNERS[algorithm]:
            counted, config = _step(name)
            shares[name] = 100 * utilisation(config, BATCH, counted)
        text = "; ".join(f"{_learner(name)}: {share:.1f} %" for name, share in shares.items())
        how = f"the least of {text}; batch {BATCH}, optimiser's cycles counted, its units not"
        return make_row(round(min(shares.values()), 1), "%", "counted", how)

    def learner_model_error(self) -> dict[str, Any]:
        """The largest distance of the cycle model, optimiser included, from what was counted."""
        errors = {}
        for name in (name for names in LEARNERS.values() for name in names):
            counted, config = _step(name)
            errors[name] = 100 * abs(step_cycles(config, BATCH) - counted) / counted
        worst = max(errors, key=lambda name: errors[name])
        how = f"{_learner(worst)}, the worst of {len(errors)}; batch {BATCH}, optimiser included"
        return make_row(round(errors[worst], 2), "%", "model", how, MODEL_ERROR_LEARNER)

    def user_lines(self) -> dict[str, Any]:
        """Lines of the longest example."""
        lines = {algorithm: lines_of_example(algorithm) for algorithm in EXAMPLES}
        told = ", ".join(f"{name} {count} (paper: {USER_LINES[name]})" for name, count in lines.items())
        how = f"most of the examples in sw/algorithms/examples, without blank lines, comments and docstrings: {told}"
        return make_row(max(lines.values()), "lines", "counted", how, max(USER_LINES.values()))

    def against_cpu(self, kind: str) -> dict[str, Any]:
        """The fastest preset against the fastest tree in software."""
        counts = {preset: _counts(preset, sum_trees.BATCH) for preset in REPLAY_PRESETS}
        best = min(REPLAY_PRESETS, key=lambda preset: getattr(counts[preset], kind))
        cycles = getattr(counts[best], kind)
        found = sum_trees.fastest_tree(kind, counts[best].leaves)
        how = (
            f"preset {best}, {MHZ} MHz: {cycles} cycles for {sum_trees.BATCH}, {cycles / MHZ:.2f} us, without "
            f"the link, which has to carry {_kilobytes(kind):.1f} kB; {found['how']}"
        )
        return make_row(round(found["value"] * MHZ / cycles, 1), "times", "measured", how)


def _difference(counted: int, model: int) -> str:
    return f"{100 * (counted - model) / model:+.1f} %"


def _kilobytes(kind: str) -> float:
    """Kilobytes of a batch's rows, both ways: a batch of samples has none to the device, and the total back."""
    rows = sum_trees.BATCH + 1 if kind == "sample" else 2 * sum_trees.BATCH
    return rows * ROW_BYTES / 1000


def _preset(name: str) -> Any:
    from .....hw.soc.presets import load_preset

    return load_preset(name, "pearl")


@functools.cache
def _step(name: str) -> tuple[int, PerceptronLearnerConfig]:
    """Counted cycles of a step of an environment's learner, and its configuration."""
    from .learner import count_step

    config = _learner_config(name)
    return count_step(config, BATCH), config


def _learner_config(name: str) -> PerceptronLearnerConfig:
    if name in DQN_NETWORKS:
        sizes = DQN_NETWORKS[name]
        return DQNLearnerConfig(network=NetworkConfig(sizes=sizes, units=balance_units(sizes, UNITS["dqn"])))
    actor, critic = DDPG_NETWORKS[name]
    of_actor, of_critic = balance_actor_critic(actor, critic, UNITS["ddpg"])
    return DDPGLearnerConfig(
        actor=NetworkConfig(sizes=actor, units=of_actor, output_activation="tanh"),
        critic=NetworkConfig(sizes=critic, units=of_critic),
    )


def _learner(name: str) -> str:
    """An environment's stand-in, in words."""
    config = _learner_config(name)
    networks = [
        f"{'-'.join(map(str, network.sizes))}, UF {'-'.join(map(str, network.units))}"
        for network, _ in config.network_stages
    ]
    most = next(UNITS[algorithm] for algorithm, names in LEARNERS.items() if name in names)
    return f"{name}, {' and '.join(networks)}, {units(config)} units of at most {most}"


@functools.cache
def _counts(preset: str, batch: int = BATCH) -> Any:
    from .replay import count_batches

    return count_batches(_preset(preset), batch)
