"""Identification, status, counters and errors, the same in every accelerator."""
