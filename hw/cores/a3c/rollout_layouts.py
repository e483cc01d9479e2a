"""Layouts that the parts that work on agents' rollouts exchange."""

from amaranth.lib import data

from .config import A3CConfig
from .ports import agent_number, inference_layout

__all__ = ["policy_layout", "training_layout", "transition_layout"]


def policy_layout(config: A3CConfig):
    """Layout of an inferred policy."""
    width = config.arithmetic.format.width
    probabilities = data.ArrayLayout(width, config.actions)
    return data.StructLayout({"place": inference_layout(config), "probabilities": probabilities, "value": width})


def transition_layout(config: A3CConfig):
    """Layout of a transition: the action of an agent at a step and its reward."""
    width = config.arithmetic.format.width
    return data.StructLayout({"place": inference_layout(config), "action": range(config.actions), "reward": width})


def training_layout(config: A3CConfig):
    """A rollout to be trained with: its steps, and whether the value of a state after them counts."""
    return data.StructLayout({"agent": agent_number(config.agents), "steps": range(config.steps + 1), "follows": 1})
