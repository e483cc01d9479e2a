"""Prints what the learner's units are worth: ``python -m tests.sw.mapping.run_layer_balance``."""

import argparse

from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DQNLearnerConfig
from rewardware.sw.mapping.layer_balance import balance_units
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles, step_cycles, units, utilisation


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[4, 64, 64, 2])
    parser.add_argument("--budgets", type=int, nargs="+", default=[64, 200, 300, 600])
    parser.add_argument("--interval", type=int, default=2, help="cycles from one word to the next in the update")
    parser.add_argument("--batch", type=int, default=128)
    arguments = parser.parse_args()
    print("| budget | UF | units | T_stage | step, cycles | utilisation |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for budget in arguments.budgets:
        counts = balance_units(arguments.sizes, budget)
        network = NetworkConfig(sizes=arguments.sizes, units=counts)
        config = DQNLearnerConfig(network=network, update_interval=arguments.interval)
        share = 100 * utilisation(config, arguments.batch)
        print(
            f"| {budget} | {', '.join(map(str, counts))} | {units(config)} | {learner_stage_cycles(config)} "
            f"| {step_cycles(config, arguments.batch)} | {share:.1f} % |"
        )


if __name__ == "__main__":
    main()
