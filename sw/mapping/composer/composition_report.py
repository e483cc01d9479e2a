"""A composition as plain data, and for people."""

from typing import Any

from ...core.tables import aligned
from .composer import LEAST_SPEEDUP, Composition
from .problem import Problem

__all__ = ["as_text", "report"]


def report(composition: Composition, problem: Problem, title: str) -> dict[str, Any]:
    """Report of a placement: what is placed where and why, times in seconds.

    Parameters
    ----------
    composition : Composition
    problem : Problem
        Problem that was composed.
    title : str
    """
    alone, parallel, memory = composition.single_device, composition.data_parallel, composition.replay_memory
    return {
        "title": title,
        "batch": problem.graph.batch,
        "makespan": composition.makespan,
        "experiences_per_second": composition.experiences_per_second,
        "replay_memory": {"device": memory.device, "traffic_seconds": dict(memory.traffic)},
        "latencies": {
            task: {
                device: {
                    "seconds": problem.latency(task, device),
                    "origin": problem.table.latencies[task][device].origin,
                }
                for device in problem.devices
            }
            for task in problem.graph.kinds
        },
        "decisions": [
            {
                "tasks": list(decision.tasks),
                "device": decision.device,
                "finish": dict(decision.finish),
                "removed": list(decision.removed),
            }
            for decision in composition.decisions
        ],
        "schedule": [
            {"task": task.task, "device": task.device, "start": task.start, "finish": task.finish}
            for task in sorted(composition.schedule.tasks, key=lambda task: task.start)
        ],
        "task_parallel_makespan": composition.task_parallel.makespan,
        "refined_makespan": composition.refined.makespan if composition.refined else None,
        "single_device_makespan": alone.makespan if alone else None,
        "data_parallel": {
            "explored": composition.explored,
            "taken": composition.is_data_parallel,
            "makespan": parallel.schedule.makespan if parallel else None,
            "shares": dict(parallel.shares) if parallel else None,
        },
    }


def as_text(content: dict[str, Any]) -> str:
    """The report for people, times in microseconds."""
    iteration, rate = _microseconds(content["makespan"]), content["experiences_per_second"]
    return "\n".join(
        [
            content["title"],
            "",
            *_latencies(content),
            "",
            "Algorithm 3, in the order of ranks: earliest finish, us",
            *_decisions(content),
            "",
            *_parallelism(content),
            *_memory(content),
            "",
            "Schedule, us",
            *_schedule(content),
            "",
            f"Iteration: {iteration} us, {rate:.0f} experiences/s",
        ]
    )


def _microseconds(seconds: float) -> str:
    return f"{1e6 * seconds:.2f}"


def _latencies(content: dict[str, Any]) -> list[str]:
    first = next(iter(content["latencies"].values()))
    head = ["latency, us", *(f"{device} ({entry['origin']})" for device, entry in first.items())]
    rows = [
        [task, *(_microseconds(entry["seconds"]) for entry in row.values())]
        for task, row in content["latencies"].items()
    ]
    return aligned([head, *rows])


def _decisions(content: dict[str, Any]) -> list[str]:
    rows = []
    for decision in content["decisions"]:
        found = sorted(decision["finish"].items(), key=lambda item: item[1])
        reason = ", ".join(f"{device} {_microseconds(seconds)}" for device, seconds in found)
        if decision["removed"]:
            reason += f"; no room on {', '.join(decision['removed'])}"
        rows.append([" + ".join(decision["tasks"]), decision["device"], reason])
    return aligned(rows, left=(0, 1, 2))


def _parallelism(content: dict[str, Any]) -> list[str]:
    placed, alone, parallel = (
        content["task_parallel_makespan"],
        content["single_device_makespan"],
        content["data_parallel"],
    )
    lines = [f"Step 2 comes to {_microseconds(placed)} us"]
    if alone is not None:
        lines[0] += f", {alone / placed:.2f} times as fast as the learner on one device ({_microseconds(alone)} us)"
    if content["refined_makespan"] is not None:
        lines.append(f"Moving tasks one at a time: {_microseconds(content['refined_makespan'])} us")
    if not parallel["explored"]:
        lines.append(f"Data parallelism: not tried, the gain is above {LEAST_SPEEDUP}")
    elif parallel["makespan"] is None:
        lines.append("Data parallelism: no two devices have room for it and a share of the batch")
    else:
        shares = ", ".join(f"{device} {share}" for device, share in parallel["shares"].items())
        taken = "taken" if parallel["taken"] else "not taken"
        lines.append(f"Data parallelism: {_microseconds(parallel['makespan'])} us at best ({shares}), {taken}")
    return lines


def _memory(content: dict[str, Any]) -> list[str]:
    memory = content["replay_memory"]
    traffic = sorted(memory["traffic_seconds"].items(), key=lambda item: item[1])
    shown = ", ".join(f"{device} {_microseconds(seconds)}" for device, seconds in traffic)
    return [f"Replay memory on {memory['device']}, by traffic, us: {shown}"]


def _schedule(content: dict[str, Any]) -> list[str]:
    rows = [["start", "finish", "device", "task"]]
    rows += [
        [_microseconds(task["start"]), _microseconds(task["finish"]), task["device"], task["task"]]
        for task in content["schedule"]
    ]
    return aligned(rows, left=(2, 3))
