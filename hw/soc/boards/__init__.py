"""Boards as rows of data, and the one top that all of them have. Pins and clocks are those of amaranth-boards."""
