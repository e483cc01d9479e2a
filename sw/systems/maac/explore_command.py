"""Choose the parallel factors of MAAC's accelerator."""

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from ...core.tables import aligned
from ..results import add_json_option, add_out_option, make_folder, show

if TYPE_CHECKING:
    from ...mapping.maac.design import MAACDesign

__all__ = ["add_arguments", "explore", "run"]

# Sizes of the networks in the report.
NETWORKS = ("agents", "observations", "actions", "hidden_size", "heads")
# Gigabytes a second each way of sixteen lanes of PCI Express 3.0: 8 GT/s a lane, 128 of 130 bits, before its packets.
LINK = 15.75


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ....hw.cores.learner.maac_config import MAACNetworksConfig
    from ....hw.soc.target.parts import load_parts
    from ...algorithms.maac.maac_config import MAACConfig
    from ...core.environments.rover_tower_config import ROVER_TOWER

    parts = [part.name for part in load_parts().values() if part.holds is not None]
    parser.add_argument("--agents", type=int, default=4, metavar="N", help="N (default %(default)s)")
    for name in ("observations", "actions"):
        what = f"{name} of the agent that has most (default: those of {ROVER_TOWER} with N agents)"
        parser.add_argument(f"--{name}", type=int, metavar="N", help=what)
    parser.add_argument(
        "--hidden-size",
        type=int,
        default=MAACNetworksConfig.hidden_size,
        metavar="N",
        help="elements of every hidden layer (default %(default)s)",
    )
    parser.add_argument(
        "--heads", type=int, default=MAACNetworksConfig.heads, metavar="N", help="heads (default %(default)s)"
    )
    parser.add_argument(
        "--batch-size", type=int, default=MAACConfig.batch_size, metavar="N", help="experiences (default %(default)s)"
    )
    parser.add_argument("--part", default="xcu250", help=f"one of {', '.join(parts)} (default %(default)s)")
    parser.add_argument(
        "--share",
        type=float,
        default=80,
        metavar="PERCENT",
        help="share of the part that the accelerator may use (default 80)",
    )
    parser.add_argument("--mhz", type=float, default=250, metavar="MHZ", help="clock (default 250)")
    parser.add_argument(
        "--parallel-agents",
        type=int,
        default=1,
        metavar="N",
        help="largest PF_A, copies of each layer that share the agents; more than 1 is of the model alone (default 1)",
    )
    parser.add_argument(
        "--timeline",
        action="store_true",
        help=f"also measure the host's part of an iteration of {ROVER_TOWER} in PyTorch, and print when host, link and "
        "accelerator are busy; --out draws it as timeline.png",
    )
    parser.add_argument(
        "--link",
        type=float,
        default=LINK,
        metavar="GB/S",
        help=f"bandwidth of the link in each direction (default {LINK})",
    )
    add_out_option(parser, "exploration.json")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    make_folder(arguments.out)
    report = explore(arguments)
    show(arguments, report, lambda: as_table(report), "exploration.json")


def explore(arguments: argparse.Namespace) -> dict[str, Any]:
    """The design, its stages, what it takes and how fast it is, as plain data."""
    from ....hw.cores.checks import require_integer
    from ....hw.cores.learner.maac_config import MAACNetworksConfig
    from ....hw.soc.target.parts import find_part
    from ...mapping.maac.cycles import equation_cycles
    from ...mapping.maac.design_space import DesignSpace
    from ...mapping.maac.equations import agent_updates_per_second
    from ...mapping.maac.resources import BLOCKS
    from ...mapping.maac.search import fastest_design
    from .bench.unit_costs import measure_costs

    part = find_part(arguments.part)
    if part.holds is None or part.target.name not in BLOCKS:
        raise ValueError(f"--part must be a part, not the family {part.name}")
    limits = (("--share", arguments.share, 100), ("--mhz", arguments.mhz, 10_000), ("--link", arguments.link, 10_000))
    for name, value, most in limits:
        if not 0 < value <= most:
            raise ValueError(f"{name} must be above 0 and at most {most}, not {value:g}")
    require_integer("--batch-size", arguments.batch_size, 1)
    observations, actions = _sizes(arguments)
    networks = MAACNetworksConfig(
        agents=arguments.agents,
        observations=observations,
        actions=actions,
        hidden_size=arguments.hidden_size,
        heads=arguments.heads,
    )
    require_integer("--parallel-agents", arguments.parallel_agents, 1, networks.agents)
    space = DesignSpace(
        networks=networks,
        batch=arguments.batch_size,
        costs=measure_costs(part.target.name),
        budget=part.holds * (arguments.share / 100),
        parallel_agents=tuple(range(1, arguments.parallel_agents + 1)),
    )
    design = fastest_design(space)
    experience, cycles = design.experience_cycles, space.cycles(design)
    seconds = cycles / (1e6 * arguments.mhz)
    taken = space.resources(design)
    timeline = {"timeline": _timeline(arguments, design, cycles)} if arguments.timeline else {}
    return timeline | {
        "part": part.name,
        "share_percent": arguments.share,
        "networks": {name: getattr(networks, name) for name in NETWORKS},
        "batch_size": space.batch,
        "design": {
            "parallel_agents": design.parallel_agents,
            "parallel_heads": design.parallel_heads,
            "units": design.factors,
            "update_interval": design.update_interval,
        },
        "stages": [
            dataclasses.asdict(stage)
            | {"utilisation_percent": 100 * stage.operations / (stage.units * experience) if stage.units else None}
            for stage in design.stages
        ],
        "units": design.units,
        "experience_cycles": experience,
        "agent_cycles": experience / networks.agents,
        "iteration_cycles": cycles,
        "equation_cycles": equation_cycles(design, space.batch),
        "utilisation_percent": 100 * design.utilisation(space.batch, cycles),
        "mhz": arguments.mhz,
        "iteration_seconds": seconds,
        "aps": agent_updates_per_second(networks.agents, space.batch, seconds),
        "resources": {
            name: {"taken": value, "budget": getattr(space.budget, name), "part": getattr(part.holds, name)}
            for name, value in taken.items()
            # Memories are counted as block RAM.
            if name != "uram"
        },
        "how": "cycles by the model of the gateware; resources from stages that Yosys synthesised in two sizes, block "
        "memories counted",
    }


def _timeline(arguments: argparse.Namespace, design: "MAACDesign", cycles: int) -> list[dict[str, Any]]:
    """Tasks of two iterations: the host's measured, the accelerator's by the model, the link's by its bytes."""
    from ....hw.cores.learner.maac_learner_config import MAACLearnerConfig
    from .bench.throughput import measure_host
    from .bench.timeline import describe, make_timeline, plot_timeline
    from .bench.updates import shape_of

    networks, batch = design.networks, arguments.batch_size
    host = measure_host(shape_of(networks.agents, networks), None, batch)
    timeline = make_timeline(
        MAACLearnerConfig(agents=networks, update_interval=design.update_interval),
        host,
        cycles,
        batch=batch,
        mhz=arguments.mhz,
        link_rate=1e9 * arguments.link,
    )
    if arguments.out is not None:
        what = f"{networks.agents} agents, {batch} experiences, {arguments.part} at {arguments.mhz:g} MHz"
        title = f"MAAC, {what}: two iterations"
        plot_timeline(arguments.out / "timeline.png", timeline, title)
    return describe(timeline)


def _sizes(arguments: argparse.Namespace) -> tuple[int, int]:
    """Observations and actions as given, or those of Rover-Tower."""
    from ...core.environments.rover_tower_config import RoverTowerConfig

    if arguments.observations is not None and arguments.actions is not None:
        return arguments.observations, arguments.actions
    from ...core.environments.joint_environments import JointEnvironments
    from ...core.environments.rover_tower import RoverTower

    environments = JointEnvironments(lambda: RoverTower(RoverTowerConfig(agents=arguments.agents)), 1)
    return (
        max(environments.sizes) if arguments.observations is None else arguments.observations,
        max(environments.counts) if arguments.actions is None else arguments.actions,
    )


def as_table(report: dict[str, Any]) -> str:
    """The design for people."""
    networks, design = report["networks"], report["design"]
    stages = [["stage", "kind", "copies", "PF_F", "cycles", "utilisation"]]
    for stage in report["stages"]:
        share = stage["utilisation_percent"]
        stages.append(
            [stage["name"], stage["kind"], str(stage["count"])]
            + [str(stage["units"] or ""), str(stage["cycles"]), "" if share is None else f"{share:.1f} %"]
        )
    resources = [["resource", "taken", "budget", "of the part"]]
    for name, found in report["resources"].items():
        resources.append(
            [name.upper(), f"{found['taken']:.0f}", f"{found['budget']:.0f}"]
            + [f"{100 * found['taken'] / found['part']:.1f} %"]
        )
    return "\n".join(
        [
            f"maac, N = {networks['agents']}, {networks['observations']} observations, {networks['actions']} actions, "
            f"H = {networks['hidden_size']}, {networks['heads']} heads, batch {report['batch_size']}; "
            f"{report['part']}, {report['share_percent']:g} %",
            "",
            f"PF_A = {design['parallel_agents']}, PF_H = {design['parallel_heads']}, a word of weights is updated "
            f"every {design['update_interval']} cycles",
            "",
            *aligned(stages, left=(0, 1)),
            "",
            *aligned(resources),
            "",
            f"{report['units']} multiplier and adder pairs; an experience every {report['experience_cycles']} cycles, "
            f"{report['agent_cycles']:g} an agent",
            f"iteration: {report['iteration_cycles']} cycles, {report['utilisation_percent']:.1f} % of the pairs in "
            f"use; equations 3 to 5 of the paper: {report['equation_cycles']:.0f}",
            f"{report['mhz']:g} MHz: {1e3 * report['iteration_seconds']:.2f} ms, APS {report['aps']:.0f}",
            report["how"],
            *_timeline_rows(report),
        ]
    )


def _timeline_rows(report: dict[str, Any]) -> list[str]:
    """When who works, if that was asked for."""
    if "timeline" not in report:
        return []
    rows = [["where", "task", "from", "to"]]
    for bar in report["timeline"]:
        begin, end = 1e3 * bar["start"], 1e3 * (bar["start"] + bar["seconds"])
        rows.append([bar["place"], bar["task"], f"{begin:.2f} ms", f"{end:.2f} ms"])
    return ["", *aligned(rows, left=(0, 1))]
