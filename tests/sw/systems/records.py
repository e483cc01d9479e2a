"""Records of a run that do not depend on the machine."""

from rewardware.sw.core.run_folder import read_metrics


def records(directory):
    """Records of a run but for its speed."""
    return [record for record in read_metrics(directory) if record["kind"] != "speed"]
