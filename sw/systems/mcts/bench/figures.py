"""The figures of MCTS beside those of the paper and of searches in software."""

import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Any

from ....measurement.bench import BenchOfPresets, make_row
from . import actions

__all__ = ["MCTSBench"]

# Levels of the searches in software, which take the same time on any more.
LEVELS = 16
FANOUTS = (6, 18)
# The source's clock, section 3.3.4.
MHZ = 250
# Cycles between selections, by preset: the source's table 3.8, with Algorithm 2 and without.
INTERVALS = {
    "f6_d8": (3.2, 8.1),
    "f6_d16": (3.5, 17.6),
    "f6_d32": (9.7, 36.4),
    "f18_d4": (4.3, 7.3),
    "f18_d16": (4.7, 18.2),
    "f18_d32": (10.5, 37.8),
}
# The same table's rows of the games, with 16 levels.
GAMES = {"pong": ("ALE/Pong-v5", "f6_d16", 3.7), "carnival": ("ALE/Carnival-v5", "f6_d16", 3.5),
         "alien": ("ALE/Alien-v5", "f18_d16", 4.7)}  # fmt: skip
# The preset in which insertions, backups and operations are counted, by fanout. The source gives 1.02 to 20 cycles per
# insertion for all of its trees, and 2 per backup.
COUNTED = {6: "f6_d16", 18: "f18_d16"}
BACKUP_CYCLES = 2
# Operations of a simulation in software: it selects, inserts and backs up.
OPERATIONS = 3
# LUT of the source's table 3.7, for 32 levels.
TABLES = {"f6_d16": None, "f6_d32": 179_000, "f18_d32": 418_000}
SYNTHESISED_FOR = "xcup"
# Units of which the parts of a tree are made, with a number after the name of each further kind.
UNITS = {
    "stages": re.compile("(level_stage|slot_name)$"),
    "banks": re.compile("bank$"),
    "interconnect": re.compile(r"(switch|round_robin_arbiter)(_\d+)?$"),
}
GAPLESS = "requests without a gap, all answers the reference's"


class MCTSBench(BenchOfPresets):
    """Rows of the bench: ``f6_d16`` in the name of a figure is that it is of preset ``f6-d16``."""

    system = "mcts"
    tracked = ("itv_f6_d16", "insert_cycles", "backup_cycles", "simulation_cycles")

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        rows: dict[str, Callable[[], dict[str, Any]]] = {}
        for name in INTERVALS:
            rows[f"itv_{name}"] = part(self.interval, name)
            rows[f"itv_{name}_next_empty"] = part(self.interval, name, bank_assignment="next_empty")
        rows |= {f"itv_{game}": part(self.game_interval, game) for game in GAMES}
        rows |= {"insert_cycles": self.insertion, "backup_cycles": self.backup}
        rows |= {"backup_cycles_two_flits": part(self.backup, flits=2), "backup_cycles_at_rest": self.backup_at_rest}
        rows |= {"simulation_cycles": part(self.simulation, COUNTED[FANOUTS[0]])}
        rows |= {"simulation_cycles_ulx3s": part(self.simulation, "ulx3s")}
        rows |= {f"lut_{name}": part(self.tables, name) for name in TABLES}
        for fanout in FANOUTS:
            ending = "" if fanout == FANOUTS[0] else f"_f{fanout}"
            rows |= {
                f"intree_ops_per_s{ending}": part(self.operations, fanout),
                f"intree_vs_cpp{ending}": part(self.against_uct, "plain", fanout),
                f"intree_vs_cpp_scored{ending}": part(self.against_uct, "scored", fanout),
            }
        rows |= {"intree_vs_mctx": self.against_mctx, "intree_vs_openspiel": self.against_openspiel}
        rows |= {f"aps_vs_cpu_{game}": part(self.actions, game) for game in actions.GAMES}
        for kind, name in (("plain", "cpp"), ("scored", "cpp_scored")):
            rows |= {f"{name}_ops_per_s_f{fanout}": part(self.uct, kind, fanout) for fanout in FANOUTS}
        return rows | {"mctx_simulations_per_s": self.mctx, "openspiel_simulations_per_s": self.openspiel}

    # Searches on the RTL.

    def interval(self, name: str, **changes: Any) -> dict[str, Any]:
        counts, assignment = _search(name, **changes), _config(name, **changes).bank_assignment
        how = (
            f"{_preset(name)}, {assignment}: {counts.selections} selections, those that came right after another one, "
            f"all workers selecting and backing up in turn; {counts.insertions} insertions; {counts.requests} {GAPLESS}"
        )
        with_algorithm, without = INTERVALS[name]
        paper = with_algorithm if assignment == "algorithm2" else without
        return make_row(round(counts.interval, 2), "cycles", "counted", how, paper)

    def game_interval(self, game: str) -> dict[str, Any]:
        environment, name, paper = GAMES[game]
        counts = _game(environment, name)
        how = (
            f"{_preset(name)}: {counts.selections} selections in the first decisions of {environment}, recorded in "
            f"this run; {counts.requests} {GAPLESS}"
        )
        return make_row(round(counts.interval, 2), "cycles", "counted", how, paper)

    def insertion(self) -> dict[str, Any]:
        name = COUNTED[FANOUTS[0]]
        counts = _search(name)
        how = (
            f"{_preset(name)}: cycles of the assignment of banks over {counts.insertions} insertions; it works beside "
            "the stages, and an insertion takes no cycle of them"
        )
        return make_row(round(counts.assigning / counts.insertions, 2), "cycles", "counted", how)

    def backup(self, **changes: Any) -> dict[str, Any]:
        name = COUNTED[FANOUTS[0]]
        counts = _search(name, **changes)
        preset = ", ".join([_preset(name), *(f"{field}: {value}" for field, value in changes.items())])
        how = (
            f"{preset}: {counts.backups} backups, those that came right after another one; "
            f"{counts.cycles / counts.selections:.2f} cycles a simulation in all; {counts.requests} {GAPLESS}"
        )
        return make_row(round(counts.backup_interval, 2), "cycles", "counted", how, BACKUP_CYCLES)

    def backup_at_rest(self) -> dict[str, Any]:
        name = COUNTED[FANOUTS[0]]
        counts = _search(name, at_rest=True)
        turns = len(counts.packets) // 2
        selecting, backing_up = (sum(counts.packets[first::2]) / turns for first in (1, 2))
        workers = counts.selections // turns
        how = (
            f"{_preset(name)}: {counts.backups} backups, each turn's sent when all before were answered; until the "
            f"last answer {workers} selections take {selecting:.0f} cycles, {workers} backups {backing_up:.0f}, "
            f"the mean of {turns} turns; all answers the reference's"
        )
        return make_row(round(counts.backup_interval, 2), "cycles", "counted", how, BACKUP_CYCLES)

    def simulation(self, name: str) -> dict[str, Any]:
        counts = _search(name)
        how = (
            f"{_preset(name)}: {counts.cycles} cycles over {counts.selections} selections and as many backups; a "
            f"selection enters {counts.interval:.2f} cycles after another one, a backup {counts.backup_interval:.2f} "
            f"after another one, the rest is between one kind and the other; "
            f"{counts.requests} {GAPLESS}"
        )
        return make_row(round(counts.cycles / counts.selections, 2), "cycles", "counted", how)

    def operations(self, fanout: int) -> dict[str, Any]:
        name = COUNTED[fanout]
        counts = _search(name)
        how = (
            f"{_preset(name)}, {MHZ} MHz: {counts.selections} selections, {counts.insertions} insertions and "
            f"{counts.backups} backups in {counts.cycles} cycles, from an empty tree on; {counts.requests} {GAPLESS}"
        )
        return make_row(round(_operations_per_s(fanout) / 1e6, 1), "million/s", "counted", how)

    def tables(self, name: str) -> dict[str, Any]:
        """Look-up tables of a whole device."""
        from ....measurement.elaboration import elaborate_design
        from ....measurement.tool_cache import synthesise_once

        design = elaborate_design("mcts", name.replace("_", "-"))
        result = synthesise_once(design.verilog, "mcts", SYNTHESISED_FOR, depth=2).result
        parts = {
            part: round(sum(block.resources.lut * block.instances for block in result.blocks if unit.match(block.name)))
            for part, unit in UNITS.items()
        }
        total = round(result.total.lut)
        each = ", ".join(f"{part} {count}" for part, count in parts.items())
        how = (
            f"Yosys, synth_xilinx -family {SYNTHESISED_FOR}: the whole device of {_preset(name)}; {each}, the rest "
            f"{total - sum(parts.values())}"
        )
        return make_row(total, "LUT6", "synthesised", how, TABLES[name])

    # Against searches in software.

    def against_uct(self, kind: str, fanout: int) -> dict[str, Any]:
        return _against(fanout, _uct(kind, fanout), 1, "the same operations by")

    def against_mctx(self) -> dict[str, Any]:
        return _against(FANOUTS[0], _mctx(), OPERATIONS, f"{OPERATIONS} operations a simulation, by")

    def against_openspiel(self) -> dict[str, Any]:
        return _against(FANOUTS[0], _openspiel(), OPERATIONS, f"{OPERATIONS} operations a simulation, by")

    # The whole system.

    def actions(self, game: str) -> dict[str, Any]:
        _, preset, paper = actions.GAMES[game]
        counts = _search(preset.replace("-", "_"))
        found = actions.actions_speedup(game, counts.cycles / counts.selections)
        return make_row(round(found["value"], 2), "times", "model", found["how"], paper)

    # Searches in software.

    def uct(self, kind: str, fanout: int) -> dict[str, Any]:
        found = _uct(kind, fanout)
        return make_row(round(found["value"] / 1e6, 2), "million/s", "measured", found["how"])

    def mctx(self) -> dict[str, Any]:
        found = _mctx()
        return make_row(round(found["value"]), "simulations/s", "measured", found["how"])

    def openspiel(self) -> dict[str, Any]:
        found = _openspiel()
        return make_row(round(found["value"]), "simulations/s", "measured", found["how"])


def _preset(name: str) -> str:
    return f"preset {name.replace('_', '-')}"


def _config(name: str, **changes: Any) -> Any:
    from .....hw.soc.presets import load_preset

    return dataclasses.replace(load_preset(name.replace("_", "-"), "mcts"), **changes)


def _tree(fanout: int) -> Any:
    return _config(f"f{fanout}_d{LEVELS}")


def _operations_per_s(fanout: int) -> float:
    counts = _search(COUNTED[fanout])
    return counts.operations / counts.cycles * MHZ * 1e6


def _against(fanout: int, found: dict[str, Any], operations: int, what: str) -> dict[str, Any]:
    ours, theirs = _operations_per_s(fanout), operations * found["value"]
    how = f"{ours / 1e6:.1f} million/s (counted, {MHZ} MHz) over {theirs / 1e6:.2f}, {what} {found['how']}"
    return make_row(round(ours / theirs, 1), "times", "measured", how)


# Work that several rows need is done once.


@functools.cache
def _search(name: str, at_rest: bool = False, **changes: Any) -> Any:
    from .tree import count_search

    return count_search(_config(name, **changes), at_rest)


@functools.cache
def _game(environment: str, name: str) -> Any:
    from .game import record_game
    from .tree import count_recording

    config = _config(name)
    return count_recording(config, record_game(environment, config.tree))


@functools.cache
def _uct(kind: str, fanout: int) -> dict[str, Any]:
    from .search import uct_speed

    tree = _tree(fanout)
    return uct_speed(kind, fanout=fanout, levels=tree.levels, nodes=tree.nodes)


@functools.cache
def _mctx() -> dict[str, Any]:
    from .search import mctx_speed

    tree = _tree(FANOUTS[0])
    return mctx_speed(fanout=tree.fanout, levels=tree.levels)


@functools.cache
def _openspiel() -> dict[str, Any]:
    from .search import openspiel_speed

    return openspiel_speed(nodes=_tree(FANOUTS[0]).nodes)
