"""Work of the search tree that simulators are measured with."""

from functools import partial
from typing import Any

from ....measurement.simulated_work import SimulatedWork, Stopwatch

__all__ = ["simulated_work"]

# Simulations of the search, at most.
SIMULATIONS = 2000


def simulated_work(preset: str, system: str) -> SimulatedWork:
    """Selections and backups of all workers, the tree never without requests."""
    return SimulatedWork(
        what=f"a search of up to {SIMULATIONS} simulations by all workers",
        open=partial(_open, preset),
        simulation=lambda tree: tree.device.transport.simulation,
        work=_search,
        close=lambda tree: tree.close(),
    )


def _open(preset: str, threads: int) -> Any:
    from .....hw.soc.presets import load_preset
    from ....device.search_tree_backends import DeviceTree

    return DeviceTree(load_preset(preset, "mcts"), threads=threads)


def _search(tree: Any, stopwatch: Stopwatch) -> None:
    from .tree import REGISTERS, search_packets

    tree.write_registers(REGISTERS)
    clear, *packets = search_packets(tree.hardware, SIMULATIONS)
    tree.send(clear)
    with stopwatch.running():
        tree.send([request for packet in packets for request in packet])
