"""Simulation: Verilator builds, the C++ harness and cocotb helpers."""
