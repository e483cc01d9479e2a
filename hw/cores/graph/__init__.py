"""Networks as graphs of nodes, and the stages that follow from them, forward and backward."""
