"""Optimisers and target updates."""
