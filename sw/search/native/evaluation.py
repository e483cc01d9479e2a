"""A batch of positions through an evaluator, and into the words of the C++ search."""

import numpy as np
from numpy.typing import NDArray

from ..batch_evaluation import ask, require_evaluation, require_shapes
from ..position_evaluator import Planes, PositionEvaluator
from ..search_scores import fixed_priors
from .library import native_library

__all__ = ["evaluate_words"]


def evaluate_words(
    evaluator: PositionEvaluator, planes: Planes, legal: NDArray[np.bool_]
) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Priors and values of :func:`.batch_evaluation.evaluate_fixed`, as contiguous words; errors as there.

    C++ divides the priors by their sum. Where it finds something wrong, or a quotient too close to the middle of two
    integers, NumPy does it for the whole batch.
    """
    priors, values = ask(evaluator, planes, legal)
    require_shapes(priors, values, legal)
    words = np.empty(legal.shape, np.uint16)
    given = np.ascontiguousarray(priors, np.float32)
    done = priors.dtype == np.float32 and native_library().quantize_batch(
        given.ctypes.data, legal.ctypes.data, *legal.shape, words.ctypes.data
    )
    if not done or not np.isfinite(values).all():
        require_evaluation(priors, values, legal)
        words = fixed_priors(priors, legal).astype(np.uint16)
    return words, np.ascontiguousarray(values, np.float32)
