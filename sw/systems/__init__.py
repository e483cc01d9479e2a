"""The systems: a folder each, with a descriptor of what the software has of it."""
