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
        Options of `rewardware train`.
    solved
        Whether the mean return must end above the experiment's threshold (``True``), below it (``False``: the failing
        case that it is in the paper), or is compared only (``None``).
    seeds
        If not as many as the experiment's.
    runs_of
        Another arm, whose runs these are: what differs is only what is ``evaluated``. Empty: its own.
    evaluated
        Name of the mean return in the records of evaluations, if not the experiment's.
    """

    name: str
    options: tuple[str, ...]
    solved: bool | None = None
    seeds: int | None = None
    runs_of: str = ""
    evaluated: str = ""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An environment, hyper-parameters common to all arms, and the arms.

    Parameters
    ----------
    env, config
        Environment and preset; no preset if each arm's backend has its own.
    length, seeds
        How long a run is, and seeds.
    options
        Options of `rewardware train`, for every arm.
    arms
        By a short name.
    counted
        What a length counts: ``"steps"`` of the environment or ``"iterations"``.
    evaluated
        Name of the mean return in the records of evaluations.
    threshold
        What "solved" means: a mean of the evaluation episodes above it. ``None``: nothing is decided.
    system
        System of `rewardware train`.
    page
        Page that has the table.
    title
        Title of the picture: the task, if it is not the environment alone.
    marks
        Where the picture has dashed lines, by their names.
    """

    env: str
    length: int
    seeds: int
    options: tuple[str, ...]
    arms: dict[str, Arm]
    config: str | None = None
    counted: str = "steps"
    evaluated: str = "mean"
    threshold: float | None = None
    system: str = "fixar"
    page: str = "learning.md"
    title: str = ""
    marks: dict[str, int] = field(default_factory=dict)


PENDULUM_ON_ACTORS = Experiment(
    system="pearl",
    page="pearl.md",
    env="Pendulum-v1",
    config="k16",
    length=6_000,
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

# Smaller than the source's, with targets that follow faster, so that a run of the reference ends within half an hour.
MAAC_OPTIONS = ("--evaluate-every", "25", "--evaluation-episodes", "100", "--checkpoint-every", "0")
MAAC_RATES = ("--hidden-size", "64", "--batch-size", "256", "--tau", "0.01")


def _maac_arms(*task: str) -> dict[str, Arm]:
    """The reference beside PyTorch, on a task that takes these options."""
    return {
        "reference": Arm(name="MAAC, the reference", options=("--backend", "reference", *task, *MAAC_RATES)),
        "float32": Arm(name="PyTorch, float32", options=("--backend", "torch", *task, *MAAC_RATES)),
    }


ROVER_TOWER = Experiment(
    system="maac",
    page="maac.md",
    env="rover-tower",
    length=300,
    seeds=3,
    counted="iterations",
    evaluated="return",
    title="Rover-Tower, 4 agents",
    options=MAAC_OPTIONS,
    arms=_maac_arms("--agents", "4"),
)

# Smaller layers than the source's, and rates to match.
A3C_RATES = (
    *("--hidden-sizes", "64,64", "--rollout-steps", "8", "--learning-rate", "0.001", "--anneal-steps", "200000"),
    *("--rms-prop-epsilon", "0.00001", "--value-coefficient", "0.25"),
)
# Rewards of up to 100 make gradients of the value that the cores do not clip.
LUNAR_LANDER_RATES = (
    *("--hidden-sizes", "64,64", "--rollout-steps", "20", "--learning-rate", "0.0008", "--anneal-steps", "800000"),
    *("--rms-prop-epsilon", "0.00001", "--value-coefficient", "0.5", "--entropy-coefficient", "0.0005"),
    *("--reward-scale", "0.02", "--draw-in-evaluation"),
)
# Points come in hundreds: what is learned from is their sign, as in the source.
KUNG_FU_MASTER_RATES = (
    *("--hidden-sizes", "64,64", "--rollout-steps", "8", "--learning-rate", "0.0007", "--anneal-steps", "60000"),
    *("--rms-prop-epsilon", "0.00001", "--value-coefficient", "0.25", "--reward-limit", "1", "--draw-in-evaluation"),
)


def _a3c_arms(*rates: str, solved: bool | None = None) -> dict[str, Arm]:
    """The reference beside PyTorch, with these rates; environments are served in the same order each time."""
    here = ("--environments", "in-process", *rates)
    return {
        "reference": Arm(name="A3C, the reference", options=("--backend", "reference", *here), solved=solved),
        "float32": Arm(name="PyTorch, float32", options=("--backend", "torch", *here), solved=solved),
    }


EXPERIMENTS = {
    "pendulum": Experiment(
        env="Pendulum-v1",
        config="small",
        length=8_000,
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
        length=50_000,
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
        length=50_000,
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
    "cartpole-a3c": Experiment(
        system="a3c",
        page="a3c.md",
        env="CartPole-v1",
        length=200_000,
        seeds=3,
        threshold=475,
        options=("--evaluate-every", "10000", "--evaluation-episodes", "100", "--checkpoint-every", "0"),
        arms=_a3c_arms(*A3C_RATES, solved=True),
    ),
    "lunar-lander": Experiment(
        system="a3c",
        page="a3c.md",
        env="LunarLander-v3",
        length=800_000,
        seeds=3,
        options=("--evaluate-every", "100000", "--evaluation-episodes", "20", "--checkpoint-every", "0"),
        arms=_a3c_arms(*LUNAR_LANDER_RATES),
    ),
    "kung-fu-master": Experiment(
        system="a3c",
        page="a3c.md",
        env="ALE/KungFuMaster-v5",
        length=60_000,
        seeds=3,
        options=(
            *("--obs", "ram", "--evaluate-every", "15000", "--evaluation-episodes", "10"),
            *("--checkpoint-every", "0"),
        ),
        arms=_a3c_arms(*KUNG_FU_MASTER_RATES),
        title="ALE/KungFuMaster-v5 from its RAM",
    ),
    "breakout": Experiment(
        system="dynamap",
        page="dynamap.md",
        env="ALE/Breakout-v5",
        length=15_000,
        seeds=3,
        # Random actions come to 1 or 2.
        threshold=10,
        options=("--evaluate-every", "5000", "--evaluation-episodes", "10", "--backend", "reference"),
        title="ALE/Breakout-v5, one policy per seed",
        arms={
            "int8": Arm(name="INT8, the reference", options=(), solved=True),
            "float32": Arm(name="float32", options=(), solved=True, runs_of="int8", evaluated="float32_mean"),
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
    "rover-tower": ROVER_TOWER,
    "simple-spread": replace(ROVER_TOWER, env="mpe2/simple_spread_v3", title="", arms=_maac_arms()),
}
