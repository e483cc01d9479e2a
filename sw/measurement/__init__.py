"""Counting and measuring: benches, and the tools that synthesise and place, each input once."""
