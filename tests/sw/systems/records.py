"""What a run's records say whatever the machine does beside it."""

from rewardware.sw.core.run_folder import read_metrics


def records(directory):
    """Those of a run but for its speed."""
    return [record for record in read_metrics(directory) if record["kind"] != "speed"]
