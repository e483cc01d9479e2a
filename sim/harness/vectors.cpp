// Operands into a unit, one set a cycle, and its results out, `latency` cycles later.

#include <cstdint>

#include "Vtop.h"

// Generated for the ports of the unit.
void set_inputs(Vtop &top, const uint64_t *const *inputs, uint64_t index);
void get_outputs(const Vtop &top, uint64_t *const *outputs, uint64_t index);
void set_clock(Vtop &top, int level);

extern "C" void evaluate(const uint64_t *const *inputs, uint64_t *const *outputs, uint64_t count, uint64_t latency) {
    VerilatedContext context;
    Vtop top{&context};
    set_clock(top, 0);
    top.eval();
    for (uint64_t cycle = 0; cycle < count + latency; ++cycle) {
        set_inputs(top, inputs, cycle < count ? cycle : count - 1);
        set_clock(top, 0);
        top.eval();
        if (cycle >= latency) get_outputs(top, outputs, cycle - latency);
        set_clock(top, 1);
        top.eval();
    }
    top.final();
}
