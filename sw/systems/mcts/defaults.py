"""What suits an environment where nobody says otherwise."""

import importlib.resources
from typing import Any

import yaml

from ....hw.cores.tree.config import MOST_CHILDREN, TreeConfig
from ...core.environments.state_environment import StateEnvironment
from .planner_config import PlannerConfig

__all__ = ["planner_config", "tree_config"]


def planner_config(environment: StateEnvironment, given: dict[str, Any]) -> PlannerConfig:
    """The planner's configuration: what is given, over what `environments.yaml` has for the environment."""
    text = (importlib.resources.files(__package__) / "environments.yaml").read_text(encoding="utf-8")
    return PlannerConfig.from_mapping({**yaml.safe_load(text).get(environment.name, {}), **given})


def tree_config(environment: StateEnvironment, policy: str = "uct") -> TreeConfig:
    """The default tree with as many children a node as there are actions.

    Raises
    ------
    ValueError
        There are more actions than the tree accelerator has children of a node.
    """
    if environment.actions > MOST_CHILDREN:
        raise ValueError(
            f"Actions of an environment must be at most {MOST_CHILDREN}, the most children of a node in the tree "
            f"accelerator, not {environment.actions} as those of {environment.name}"
        )
    fanout = max(2, environment.actions)
    return TreeConfig(fanout=fanout, group=min(6, fanout), policy=policy)
