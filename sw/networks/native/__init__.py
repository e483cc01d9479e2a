"""Passes of perceptrons and Adam's steps in C++, compiled once for the processor at hand."""
