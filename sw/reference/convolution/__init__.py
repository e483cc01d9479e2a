"""References of the cores in hw/cores/convolution."""
