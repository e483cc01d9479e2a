"""The rows of DYNAMAP's bench: those of models whole, those that are counted on a small engine and few layers."""

import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.mapping.fractional_convolution.models import decoders, nature_cnn_backward
from rewardware.sw.systems.dynamap.bench import fractional, fractional_cycles
from rewardware.sw.systems.dynamap.bench.counted_cycles import CountedCycles, error_row
from rewardware.sw.systems.dynamap.bench.figures import DynamapBench

MEMORIES = {"input_rows": 900, "weight_rows": 300, "scratchpad_rows": 700}
ENGINES = {
    "int16": FractionalConvolutionConfig(cores=3, rows=3, columns=2, **MEMORIES),
    "binary16": FractionalConvolutionConfig(
        cores=2, rows=3, columns=1, arithmetic=FloatLaneConfig(format=BINARY16, adder_depth=3), **MEMORIES
    ),
}
LAYERS = {"int16": decoders(2, width=16)[:3], "binary16": nature_cnn_backward(width=16)[:2]}


def test_rows_are_those_of_the_specification(capsys):
    ids = list(DynamapBench().ids())
    assert ids[:16] == [
        "latency_ms_googlenet", "latency_ms_inceptionv4", "gain_googlenet_bl3", "gain_googlenet_bl4",
        "gain_googlenet_bl5", "gain_inceptionv4_bl3", "gain_inceptionv4_bl4", "gain_inceptionv4_bl5", "map_seconds",
        "model_error", "beta_gain_s2", "beta_gain_s3", "beta_gain_s4", "gamma", "ops_per_cycle_pe", "array_scaling",
    ]  # fmt: skip
    assert dispatch(["bench", "dynamap", "--only", "beta"]) == 2
    assert "must name figures of latency_ms_googlenet, " in capsys.readouterr().err
    assert dispatch(["bench", "dynamap", "--config", "small"]) == 2
    assert "Each figure of dynamap has a configuration of its own" in capsys.readouterr().err


def test_latencies_and_what_they_save():
    names = [name for name in DynamapBench().ids() if name.startswith(("latency", "gain", "map_"))]
    rows = {row["id"]: row for row in DynamapBench().rows(names)}
    assert rows["latency_ms_googlenet"]["value"] <= 1.25 < rows["latency_ms_googlenet"]["paper"]
    assert f"weights ({1e3 * 6998552 / 77e9:.3f}) not counted" in rows["latency_ms_googlenet_source"]["how"]
    # Not even the fewest multiplications take as little time as the source says.
    how = rows["latency_ms_inceptionv4"]["how"]
    least = float(how.partition(" with the fewest multiplications of any algorithm")[0].rpartition(" ")[2])
    assert rows["latency_ms_inceptionv4"]["paper"] < least < rows["latency_ms_inceptionv4"]["value"]
    for network in ("googlenet", "inceptionv4"):
        found = [rows[f"gain_{network}_{baseline}"] for baseline in ("bl3", "bl4", "bl5")]
        assert all(row["value"] > 0 and row["unit"] == "%" for row in found)
        orders = [sorted(found, key=lambda row: row[of]) for of in ("value", "paper")]
        assert orders[0] == orders[1], f"gains of {network} are not in the source's order"
    assert rows["map_seconds"]["kind"] == "measured" and rows["map_seconds"]["value"] > 0
    assert {row["kind"] for name, row in rows.items() if name != "map_seconds"} == {"model"}


def test_rows_of_fractionally_strided_layers():
    """A picture at a time: eight take long."""
    names = [name for name in DynamapBench().ids() if name.endswith("_b1")]
    rows = {row["id"]: row for row in DynamapBench().rows(names)}
    for stride in (2, 3, 4):
        assert 0.85 * stride**2 < rows[f"beta_gain_s{stride}_b1"]["value"] < stride**2
    assert 80 < rows["gamma_b1"]["value"] < 100
    assert 0 < rows["ops_per_cycle_pe_b1"]["value"] < 2 and 0 < rows["ops_per_cycle_pe_nature_b1"]["value"] < 2
    assert 14 < rows["array_scaling_b1"]["value"] <= 16
    assert all("a picture at a time" in row["how"] and row["kind"] == "model" for row in rows.values())


@pytest.mark.parametrize("name", ENGINES)
def test_cycles_of_the_engine_are_those_of_the_model(name):
    found = fractional_cycles.count_layers(ENGINES[name], LAYERS[name])
    assert len(found) == len(LAYERS[name])
    for one in found:
        assert one.cycles.counted == one.cycles.modelled == one.figures.cycles and one.cycles.error == 0
        assert one.gain == one.figures.gain


def test_wrong_numbers_are_no_figure(monkeypatch):
    reference = fractional_cycles.kn2row

    def wrong(*arguments):
        outputs = reference(*arguments)
        outputs[0, -1, 0] += 1
        return outputs

    monkeypatch.setattr(fractional_cycles, "kn2row", wrong)
    with pytest.raises(LockstepError, match=r"8 to 4 channels, picture 14x14.* differs .*outputs\[0, 27, 0\]"):
        fractional_cycles.count_layers(ENGINES["int16"], LAYERS["int16"])


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="Rows of all weights of a layer must be at most 300, not 352"):
        fractional_cycles.count_layers(ENGINES["int16"], decoders(4, width=16)[3:4])


def test_counted_rows(monkeypatch):
    """With one engine and its layers in the place of all."""
    found = fractional_cycles.count_layers(ENGINES["int16"], LAYERS["int16"])
    monkeypatch.setattr(fractional, "counted_layers", lambda name: found)
    gain, error = DynamapBench().rows(["beta_gain_s2_counted", "beta_counted_error"])
    assert gain["value"] == round(sum(one.figures.gain for one in found) / len(found), 3)
    assert error["value"] == 0 and gain["kind"] == error["kind"] == "counted"
    assert f"all {5 * len(found)} are the model's" in error["how"]


def test_the_largest_error_is_told():
    near, far = (CountedCycles(what=name, counted=100, modelled=modelled) for name, modelled in (("A", 101), ("B", 97)))
    row = error_row([near, far], "here")
    assert (row["value"], row["unit"], row["kind"]) == (3, "%", "counted")
    assert row["how"] == "largest of 2: B, 100 cycles, 97 by the model; 200 cycles in all; here"
