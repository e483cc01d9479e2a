"""References of the cores in hw/cores/sparse_update."""
