"""Fixed-point formats, rounding and saturation."""
