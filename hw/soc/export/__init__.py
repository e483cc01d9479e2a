"""Verilog packages for vendor tools."""
