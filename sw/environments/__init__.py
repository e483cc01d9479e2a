"""Environments of the papers that nobody else packages."""
