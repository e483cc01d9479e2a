"""A3C's figures beside those of the paper."""
