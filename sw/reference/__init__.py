"""NumPy references of the cores: an independent statement of what the bits are."""
