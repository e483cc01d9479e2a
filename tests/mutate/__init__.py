"""Mutation testing of the gateware: do the benches notice a small fault in the Verilog?"""
