"""Components to Verilog, each distinct one once."""
