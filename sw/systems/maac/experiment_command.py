"""When host, link and accelerator of MAAC work: measured, counted, and drawn."""

import argparse

from ..results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]

# Gigabytes a second each way, of sixteen lanes of PCI Express 3.0: 8 GT/s a lane, 128 of 130 bits, before its packets.
LINK = 15.75


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("timeline",), help="timeline: an iteration as in the paper's figure 5")
    parser.add_argument("--config", default="paper", help="preset of the accelerator, or a YAML file (default paper)")
    parser.add_argument("--agents", type=int, metavar="N", help="agents of Rover-Tower (default: the preset's)")
    parser.add_argument("--mhz", type=float, default=250, help="clock of the accelerator (default 250)")
    parser.add_argument(
        "--link", type=float, default=LINK, metavar="GB/S", help=f"gigabytes a second each way (default {LINK})"
    )
    add_out_option(parser, "timeline.json, timeline.png")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ....hw.soc.presets import load_preset
    from .bench.throughput import aps, measure_host
    from .bench.timeline import describe, make_timeline, plot_timeline
    from .bench.updates import BATCH, count_update, for_agents, shape_of

    for name in ("mhz", "link"):
        if not getattr(arguments, name) > 0:
            raise ValueError(f"--{name} must be above 0, not {getattr(arguments, name)}")
    make_folder(arguments.out)
    preset = load_preset(arguments.config, "maac")
    hardware = for_agents(preset, arguments.agents or preset.agents)
    host, counted = measure_host(shape_of(hardware.agents, hardware), None), count_update(hardware)
    timeline = make_timeline(hardware, host, counted, batch=BATCH, mhz=arguments.mhz, link_rate=1e9 * arguments.link)
    if arguments.out is not None:
        title = f"MAAC on {hardware.name}: two iterations of {BATCH} experiences"
        plot_timeline(arguments.out / "timeline.png", timeline, title)
    rate = aps(hardware.agents, timeline.iteration)
    content = {
        "hardware": hardware.name,
        "batch": BATCH,
        "iteration": timeline.iteration,
        "aps": rate,
        "bars": describe(timeline),
    }
    lines = [f"{bar.place:18} {bar.task:32} {1e3 * bar.start:8.2f} to {1e3 * bar.end:8.2f} ms" for bar in timeline.bars]
    lines.append(f"an iteration {1e3 * timeline.iteration:.2f} ms, {rate:.0f} agent-gradient-updates a second")
    show(arguments, content, lambda: "\n".join(lines), "timeline.json")
