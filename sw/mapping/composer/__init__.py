"""Which device does which part of training: PEARL's system composer."""
