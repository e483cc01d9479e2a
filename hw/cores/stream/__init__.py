"""Streams: only what the Amaranth library has not."""
