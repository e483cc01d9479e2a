"""LearningGroup as a whole in NumPy: the bits that the device computes."""
