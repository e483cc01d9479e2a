"""The base of systems: a shell, and the host's ports."""

from abc import ABC, abstractmethod

from amaranth.hdl import Module
from amaranth.lib import wiring

from ...cores.component import ConfiguredComponent
from .shell import Shell, system_signature

__all__ = ["System"]


class System(ConfiguredComponent, ABC):
    """A whole device: a shell, and what :meth:`connect_engines` puts behind it.

    Parameters
    ----------
    config : object
        With the configuration of the ``shell``.

    Members
    -------
    control, stream_in, stream_out, partial_row, interrupt
        See :func:`.system_signature`.
    """

    def __init__(self, config):
        super().__init__(config, system_signature(config.shell))

    @abstractmethod
    def connect_engines(self, m: Module, shell: Shell):
        """Adds the engines and memories, and connects them to the shell."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.shell = shell = Shell(self._config.shell)
        wiring.connect(m, wiring.flipped(self.control), shell.control)
        wiring.connect(m, wiring.flipped(self.stream_in), shell.stream_in)
        wiring.connect(m, shell.stream_out, wiring.flipped(self.stream_out))
        m.d.comb += [shell.partial_row.eq(self.partial_row), self.interrupt.eq(shell.interrupt)]
        self.connect_engines(m, shell)
        return m
