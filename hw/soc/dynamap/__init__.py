"""DYNAMAP: a device that computes convolutional networks, each layer by an algorithm of its own."""
