"""Components to Verilog."""
