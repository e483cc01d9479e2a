"""A network that evaluates positions: its numbers, its device, its threads."""

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.search.batch_evaluation import require_evaluation
from rewardware.sw.search.torch_evaluator import TorchEvaluator


class Small(nn.Module):
    """Scores and values of planes (2, 2, 3)."""

    def __init__(self):
        super().__init__()
        self.scores, self.values = nn.Linear(12, 5), nn.Linear(12, 1)
        self.threads = []

    def forward(self, planes):
        self.threads.append(torch.get_num_threads())
        return 9 * self.scores(planes.flatten(1)), self.values(planes.flatten(1))


def positions(count=6):
    generator = np.random.default_rng(0)
    legal = generator.integers(0, 2, (count, 5)).astype(bool)
    legal[:, 3] = True
    return generator.random((count, 2, 2, 3), np.float32), legal


def test_priors_are_the_softmax_over_legal_actions_and_values_the_tanh():
    module, (planes, legal) = Small(), positions()
    evaluator = TorchEvaluator(module)
    priors, values = evaluator.evaluate(planes, legal)
    require_evaluation(priors, values, legal)
    assert priors.dtype == values.dtype == np.float32
    with torch.no_grad():
        scores, raw = (output.double().numpy() for output in module(torch.from_numpy(planes)))
    powers = np.where(legal, np.exp(scores), 0)
    np.testing.assert_allclose(priors, powers / powers.sum(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(values, np.tanh(raw[:, 0]), atol=1e-6)
    assert (priors[~legal] == 0).all()
    # The evaluator sees what the module learns.
    with torch.no_grad():
        module.values.bias += 1
    assert (evaluator.evaluate(planes, legal)[1] > values).all()
    evaluator.close()


def test_threads_are_the_evaluators_alone():
    module, before = Small(), torch.get_num_threads()
    TorchEvaluator(module, threads=before + 1).evaluate(*positions())
    TorchEvaluator(module).evaluate(*positions())
    assert module.threads == [before + 1, before] and torch.get_num_threads() == before
    with pytest.raises(ValueError, match="Threads of an evaluator must be at least 1, not 0"):
        TorchEvaluator(module, threads=0)


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="PyTorch finds no GPU for 'cuda': use cpu"):
        TorchEvaluator(Small(), "cuda")
    with pytest.raises(ValueError, match="Device of PyTorch must be cpu or cuda, not 'tpu7'"):
        TorchEvaluator(Small(), "tpu7")


def test_a_module_elsewhere_is_copied():
    module = Small()
    evaluator = TorchEvaluator(module, "meta")
    assert evaluator.module is not module and next(evaluator.module.parameters()).device.type == "meta"
    assert next(module.parameters()).device.type == "cpu"
