"""The cores' rows behind a host's map."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from rewardware.hw.cores.array.host_rows import HostRows, host_regions
from rewardware.hw.cores.component import ConfiguredComponent
from rewardware.hw.cores.memory.host_map import HostMap
from rewardware.hw.cores.memory.host_map_config import HostMapConfig

ACTIVATIONS, ERRORS, CODES = 5, 6, 8


def host_config(config):
    """A map of nothing but these rows."""
    regions = host_regions(config, activations=ACTIVATIONS, errors=ERRORS, codes=CODES, settle=3)
    return HostMapConfig(regions=regions, core_width=3, modulus=config.lanes, registered=True)


class MappedRows(ConfiguredComponent):
    """A map and the rows behind it: accesses in, insertions and reads of the memories out.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    accesses, answers
        The map's.
    options, noise, insertions, activation_rows, error_rows
        Ports of the rows.
    """

    def __init__(self, config):
        host = host_config(config)
        self._map, self._rows = HostMap(host), HostRows(config, host=host)
        of_map, of_rows = self._map.signature.members, self._rows.signature.members
        outside = ("options", "noise", "insertions", "activation_rows", "error_rows")
        super().__init__(
            config,
            {name: of_map[name] for name in ("accesses", "answers")} | {name: of_rows[name] for name in outside},
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.map, m.submodules.rows = self._map, self._rows
        wiring.connect(m, wiring.flipped(self.accesses), self._map.accesses)
        wiring.connect(m, wiring.flipped(self.noise), self._rows.noise)
        wiring.connect(m, self._rows.insertions, wiring.flipped(self.insertions))
        m.d.comb += [self.answers.eq(self._map.answers), self._rows.options.eq(self.options)]
        for core in range(self.config.cores):
            for name in ("activation_rows", "error_rows"):
                wiring.connect(m, getattr(self._rows, name)[core], wiring.flipped(getattr(self, name)[core]))
            for name in ("activations", "errors", "codes"):
                wiring.connect(m, getattr(self._map, name)[core][0], getattr(self._rows, name)[core][0])
        return m
