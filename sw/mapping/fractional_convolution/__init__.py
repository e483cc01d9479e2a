"""Fractionally strided convolutions on their engine: channel tiles, rows of operands, figures."""
