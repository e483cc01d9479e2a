"""Prioritised replay: sum trees."""
