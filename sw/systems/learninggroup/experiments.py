"""LearningGroup's learning claims, as data: which arms, how many seeds, how many iterations."""

from dataclasses import dataclass

__all__ = ["ITERATIONS", "SWEEP", "TABLES", "Arm", "Table"]

# The paper's number.
ITERATIONS = 2000
# RMSprop's step for a number of groups: 0.001 sqrt(groups), as the first weights, so that relative steps are the same.
RATES = {1: 0.001, 2: 0.0014, 4: 0.002, 8: 0.0028, 16: 0.004}


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to train.

    Parameters
    ----------
    name
        For people.
    options
        Options of `rewardware train learninggroup`.
    seeds
        How many.
    """

    name: str
    options: tuple[str, ...]
    seeds: int


@dataclass(frozen=True, kw_only=True)
class Table:
    """Arms that are shown together.

    Parameters
    ----------
    title
        Title of the picture.
    arms
        By their keys in `SWEEP`.
    """

    title: str
    arms: tuple[str, ...]


def _groups(agents: int, groups: int, seeds: int, backend: str = "blocks") -> Arm:
    options = ("--agents", str(agents), "--groups", str(groups), "--learning-rate", str(RATES[groups]))
    words = "dense" if groups == 1 else f"{groups} groups"
    if backend == "reference":
        words += ", LearningGroup's reference"
    return Arm(name=f"{agents} agents, {words}", options=("--backend", backend, *options), seeds=seeds)


def _method(sparsity: str) -> Arm:
    return Arm(name=f"{sparsity.replace('-', ' ')}, 50 %", options=("--sparsity", sparsity), seeds=3)


SWEEP = {
    **{f"agents-3-groups-{groups}": _groups(3, groups, 5) for groups in RATES},
    **{f"agents-{agents}-groups-{groups}": _groups(agents, groups, 3) for agents in (5, 10) for groups in (1, 4, 8)},
    **{sparsity: _method(sparsity) for sparsity in ("magnitude", "block-circulant", "group-sparse")},
    "dense-gradient": Arm(
        name="3 agents, 4 groups, dense grouping gradient",
        options=(*_groups(3, 4, 3).options, "--grouping-gradient", "dense"),
        seeds=3,
    ),
    "half": Arm(
        name="3 agents, 4 groups, all in binary16",
        options=("--groups", "4", "--learning-rate", str(RATES[4]), "--precision", "half", "--loss-scale", "1024"),
        seeds=3,
    ),
    **{f"reference-groups-{groups}": _groups(3, groups, 1, "reference") for groups in (1, 4)},
    "reference-half": Arm(
        name="3 agents, 4 groups, LearningGroup's reference, all in binary16",
        options=(*_groups(3, 4, 1, "reference").options, "--precision", "half"),
        seeds=1,
    ),
}

TABLES = {
    "groups": Table(title="Groups, 3 agents", arms=tuple(f"agents-3-groups-{groups}" for groups in RATES)),
    "agents": Table(
        title="Groups, 5 and 10 agents",
        arms=tuple(f"agents-{agents}-groups-{groups}" for agents in (5, 10) for groups in (1, 4, 8)),
    ),
    "methods": Table(
        title="Ways to a sparsity of 50 %",
        arms=("agents-3-groups-1", "agents-3-groups-2", "magnitude", "block-circulant", "group-sparse"),
    ),
    "variants": Table(
        title="Four groups: gradient of the grouping, precision", arms=("agents-3-groups-4", "dense-gradient", "half")
    ),
    "reference": Table(
        title="LearningGroup's reference and float32",
        arms=("agents-3-groups-1", "reference-groups-1", "agents-3-groups-4", "reference-groups-4", "reference-half"),
    ),
}
