"""Everything that runs on the host."""
