import time

import cocotb


@cocotb.test()
async def never_ends(dut):
    while True:
        time.sleep(0.1)
