"""What users of the runtime write."""
