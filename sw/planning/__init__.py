"""Planning: environments whose state can be saved and restored, simulations in processes, the search's host."""
