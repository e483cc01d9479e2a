"""References of the cores in hw/cores/replay."""
