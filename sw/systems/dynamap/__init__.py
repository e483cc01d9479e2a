"""DYNAMAP: inference of convolutional networks on integers."""
