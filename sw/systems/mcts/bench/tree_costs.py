"""Resources of the units of a search tree, by Yosys, for its exploration."""

import dataclasses
from typing import Any

from ....mapping.tree_exploration import TreeCosts, buffers, largest_group

__all__ = ["measure_costs"]

# Stages of the synthesised interconnects: two butterflies, with as many banks per stage as the tree has, to tell a
# buffer's resources from a bank's. A crossbar, whose synthesis takes long, is measured once.
STAGES = (4, 8)


def measure_costs(config: Any, family: str) -> TreeCosts:
    """LUT of the units of a tree on a family of parts, each unit synthesised once.

    Parameters
    ----------
    config : TreeConfig
        Its widths and kinds of comparison.
    family : str
        In ``hw/soc/target``.
    """
    from .....hw.cores.tree.config import INTERCONNECTS
    from .....hw.cores.tree.selector import Selector
    from .....hw.cores.tree.selector_config import SelectorConfig

    selector, buffer, bank = {}, {}, {}
    for group in range(2, largest_group(config) + 1):
        shape = SelectorConfig(
            values=config.fanout, group=group, width=config.score_width, comparison=config.comparison
        )
        selector[group] = _tables(Selector(shape), "selector", family)
    for interconnect in INTERCONNECTS:
        if interconnect == "crossbar":
            count, _, tables = _network(config, interconnect, STAGES[0], family)
            buffer[interconnect], bank[interconnect] = tables / count, 0.0
        else:
            few, many = (_network(config, interconnect, stages, family) for stages in STAGES)
            # Two equations: buffers * buffer + banks * bank = tables.
            determinant = few[0] * many[1] - many[0] * few[1]
            buffer[interconnect] = (few[2] * many[1] - many[2] * few[1]) / determinant
            bank[interconnect] = (few[0] * many[2] - many[0] * few[2]) / determinant
    return TreeCosts(selector=selector, buffer=buffer, bank=bank)


def _network(config: Any, interconnect: str, stages: int, family: str) -> tuple[int, int, float]:
    """Buffers, banks and LUT of a small interconnect that carries a tree's nodes."""
    from .....hw.cores.tree.interconnect import StageBankInterconnect
    from .....hw.cores.tree.interconnect_config import InterconnectConfig
    from .....hw.cores.tree.stage_layouts import bank_command_layout, flit_layout

    banks = stages * -(-config.banks // config.levels)
    small = dataclasses.replace(config, levels=stages, banks=banks, nodes=banks)
    network = InterconnectConfig(stages=stages, banks=banks, interconnect=interconnect)
    unit = StageBankInterconnect(network, bank_command_layout(small), flit_layout(small))
    return buffers(network), banks, _tables(unit, "stage_bank_interconnect", family, depth=1)


def _tables(unit: Any, name: str, family: str, depth: int = 0) -> float:
    from .....hw.cores.verilog.emit import emit
    from ....measurement.tool_cache import synthesise_once

    return synthesise_once(emit(unit, name), name, family, depth=depth).result.total.lut
