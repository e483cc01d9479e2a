"""Figures of LearningGroup, measured."""
