"""Presets of the tree accelerator for games that AlphaZero learns."""

import pytest

from rewardware import AlphaZeroHyperParameters, board_environment
from rewardware.hw.soc.presets import load_preset
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import open_tree
from rewardware.sw.search.device_search import DeviceSearch
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.search.tree_of_search import require_tree, roomy_tree

from .evaluators import HashEvaluator


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four"])
def test_a_preset_suits_its_game(name):
    """A level for each move and the root, and the tree that would be made without a preset."""
    game, tree = board_environment(name), load_preset(name, "mcts")
    suited = AlphaZeroHyperParameters.suited_to(name)
    config = SearchConfig(simulations=suited["simulations"], levels=suited["levels"])
    require_tree(game, config, tree)
    assert vars(roomy_tree(game, config)).items() <= vars(tree).items()
    _, rows, columns = game.observation_shape
    assert tree.levels == rows * columns + 1
    with DeviceSearch(game, HashEvaluator(), config, MCTSDevice(open_tree("reference", tree))) as search:
        (result,) = search.search([game.save()])
    assert result.visits.sum() == config.simulations
