"""Settings that suit an environment where nobody says otherwise."""

import importlib.resources
from typing import Any

import yaml

from ....hw.cores.tree.config import TreeConfig
from ...core.environments.state_environment import StateEnvironment
from ...device.search_tree_room import children_of
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
    fanout = children_of(environment)
    return TreeConfig(fanout=fanout, group=min(6, fanout), policy=policy)
