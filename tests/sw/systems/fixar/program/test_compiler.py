"""Programs: what is in them, what they cost, and what does not fit; tests of the driver say what they compute."""

import dataclasses

import pytest

from rewardware.hw.soc.fixar.config import Networks
from rewardware.hw.soc.presets import load_preset
from rewardware.sw.systems.fixar.program.compiler import Compiler
from rewardware.sw.systems.fixar.program.cycles import useful_products

from ....reference.ddpg_numbers import NETWORKS, ODD

HALFCHEETAH = Networks(observation_size=17, action_size=6)


def test_useful_work_of_the_papers_networks():
    assert useful_products(HALFCHEETAH, 64) == 64 * 1_268_600


@pytest.mark.parametrize("batch, least", [(64, 57_000), (512, 59_500)])
def test_the_model_reaches_the_papers_throughput(batch, least):
    compiler = Compiler(load_preset("paper"), HALFCHEETAH)
    model = compiler.train(batch).cycles()
    assert 164e6 * batch / model.cycles > least
    assert useful_products(HALFCHEETAH, batch) / (512 * model.matrix_cycles) > 0.925
    half = compiler.train(batch, bits=16).cycles()
    assert model.cycles / half.cycles > 1.4


def test_padding_costs_no_more_than_itself():
    """A network one neuron over a multiple of the lanes costs one block more, not another pass."""
    compiler = Compiler(ODD, Networks(observation_size=5, action_size=1, hidden_sizes=(18, 12)))
    wider = Compiler(ODD, Networks(observation_size=5, action_size=1, hidden_sizes=(19, 12)))
    assert wider.train(36).cycles().matrix_cycles < 1.35 * compiler.train(36).cycles().matrix_cycles


def test_listing_names_everything():
    compiler = Compiler(ODD, NETWORKS)
    lines = compiler.train(40).listing().splitlines()
    assert lines[0].startswith("train 40: ") and len(lines) == 1 + len(compiler.train(40).words)
    assert "adam network=1" in " ".join(lines) and lines[-1].endswith("halt")


def test_loads_run_ahead():
    names = [name for name, _, _ in Compiler(ODD, NETWORKS).train(77).decoded]
    # The next states first: the step begins with them. The rest of the chunk follows, then the next chunk.
    assert names[:16] == ["load"] * 3 + ["matrix"] + ["load"] * 6 + ["matrix"] + ["load"] * 5


@pytest.mark.parametrize(
    "change, batch, words",
    [
        ({"activation_rows": 240}, 40, "batch of 40 needs .* rows of activation memory per core, .* odd has 240"),
        ({"error_rows": 60}, 40, "batch of 40 needs .* rows of error memory per core, configuration odd has 60"),
        ({"instruction_depth": 64}, 77, "Program train 77 needs 121 instructions, configuration odd has 64"),
        ({"slots": 4}, 40, "Hidden layers need 5 range slots .* configuration odd has 4"),
        ({"accumulator_depth": 21}, 40, "Widest layer needs 22 accumulator entries, configuration odd has 21"),
        ({"weight_rows": 102}, 40, r"actor \(13-21-17-8\) needs 198 weight rows, configuration odd has 102"),
    ],
)
def test_what_does_not_fit_says_what_is_needed(change, batch, words):
    with pytest.raises(ValueError, match=words):
        Compiler(dataclasses.replace(ODD, **change), NETWORKS).train(batch)


@pytest.mark.parametrize(
    "job, error, words",
    [
        (lambda compiler: compiler.train(0), ValueError, "Batch must be from 1 to 77 in configuration odd, not 0"),
        (lambda compiler: compiler.train(2.0), TypeError, "Batch must be an integer, not 2.0"),
        (lambda compiler: compiler.train(4, bits=17), ValueError, "Bits must be from 8 to 16, not 17"),
        (lambda compiler: compiler.train(4, bits=True), TypeError, "Bits must be an integer, not True"),
        (lambda compiler: compiler.act(37), ValueError, "Number of observations must be from 1 to 36"),
    ],
)
def test_bad_jobs(job, error, words):
    with pytest.raises(error, match=words):
        job(Compiler(ODD, NETWORKS))


def test_one_set_of_tensors_suffices():
    """With less memory chunks do not overlap, and wait more."""
    roomy, tight = (
        Compiler(dataclasses.replace(ODD, activation_rows=rows), NETWORKS).train(77) for rows in (1200, 384)
    )
    holds = [sum(fields.get("hold", 0) for _, _, fields in program.decoded) for program in (roomy, tight)]
    assert holds[0] < holds[1]
