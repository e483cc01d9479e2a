"""The learning claims, as data: which arms, how many seeds, how many steps, what must come out."""

from dataclasses import dataclass, field, replace

__all__ = ["EXPERIMENTS", "Arm", "Experiment"]


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to train within an experiment.

    Parameters
    ----------
    name
        For people.
    options
        Of `rewardware train`.
    solved
        Whether the mean return must end above the experiment's threshold (``True``), below it (``False``: the failing
        case that it is in the paper), or is compared only (``None``).
    seeds
        If not as many as the experiment's.
    """

    name: str
    options: tuple[str, ...]
    solved: bool | None = None
    seeds: int | None = None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An environment, hyper-parameters common to all arms, and the arms.

    Parameters
    ----------
    env, config
        Environment and preset.
    steps, seeds
        Environment steps of a run, and seeds.
    options
        Of `rewardware train`, for every arm.
    arms
        By a short name.
    threshold
        What "solved" means: a mean of the evaluation episodes above it. ``None``: nothing is decided.
    system
        Of `rewardware train`.
    page
        That has the table.
    marks
        Steps that the picture shows, by their names.
    """

    env: str
    config: str
    steps: int
    seeds: int
    options: tuple[str, ...]
    arms: dict[str, Arm]
    threshold: float | None = None
    system: str = "fixar"
    page: str = "learning.md"
    marks: dict[str, int] = field(default_factory=dict)


PENDULUM_ON_ACTORS = Experiment(
    system="pearl",
    page="pearl.md",
    env="Pendulum-v1",
    config="k16",
    steps=6_000,
    seeds=3,
    threshold=-300,
    options=(
        *("--actors", "1", "--environments", "4", "--evaluate-every", "1000"),
        *("--evaluation-episodes", "20", "--checkpoint-every", "0"),
    ),
    arms={
        "ddpg": Arm(name="DDPG", options=("--algo", "ddpg"), solved=True),
        "sac": Arm(name="SAC", options=("--algo", "sac"), solved=True),
    },
)

EXPERIMENTS = {
    "pendulum": Experiment(
        env="Pendulum-v1",
        config="small",
        steps=8_000,
        seeds=5,
        threshold=-200,
        marks={"quantisation": 4_000},
        options=("--evaluate-every", "500", "--checkpoint-every", "0"),
        arms={
            "32-bit": Arm(name="FIXAR, 32 bits", options=("--backend", "reference"), solved=True),
            "quantized": Arm(
                name="FIXAR, 16-bit codes from step 4000",
                options=("--backend", "reference", "--quantization-delay", "4000"),
                solved=True,
            ),
            "16-bit": Arm(
                name="16 bits from the start",
                options=("--backend", "reference", "--sixteen-bit", "8"),
                solved=False,
            ),
            "16-bit-fine": Arm(
                name="16 bits, weights with 12 fraction bits",
                options=("--backend", "reference", "--sixteen-bit", "12"),
            ),
            "float32": Arm(name="PyTorch, float32", options=("--backend", "torch"), solved=True),
        },
    ),
    "halfcheetah": Experiment(
        env="HalfCheetah-v5",
        config="paper",
        steps=50_000,
        seeds=3,
        marks={"quantisation": 25_000},
        options=("--evaluate-every", "5000", "--checkpoint-every", "2500"),
        arms={
            "32-bit": Arm(name="FIXAR, 32 bits", options=("--backend", "reference")),
            "quantized": Arm(
                name="FIXAR, 16-bit codes from step 25000, ranges with a margin",
                options=("--backend", "reference", "--quantization-delay", "25000"),
            ),
            "recorded": Arm(
                name="FIXAR, 16-bit codes from step 25000, ranges as recorded",
                options=("--backend", "reference", "--quantization-delay", "25000", "--range-margin", "1"),
            ),
            "float32": Arm(name="PyTorch, float32", options=("--backend", "torch")),
        },
    ),
    "cartpole": Experiment(
        system="pearl",
        page="pearl.md",
        env="CartPole-v1",
        config="k16",
        steps=50_000,
        seeds=3,
        threshold=475,
        options=("--evaluate-every", "5000", "--evaluation-episodes", "100", "--checkpoint-every", "0"),
        arms={
            "reference": Arm(name="DQN, replay on the reference", options=("--backend", "reference"), solved=True),
            "rtl": Arm(name="DQN, replay on the RTL", options=("--backend", "rtl"), solved=True, seeds=1),
            "learner": Arm(
                name="DQN, replay and learner on the reference",
                options=("--backend", "reference", "--learner", "cartpole"),
            ),
        },
    ),
    "pendulum-actors": PENDULUM_ON_ACTORS,
    "pendulum-learner": replace(
        PENDULUM_ON_ACTORS,
        arms={
            "learner": Arm(
                name="DDPG, replay and learner on the reference",
                options=("--algo", "ddpg", "--learner", "pendulum"),
                solved=True,
            ),
        },
    ),
}
