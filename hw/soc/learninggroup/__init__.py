"""LearningGroup: its configuration, and what makes engines a device."""
