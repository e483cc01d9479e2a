"""The mapping of the parts of training to devices: PEARL's system composer."""
