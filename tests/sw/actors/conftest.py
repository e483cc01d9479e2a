"""A cluster of Ray that all tests of this folder share: its start takes seconds."""

import os
import sys

import pytest


@pytest.fixture(scope="package")
def cluster():
    """A cluster of nodes with one core each: two actors are on both."""
    import ray
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        # Nothing of the user's own set-up, and nothing to anybody.
        patch.delenv("RAY_ADDRESS", raising=False)
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Ray lets its processes go after all others: next to other tests they would wait for most of a minute each.
        patch.setenv("RAY_worker_niceness", "0")
        # A killed node is missed after 5 seconds, not 14, and one that is silent as its machine is busy after 100.
        patch.setenv("RAY_health_check_period_ms", "500")
        patch.setenv("RAY_health_check_failure_threshold", "10")
        # Where the processes of all nodes find these tests.
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        # Small ones: a node's object store would take a third of the memory, in shared memory, which may be little.
        node = {"num_cpus": 1, "object_store_memory": 100 << 20}
        opened = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        try:
            opened.add_node(**node)
            ray.init(opened.address, log_to_driver=False)
            yield opened
        finally:
            ray.shutdown()
            opened.shutdown()
