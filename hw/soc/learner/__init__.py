"""Learners as devices: what every learner's device shares."""
