"""Show the disk space of simulators and other builds, and remove them."""

import argparse
import time
from typing import Any

from ..core.tables import aligned
from ..systems.results import add_json_option, show

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove all builds but those under way")
    parser.add_argument(
        "--kind",
        action="append",
        metavar="KIND",
        help="builds of this kind alone, e.g. libraries; may be repeated (default: all)",
    )
    parser.add_argument("--days", type=float, default=0.0, metavar="N", help="only what was not used for so long")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ...sim.verilator.cache import cache_entries, cache_folder, cache_limit, remove_entries, remove_left_over

    if not arguments.days >= 0:
        raise ValueError(f"--days must be at least 0, not {arguments.days}")
    entries, now = cache_entries(), time.time()
    kinds = sorted({entry.kind for entry in entries})
    for kind in arguments.kind or ():
        if kind not in kinds:
            raise ValueError(f"--kind must be one of {', '.join(kinds) or 'none: the cache is empty'}, not {kind!r}")
    chosen = [
        entry
        for entry in entries
        if (not arguments.kind or entry.kind in arguments.kind) and now - entry.used >= arguments.days * 86400
    ]
    rows = []
    for kind in sorted({entry.kind for entry in chosen}):
        of_kind = [entry for entry in chosen if entry.kind == kind]
        rows.append(
            {
                "kind": kind,
                "builds": len(of_kind),
                "bytes": sum(entry.size for entry in of_kind),
                "unused_days": round((now - of_kind[0].used) / 86400, 1),
            }
        )
    freed = remove_entries(chosen) if arguments.clear else 0
    if arguments.clear:
        remove_left_over()
    content = {"folder": str(cache_folder()), "limit_bytes": cache_limit(), "kinds": rows, "freed_bytes": freed}
    show(arguments, content, lambda: _text(content))


def _text(content: dict[str, Any]) -> str:
    table = [["kind", "builds", "MB", "oldest, days"]]
    for row in content["kinds"]:
        table.append([row["kind"], str(row["builds"]), f"{row['bytes'] / 1e6:.1f}", f"{row['unused_days']:g}"])
    total = sum(row["bytes"] for row in content["kinds"])
    said = f"{content['folder']}: {total / 1e9:.2f} GB of at most {content['limit_bytes'] / 1e9:g}"
    if content["freed_bytes"]:
        said += f"; {content['freed_bytes'] / 1e9:.2f} GB removed"
    return "\n".join([*aligned(table, left=(0,)), "", said])
