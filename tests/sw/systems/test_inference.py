"""Networks on the device of another system."""

from contextlib import closing

import numpy as np
import pytest

from rewardware.sw.systems.inference import networks_on
from tests.sw.systems.dynamap.networks import PICTURES, model_of


def test_networks_are_opened_by_the_system_that_computes_them():
    network = model_of().network
    words = network.to_words(PICTURES[0])
    with closing(networks_on("lockstep:reference,reference")(network)) as running:
        for name, tensor in network.infer(words).words.items():
            np.testing.assert_array_equal(running.infer(words)[name], tensor)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("mcts", "System must be one that computes networks, dynamap, not 'mcts'"),
        ("dynamo", "System must be one of .*dynamap.*, not 'dynamo'"),
    ],
)
def test_other_systems_are_refused(system, words):
    with pytest.raises(ValueError, match=words):
        networks_on("reference", system=system)
