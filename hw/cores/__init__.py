"""Datapaths and engines, each an Amaranth component with a NumPy reference of the same bits."""
