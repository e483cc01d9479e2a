"""Reference of stochastic gradient descent, in bit patterns."""

from ..float.arithmetic import add, multiply, negate

__all__ = ["sgd"]


def sgd(number_format, weight, gradient, learning_rate):
    """``weight + (-(learning_rate * gradient))``, each operation rounded."""
    return add(number_format, weight, negate(number_format, multiply(number_format, learning_rate, gradient)))
