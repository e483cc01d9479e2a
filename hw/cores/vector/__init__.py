"""The cores of LearningGroup: vectors in the lanes."""
