// Counts with a simulated counter: the smallest harness that is a shared library.

#include "Vtop.h"

extern "C" int count(int cycles) {
    Vtop top;
    top.rst = 0;
    top.clk = 0;
    top.eval();
    for (int cycle = 0; cycle < cycles; ++cycle) {
        top.clk = 1;
        top.eval();
        top.clk = 0;
        top.eval();
    }
    return top.value;
}
