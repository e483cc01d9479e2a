"""Experiences a second beside those of the fastest implementation that a user could pick for the same processor."""

import functools
import os
from typing import Any

from ....algorithms.replay_parameters import PRECISIONS
from ....measurement.bench import comparison_library, make_row
from ....networks.native.library import native_library
from .returns import mean_return
from .rltools_sac import rltools_speed
from .runtime import (
    COMPARISONS,
    ENVIRONMENTS,
    Arm,
    Comparison,
    arms_here,
    arms_of_stable_baselines3,
    describe,
    measure_in_turn,
    median_speeds,
    model_of,
    off_policy_model,
    own_parameters,
)

__all__ = ["FASTEST", "against_the_fastest", "compiled_model", "sbx_model"]

FASTEST = {name: COMPARISONS[name] for name in ("dqn", "ddpg", "sac")}
# For each measured model.
EPISODES = 2


def sbx_model(comparison: Comparison, environments: int) -> Any:
    """Model of SBX, Stable-Baselines3's algorithms in JAX: on all cores of this process, its DQN without a limit of the
    gradient's length, which it does not have."""
    own = {name: value for name, value in own_parameters(comparison.config).items() if name != "max_grad_norm"}
    return off_policy_model(comparison_library("sbx"), comparison, environments, own)


def compiled_model(comparison: Comparison, environments: int) -> Any:
    """Stable-Baselines3's, with networks compiled by ``torch.compile``."""
    import torch

    # Networks of earlier models would count towards a limit, beyond which none is compiled.
    torch.compiler.reset()
    model = model_of(comparison, environments)
    for network in model.policy.children():
        network.compile()
    return model


def _arms_of_sbx() -> dict[str, Arm]:
    return {
        f"SBX with {environments}": Arm(functools.partial(sbx_model, environments=environments))
        for environments in (1, ENVIRONMENTS)
    }


def against_the_fastest(comparison: Comparison) -> dict[str, Any]:
    """A row without its name: the median of several measurements over that of the fastest of all others."""
    # Products of bfloat16 are only faster where the processor has an instruction for them.
    precisions = PRECISIONS if native_library().has_bfloat16() else ("binary32",)
    ours = arms_here(comparison, precisions)
    compiled = arms_of_stable_baselines3(comparison, compiled_model, (ENVIRONMENTS,), ", compiled")
    theirs = arms_of_stable_baselines3(comparison) | compiled | _arms_of_sbx()
    found = measure_in_turn(
        comparison, ours | theirs, then=lambda model: mean_return(model, comparison.environment, EPISODES)
    )
    medians = median_speeds(found)
    best, other = (max(arms, key=lambda told: medians[told]) for arms in (ours, theirs))
    returns = {told: sum(value for _, value in found[told]) / len(found[told]) for told in (best, other)}
    figures, fastest = describe(comparison, found), medians[other]
    if comparison.config.algorithm == "sac":
        speed = rltools_speed(comparison)
        figures, fastest = f"{figures}; RLtools, once, of fewer experiences: {speed:.0f}", max(fastest, speed)
    how = (
        f"{figures}; {len(os.sched_getaffinity(0))} cores for all; mean return of {EPISODES} episodes of each after "
        f"the same experiences: {returns[best]:.1f}, fastest of the others {returns[other]:.1f}"
    )
    return make_row(round(medians[best] / fastest, 2), "times", "measured", how)
