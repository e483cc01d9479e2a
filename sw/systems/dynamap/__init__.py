"""DYNAMAP: convolutional networks on one systolic array, and fractionally strided convolutions on an engine."""
