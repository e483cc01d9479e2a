// A module of a design as a model of its own, called once a clock cycle: `Block` around the class that Verilator made.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "verilated.h"

namespace rewardware {

// A port of the model from an argument; whether that changed it.
template <typename Port, typename Value>
inline bool put(Port &port, Value value) {
    bool changed = port != static_cast<Port>(value);
    port = static_cast<Port>(value);
    return changed;
}
template <std::size_t N>
inline bool put(VlWide<N> &port, const uint32_t *words) {
    if (std::memcmp(&port[0], words, N * sizeof *words) == 0) return false;
    std::memcpy(&port[0], words, N * sizeof *words);
    return true;
}

template <typename Port, typename Value>
inline void get(const Port &port, Value *value) {
    *value = port;
}
template <std::size_t N>
inline void get(const VlWide<N> &port, uint32_t *words) {
    std::memcpy(words, &port[0], N * sizeof *words);
}

// Model: what Verilator made. State: all its signals. Steps: how its inputs are settled and how its clock rises.
template <typename Model, typename State, typename Steps>
class Block {
  public:
    Block() : surroundings_(Verilated::threadContextp()), model_(&context_, "block") {
        // A model makes its context that of the thread; whoever looks into the whole design wants the design's.
        Verilated::threadContextp(surroundings_);
        model_.eval();
        model_.clk = 0;
        model_.eval();
    }

    // The ports are in the root; the model has references to them, each of which would be read from memory.
    auto &ports() { return *model_.rootp; }

    // A clock cycle with the inputs that are put; false: nothing but the same would have come of it.
    bool clock(bool changed) {
        if (!changed && !unsettled_ && resting_) return false;
        quiet_ = changed || unsettled_ ? 0 : quiet_ + 1;
        unsettled_ = false;
        bool compared = quiet_ >= patience_;
        State &state = *model_.rootp->vlSymsp;
        if (compared) before_.assign(bytes(state), bytes(state) + sizeof(State));
        Steps::clock(model_);
        if (compared) {
            quiet_ = 0;
            resting_ = std::memcmp(before_.data(), bytes(state), sizeof(State)) == 0;
            patience_ = resting_ ? least_patience : patience_ < most_patience ? 2 * patience_ : patience_;
        } else {
            resting_ = false;
        }
        return true;
    }

    // Outputs that depend on inputs without a register between, of inputs that are put.
    void settle(bool changed) {
        unsettled_ |= changed;
        if (changed || !resting_) Steps::settle(model_);
    }

  private:
    // Cycles without a new input after which the state is compared: looking often costs more than it gives.
    static constexpr unsigned least_patience = sizeof(State) > 65536 ? 65536 : 8;
    static constexpr unsigned most_patience = sizeof(State) > 65536 ? 1u << 20 : 4096;

    static const char *bytes(const State &state) { return reinterpret_cast<const char *>(&state); }

    VerilatedContext *surroundings_;
    VerilatedContext context_;
    Model model_;
    std::vector<char> before_;
    unsigned quiet_ = 0, patience_ = least_patience;
    bool resting_ = false, unsettled_ = false;
};

// These steps suit any model.
struct WholeSteps {
    template <typename Model>
    static void clock(Model &model) {
        model.clk = 1;
        model.eval();
        model.clk = 0;
        model.eval();
    }
    template <typename Model>
    static void settle(Model &model) {
        model.eval();
    }
};

}  // namespace rewardware
