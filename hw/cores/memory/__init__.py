"""Memories and address generators."""
