"""Registers of a system, beside those of the shell, from the description that its package is made from."""

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from rewardware.hw.soc.bus.registers import AddressMap, Register
from rewardware.hw.soc.export.formats.register_table import register_table
from rewardware.hw.soc.presets import read_preset
from rewardware.hw.soc.shell.config import ACCELERATOR_ADDRESS


def own_registers(system: str) -> str:
    """The Markdown table of the registers that a system adds to those of the shell.

    Parameters
    ----------
    system : str
        Name of the device; its preset ``small`` is taken, as the registers do not depend on sizes.
    """
    everything = read_preset("small", system).hardware.shell.address_map
    own = [
        placed
        for placed in everything.placed
        if placed.address >= ACCELERATOR_ADDRESS and isinstance(placed.item, Register)
    ]
    return register_table(AddressMap(name=system, items=tuple(own)))


class Registers(SphinxDirective):
    """The table, where a page has the name of the system in a fence."""

    required_arguments = 1

    def run(self):
        self.content = StringList(own_registers(self.arguments[0]).splitlines(), source=self.get_source_info()[0])
        return self.parse_content_to_nodes()


def setup(app):
    app.add_directive("registers", Registers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
