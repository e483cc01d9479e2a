"""Floating-point units: one implementation for every IEEE 754 format that fits 32 bits."""
