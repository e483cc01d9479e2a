"""Ports of the Adam engine besides those of its memories."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from .adam_lane import RATE_WIDTH
from .config import AdamConfig

__all__ = ["AdamRates", "PowerPort", "adam_command"]


def adam_command(config: AdamConfig):
    """Rows of one network to update; ``advance`` first advances the bias correction, once a step and network."""
    return data.StructLayout({"network": range(max(config.networks, 2)), "base": 16, "count": 16, "advance": 1})


class AdamRates(wiring.Signature):
    """Rates of the updates, as outputs of the part that sets them; constant while a command runs.

    Parameters
    ----------
    networks : int

    Members
    -------
    learning_rates : Out(32).array(networks)
        32 fraction bits.
    one_minus_beta1, one_minus_beta2 : Out(21)
        One minus the decay of the first and of the second moment, 20 fraction bits.
    tau : Out(21)
        Part of the way that a target moves to its weight, 20 fraction bits.
    epsilon_squared : Out(32)
        In units of the squared gradient LSB, at least 1.
    """

    def __init__(self, networks: int):
        super().__init__(
            {
                "learning_rates": Out(32).array(networks),
                "one_minus_beta1": Out(RATE_WIDTH),
                "one_minus_beta2": Out(RATE_WIDTH),
                "tau": Out(RATE_WIDTH),
                "epsilon_squared": Out(32),
            }
        )


class PowerPort(wiring.Signature):
    """Sets a running power of a decay, seen from the one that sets it.

    Parameters
    ----------
    networks : int

    Members
    -------
    enable : Out(1)
    network : Out(range(networks))
    moment : Out(1)
        Moment whose decay is read: 0 the first moment's, 1 the second's.
    value : Out(33)
        32 fraction bits.
    """

    def __init__(self, networks: int):
        super().__init__(
            {"enable": Out(1), "network": Out(range(max(networks, 2))), "moment": Out(1), "value": Out(33)}
        )
