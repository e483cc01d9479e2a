"""The base of all cores: components made from one configuration."""

from amaranth.lib import wiring

__all__ = ["ConfiguredComponent"]


class ConfiguredComponent(wiring.Component):
    """A component that is made from one configuration and shows it.

    Parameters
    ----------
    config : frozen dataclass
    signature : dict or wiring.Signature
        The members.
    """

    def __init__(self, config, signature):
        self._config = config
        super().__init__(signature)

    @property
    def config(self):
        """The configuration."""
        return self._config
