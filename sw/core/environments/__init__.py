"""Environments as training and searches see them, and those of the papers that nobody else packages."""
