"""Choose the numbers of agents and engines of A3C's accelerator."""

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....hw.cores.a3c.config import LARGEST_AGENTS, LARGEST_STEPS
from ...core.tables import aligned
from ..results import add_json_option, add_out_option, make_folder, show

if TYPE_CHECKING:
    from ...mapping.a3c.timeline import ExplorationTimes
    from .bench.agents_on_part import AgentsOnPart

__all__ = ["add_arguments", "explore", "run"]

# Steps of an environment that are measured.
STEPS = 2000
# The paper's board.
PART = "xc7vx485t"
# Options that are at least 1, and what they are at most.
COUNTS = {
    "agents": LARGEST_AGENTS,
    "experience_agents": None,
    "reward_agents": None,
    "most_agents": None,
    "rollout_steps": LARGEST_STEPS,
    "explorations": None,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ....hw.soc.target.parts import load_parts

    parts = [part.name for part in load_parts().values() if part.holds is not None]
    parser.add_argument(
        "--agents", type=int, metavar="N", help="number of agents N (default: N_o of equation 1, else N_l, else 16)"
    )
    parser.add_argument(
        "--experience-agents", type=int, metavar="N", help="N_e, number of agents at which explorations saturate"
    )
    parser.add_argument(
        "--reward-agents", type=int, metavar="N", help="N_r, number of agents at which rewards saturate"
    )
    parser.add_argument(
        "--part",
        help=f"part whose block memories limit the agents to N_l, for the paper's network: one of {', '.join(parts)} "
        f"(default, where equation 1 needs N_l: {PART})",
    )
    parser.add_argument("--most-agents", type=int, metavar="N", help="N_l, in place of what --part holds")
    parser.add_argument("--env", help="measure t_e on this machine, with an environment, e.g. ALE/Breakout-v5")
    for name, default, what in (
        ("environment", 400, "t_e, a step of the environment (default 400)"),
        ("interaction", 50, "t_i, from host to accelerator or back (default 50)"),
    ):
        parser.add_argument(f"--{name}-us", type=float, default=default, metavar="US", help=what)
    words = "(default: as many cycles as an engine takes, at 200 MHz, for the paper's network)"
    parser.add_argument("--forward-us", type=float, metavar="US", help=f"t_f, an inference {words}")
    parser.add_argument("--backward-us", type=float, metavar="US", help=f"t_b, a training {words}")
    parser.add_argument(
        "--rollout-steps", type=int, default=5, metavar="N", help="steps between updates T_max (default 5)"
    )
    parser.add_argument(
        "--explorations", type=int, default=1000, metavar="N", help="explorations L of all agents (default 1000)"
    )
    add_out_option(parser, "exploration.json and its plots")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    make_folder(arguments.out)
    report = explore(arguments)
    if arguments.out is not None:
        _plot(arguments.out, report)
    show(arguments, report, lambda: as_table(report), "exploration.json")


def explore(arguments: argparse.Namespace) -> dict[str, Any]:
    """N_o, M* and eta* with what each choice comes to, as plain data."""
    from ....hw.cores.checks import require_integer
    from ...mapping.a3c.agents import optimal_agents
    from ...mapping.a3c.deployment import choose_deployment

    saturating = arguments.experience_agents, arguments.reward_agents
    if (saturating[0] is None) != (saturating[1] is None):
        raise ValueError("--experience-agents and --reward-agents go together: give both or neither")
    # Before units are synthesised for a part.
    for name in COUNTS:
        if (given := getattr(arguments, name)) is not None:
            require_integer(f"--{name.replace('_', '-')}", given, 1, COUNTS[name])
    on_part, most = _most_agents(arguments)
    # Whoever says where agents saturate asks for N_l.
    chosen = None if saturating[0] is None or most is None else optimal_agents(*saturating, most)
    agents = (chosen or most or 16) if arguments.agents is None else arguments.agents
    if most is not None and agents > most:
        raise ValueError(f"--agents must be at most N_l, {most}, not {agents}")
    times = _times(arguments)
    best = choose_deployment(times, agents=agents, explorations=arguments.explorations, steps=arguments.rollout_steps)
    return {
        "agents": agents,
        "optimal_agents": chosen,
        "most_agents": most,
        "part": None if on_part is None else dataclasses.asdict(on_part),
        "engines": best.engines,
        "engines_saved_percent": best.saved_percent,
        "ratio": best.ratio,
        "waiting_drop_percent": best.waiting_drop_percent,
        "explorations_per_second": arguments.explorations / best.by_ratio[best.ratio].seconds,
        "times": {
            "environment": sum(times.environment) / len(times.environment),
            "interaction": times.interaction,
            "forward": times.forward,
            "backward": times.backward,
        },
        "by_engines": [{"engines": count, **dataclasses.asdict(found)} for count, found in best.by_engines.items()],
        "by_ratio": [{"ratio": eta, **dataclasses.asdict(found)} for eta, found in best.by_ratio.items()],
        "how": "discrete-event simulation; t_e "
        + (f"measured here on {arguments.env}" if arguments.env else "given")
        + "; engines saved against one a kind for each agent"
        + ("" if on_part is None else f"; N_l by block memories: {on_part}"),
    }


def _most_agents(arguments: argparse.Namespace) -> tuple["AgentsOnPart | None", int | None]:
    """N_l with the part that holds so many: as given, else of the part; none where nobody asks for it."""
    from ....hw.cores.a3c.config import A3CConfig
    from ....hw.soc.target.parts import find_part
    from .bench.agents_on_part import agents_on_part

    if arguments.most_agents is not None:
        return None, arguments.most_agents
    if arguments.part is None and arguments.experience_agents is None:
        return None, None
    found = agents_on_part(find_part(arguments.part or PART), A3CConfig(steps=arguments.rollout_steps))
    return found, found.agents


def _times(arguments: argparse.Namespace) -> "ExplorationTimes":
    """Times as given; else t_e measured in the named environment, and t_f and t_b from the words."""
    from ...mapping.a3c.timeline import ExplorationTimes
    from .exploration_times import engine_seconds

    microsecond = 1e-6
    seconds = engine_seconds(arguments.rollout_steps)
    for name in seconds:
        if (given := getattr(arguments, f"{name}_us")) is not None:
            seconds[name] = given * microsecond
    environment = _measured(arguments.env) if arguments.env else (arguments.environment_us * microsecond,)
    return ExplorationTimes(environment=environment, interaction=arguments.interaction_us * microsecond, **seconds)


def _measured(env: str) -> tuple[float, ...]:
    """Times of steps of random actions, beginnings of episodes included."""
    from .exploration_times import RandomSteps

    random = RandomSteps(env)
    try:
        return tuple(random.step() for _ in range(STEPS))
    finally:
        random.close()


def as_table(report: dict[str, Any]) -> str:
    """The choice for people."""
    times = "  ".join(f"{name} {1e6 * value:.1f} us" for name, value in report["times"].items())
    return "\n".join(
        [
            f"a3c, N = {report['agents']}; {times}",
            "",
            *_rows("engines", report["by_engines"], report["engines"]),
            "",
            *_rows("ratio", report["by_ratio"], report["ratio"]),
            "",
            *([] if report["most_agents"] is None else [f"N_l = {report['most_agents']}, {_limit(report)}"]),
            *([] if report["optimal_agents"] is None else [f"N_o = {report['optimal_agents']}, by equation 1"]),
            f"M* = {report['engines']}, {report['engines_saved_percent']:.1f} % fewer than agents",
            f"eta* = {report['ratio']:g}, {report['waiting_drop_percent']:.1f} % fewer agents wait for training than "
            f"at 1; {report['explorations_per_second']:.0f} explorations/s",
            report["how"],
        ]
    )


def _limit(report: dict[str, Any]) -> str:
    return "given" if report["part"] is None else f"as {report['part']['part']} holds"


def _rows(name: str, found: list[dict[str, Any]], best: float) -> list[str]:
    rows = [[name, "seconds", "wait for inference", "wait for training", ""]]
    for one in found:
        waiting = (f"{one[f'waiting_for_{kind}']:.2f}" for kind in ("inference", "training"))
        rows.append([f"{one[name]:g}", f"{one['seconds']:.3f}", *waiting, "*" * (one[name] == best)])
    return aligned(rows)


def _plot(directory: Path, report: dict[str, Any]) -> None:
    """``engines.png``, as the paper's figure 13, and ``ratio.png``, as its figures 14 and 15."""
    from ...core.plots import plot_choices

    for name in ("engines", "ratio"):
        found = report[f"by_{name}"]
        least = min(one["seconds"] for one in found)
        plot_choices(
            directory / f"{name}.png",
            [one[name] for one in found],
            {
                "time over the least": [one["seconds"] / least for one in found],
                "agents waiting for training": [one["waiting_for_training"] for one in found],
            },
            f"A3C, {report['agents']} agents",
            {"engines": "engines of each kind", "ratio": "resources of training over those of inference"}[name],
            report[name],
        )
