"""PEARL's replay manager as a device."""
