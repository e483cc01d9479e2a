"""Actions drawn from normal distributions that a network gives, within bounds."""

import torch

from .native.library import native_library

__all__ = ["SquashedNormal"]


class SquashedNormal:
    """Actions ``tanh(u)`` of ``u = mean + deviation * noise``, and the logarithms of their densities.

    The exponential, the logarithm and the hyperbolic tangent are the library's own, so that their bits do not depend on
    the machine; an action is within 2**-23 of the hyperbolic tangent.

    Parameters
    ----------
    outputs
        A network's: of each row the means, behind them the logarithms of the deviations.
    noise
        Standard normal numbers, shape (rows, actions).
    bounds
        Between which the logarithms of the deviations are kept.

    Members
    -------
    actions
        Shape (rows, actions).
    log_density
        Log density of each row's actions together, shape (rows, 1).

    Source: T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, appendix C.
    """

    def __init__(self, outputs: torch.Tensor, noise: torch.Tensor, bounds: tuple[float, float]):
        self._library = native_library()
        rows, self._columns = noise.shape
        self._memory, self.log_density = torch.empty(4, rows, self._columns), torch.empty(rows, 1)
        self.actions = self._memory[0]
        outputs, noise = outputs.contiguous(), noise.contiguous()
        self._library.draw(
            rows,
            self._columns,
            outputs.data_ptr(),
            noise.data_ptr(),
            *bounds,
            self._memory.data_ptr(),
            self.log_density.data_ptr(),
        )

    def derivative(self, slopes: torch.Tensor, weight: float) -> torch.Tensor:
        """Derivative of a loss by the outputs of the first rows.

        Parameters
        ----------
        slopes
            The loss's by the actions of those rows.
        weight
            The loss's by each logarithm of a density.
        """
        rows, slopes = len(slopes), slopes.contiguous()
        found = torch.empty(rows, 2 * self._columns)
        self._library.differentiate(
            rows,
            self._columns,
            self._memory.data_ptr(),
            self.actions.numel(),
            slopes.data_ptr(),
            weight,
            found.data_ptr(),
        )
        return found
