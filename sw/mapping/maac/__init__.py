"""MAAC's accelerator: the paper's model and that of the gateware, and which design suits a part."""
