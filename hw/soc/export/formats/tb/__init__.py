"""The bench of a package, as it stands in the package: cocotb and cocotbext-axi, no module of this project."""
