// What every harness shares: the model, its clock and its waveform.
#pragma once

#include <cstdint>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace rewardware {

// Words of a port that is up to 64 bits wide, or wider.
template <typename Port>
void put_words(Port &port, const uint32_t *words, int count) {
    uint64_t value = 0;
    for (int index = 0; index < count; ++index) value |= uint64_t(words[index]) << (32 * index);
    port = static_cast<Port>(value);
}
template <std::size_t N>
void put_words(VlWide<N> &port, const uint32_t *words, int count) {
    for (int index = 0; index < count; ++index) port[index] = words[index];
}
template <typename Port>
void get_words(const Port &port, uint32_t *words, int count) {
    for (int index = 0; index < count; ++index) words[index] = uint32_t(uint64_t(port) >> (32 * index));
}
template <std::size_t N>
void get_words(const VlWide<N> &port, uint32_t *words, int count) {
    for (int index = 0; index < count; ++index) words[index] = port[index];
}

class Simulation {
  public:
    Simulation(const char *waveform, uint64_t seed) : random_(seed * 2 + 1) {
        const char *arguments[] = {"simulation"};
        context_.commandArgs(1, arguments);
        context_.traceEverOn(waveform != nullptr);
        top_ = std::make_unique<Vtop>(&context_);
#if VM_TRACE_FST
        if (waveform != nullptr) {
            trace_ = std::make_unique<VerilatedFstC>();
            top_->trace(trace_.get(), 99);
            trace_->open(waveform);
        }
#endif
    }

    ~Simulation() {
        top_->final();
#if VM_TRACE_FST
        if (trace_) trace_->close();
#endif
    }

    Vtop &top() { return *top_; }
    uint64_t cycle() const { return cycle_; }

    // True with the probability threshold / 2^32.
    bool chance(uint64_t threshold) {
        if (threshold == 0) return false;
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        return (random_ >> 32) < threshold;
    }

    // One clock cycle: `settled` looks at the outputs just before the rising edge.
    template <typename Clock, typename Settled>
    void tick(Clock &clock, Settled settled) {
        clock = 0;
        eval(0);
        settled();
        clock = 1;
        eval(1);
        ++cycle_;
    }

  private:
    void eval(int half) {
        top_->eval();
#if VM_TRACE_FST
        if (trace_) trace_->dump(cycle_ * 2 + half);
#else
        (void)half;
#endif
    }

    VerilatedContext context_;
    std::unique_ptr<Vtop> top_;
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> trace_;
#endif
    uint64_t cycle_ = 0;
    uint64_t random_;
};

}  // namespace rewardware
