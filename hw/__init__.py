"""The gateware: accelerator cores and the SoCs composed of them."""
