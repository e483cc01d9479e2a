"""A3C: a device that infers for many agents and trains them."""
