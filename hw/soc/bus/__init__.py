"""AXI4-Lite, AXI4-Stream, UART and the registers behind them."""
