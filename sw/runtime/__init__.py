"""Model-free training with replay: buffers."""
