"""Programs that users of the runtime write."""
