"""Board tops: clock, reset, pins and the bridge to the host."""
