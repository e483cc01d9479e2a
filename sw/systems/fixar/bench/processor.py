"""DDPG in PyTorch on one core: the speed that an accelerator is held against."""

import time
from typing import Any

__all__ = ["samples_per_second"]

WARM_UP_STEPS = 10
WINDOW_STEPS = 20
WINDOWS = 12


def samples_per_second(networks: Any, batch_size: int, batch: Any) -> dict[str, Any]:
    """Samples a second of a whole DDPG step, the best of PyTorch's settings and of several windows of steps.

    Parameters
    ----------
    networks : Networks
        Shapes.
    batch_size : int
    batch : LearnerBatch
        The transitions as NumPy arrays; the same in every step, which spares PyTorch the drawing as it spares the
        device.
    """
    import torch

    from ....algorithms.ddpg_config import DDPGConfig
    from ....algorithms.torch_ddpg import TorchLearner
    from ....core.threads import limited_threads

    config = DDPGConfig(hidden_sizes=networks.hidden_sizes, batch_size=batch_size)
    best, best_setting = 0.0, ""
    # One core of the same machine.
    with limited_threads(1):
        try:
            for setting in ("default", "fused", "foreach"):
                learner = TorchLearner(networks.observation_size, networks.action_size, config)
                if setting != "default":
                    for optimizer in (learner.actor_optimizer, learner.critic_optimizer):
                        for group in optimizer.param_groups:
                            group[setting] = True
                # Small weights become subnormal in time; flushing them is the faster setting.
                torch.set_flush_denormal(True)
                for _ in range(WARM_UP_STEPS):
                    learner.train(batch)
                for _ in range(WINDOWS):
                    start = time.perf_counter()
                    for _ in range(WINDOW_STEPS):
                        learner.train(batch)
                    speed = WINDOW_STEPS * batch_size / (time.perf_counter() - start)
                    if speed > best:
                        best, best_setting = speed, setting
        finally:
            torch.set_flush_denormal(False)
    how = (
        f"float32, one thread, batch {batch_size}, from NumPy arrays to both targets, Adam {best_setting}; "
        f"the best window of {WINDOW_STEPS} steps"
    )
    return {"value": best, "how": how}
