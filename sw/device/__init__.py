"""The device interface and its drivers."""
