"""Words, memory ports and jobs of the engines that agents share."""

from amaranth.hdl import unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .config import READ_LATENCY, A3CConfig

__all__ = [
    "READ_LATENCY",
    "AgentRead",
    "AgentWrite",
    "activation_read",
    "activation_write",
    "agent_number",
    "error_read",
    "error_write",
    "gradient_layout",
    "inference_layout",
    "parameter_read",
    "parameter_write",
    "result_layout",
    "rollout_layout",
    "row_address",
    "sign_read",
    "sign_write",
    "word_layout",
]


def row_address(depth: int):
    """A row's number; at least one bit."""
    return range(max(depth, 2))


def agent_number(agents: int):
    """An agent's number; at least one bit."""
    return range(max(agents, 2))


class AgentRead(wiring.Signature):
    """A port that reads a row of one agent's memory, seen from its user.

    ``data`` belong to the agent and address of ``READ_LATENCY`` cycles ago, if ``enable`` was set then, and stay until
    those of the next read come.

    Parameters
    ----------
    shape : shape-like
        A row.
    agents, depth : int
        Memories, and rows of each.

    Members
    -------
    enable : Out(1)
    agent : Out(range(agents))
    address : Out(range(depth))
    data : In(shape)
    """

    def __init__(self, shape, agents: int, depth: int):
        super().__init__(
            {
                "enable": Out(1),
                "agent": Out(agent_number(agents)),
                "address": Out(row_address(depth)),
                "data": In(shape),
            }
        )


class AgentWrite(wiring.Signature):
    """A port that writes a row of one agent's memory, seen from its user; reads find it from the next cycle on.

    Parameters
    ----------
    shape : shape-like
        A row.
    agents, depth : int
        Memories, and rows of each.
    broadcast : bool
        Whether it may write to all of them.

    Members
    -------
    enable : Out(1)
    agent : Out(range(agents))
    broadcast : Out(1), only with ``broadcast``
        The memories of all agents, whatever ``agent`` is.
    address : Out(range(depth))
    data : Out(shape)
    """

    def __init__(self, shape, agents: int, depth: int, *, broadcast: bool = False):
        super().__init__(
            {
                "enable": Out(1),
                "agent": Out(agent_number(agents)),
                **({"broadcast": Out(1)} if broadcast else {}),
                "address": Out(row_address(depth)),
                "data": Out(shape),
            }
        )


def word_layout(config: A3CConfig):
    """A word: ``width`` numbers."""
    return data.ArrayLayout(config.arithmetic.format.width, config.width)


def parameter_read(config: A3CConfig):
    """Reads words of an agent's parameters."""
    return AgentRead(word_layout(config), config.agents, config.words)


def parameter_write(config: A3CConfig):
    """Writes words of parameters, of an agent or of all."""
    return AgentWrite(word_layout(config), config.agents, config.words, broadcast=True)


def activation_read(config: A3CConfig):
    """Reads activations: row ``slot * activation_rows + layer.input_row + block``."""
    return AgentRead(word_layout(config), config.agents, config.slots * config.activation_rows)


def activation_write(config: A3CConfig):
    """Writes activations."""
    return AgentWrite(word_layout(config), config.agents, config.slots * config.activation_rows)


def sign_read(config: A3CConfig):
    """Reads a bit for each number of a row of activations, at its address: whether it is above 0."""
    return AgentRead(unsigned(config.width), config.agents, config.slots * config.activation_rows)


def sign_write(config: A3CConfig):
    """Writes such bits; the rows of observations have none."""
    return AgentWrite(unsigned(config.width), config.agents, config.slots * config.activation_rows)


def error_read(config: A3CConfig):
    """Reads errors: row ``step * error_rows + layer.output_row + group``."""
    return AgentRead(word_layout(config), config.agents, config.steps * config.error_rows)


def error_write(config: A3CConfig):
    """Writes errors."""
    return AgentWrite(word_layout(config), config.agents, config.steps * config.error_rows)


def inference_layout(config: A3CConfig):
    """A job of a forward engine: an agent, and the slot of its activations that has the observation."""
    return data.StructLayout({"agent": agent_number(config.agents), "slot": range(config.slots)})


def rollout_layout(config: A3CConfig):
    """A job of the others: an agent, and the steps of its rollout (1 to ``config.steps``)."""
    return data.StructLayout({"agent": agent_number(config.agents), "steps": range(config.steps + 1)})


def result_layout(config: A3CConfig):
    """An inference: logits, and the value after them."""
    outputs = data.ArrayLayout(config.arithmetic.format.width, config.outputs)
    return data.StructLayout({"agent": agent_number(config.agents), "slot": range(config.slots), "outputs": outputs})


def gradient_layout(config: A3CConfig):
    """A word of gradients of an agent, with the address of its word of parameters; ``last`` is the agent's last."""
    return data.StructLayout(
        {
            "agent": agent_number(config.agents),
            "address": row_address(config.words),
            "last": 1,
            "word": word_layout(config),
        }
    )
