"""LearningGroup."""
