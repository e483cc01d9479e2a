// A module of a design as a model of its own, called once a clock cycle: `Block` around the class that Verilator made.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
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
    Block() : surroundings_(Verilated::threadContextp()), model_(&context_, "block"), last_(last_of(surroundings_)) {
        // A model makes its context that of the thread; whoever looks into the whole design wants the design's.
        Verilated::threadContextp(surroundings_);
        model_.eval();
        model_.clk = 0;
        model_.eval();
    }

    // Blocks inside it are closed in the model's last step.
    ~Block() { model_.final(); }

    // The ports are in the root; the model has references to them, each of which would be read from memory.
    auto &ports() { return *root_; }

    // A clock cycle with the inputs that are put; false: nothing but the same would have come of it.
    bool clock(bool changed) {
        fetch_next();
        if (!changed && !unsettled_ && resting_) return false;
        quiet_ = changed || unsettled_ ? 0 : quiet_ + 1;
        unsettled_ = false;
        bool compared = quiet_ >= patience_;
        State &state = *root_->vlSymsp;
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
    static constexpr unsigned least_patience = sizeof(State) > 8192 ? sizeof(State) / 1024 : 8;
    static constexpr unsigned most_patience = 512 * least_patience;
    // Bytes of a block that are fetched ahead; eight times as many were no faster.
    static constexpr std::size_t most_fetched = sizeof(State) < 512 ? sizeof(State) : 512;
    static constexpr std::size_t cache_line = 64;

    using Last = std::atomic<Block *>;

    // The block of this kind that was called last within the same surroundings: with those of another simulation, which
    // another thread may run or end, it has nothing to do.
    static std::shared_ptr<Last> last_of(const VerilatedContext *surroundings) {
        static std::mutex alone;
        static std::map<const VerilatedContext *, std::weak_ptr<Last>> known;
        std::lock_guard<std::mutex> held(alone);
        std::shared_ptr<Last> last = known[surroundings].lock();
        if (!last) known[surroundings] = last = std::make_shared<Last>(nullptr);
        return last;
    }

    // The blocks of a kind are called in the same order every cycle, and hundreds of them are more than a cache holds:
    // the memory of the next one is fetched while this one is computed. A wrong guess costs time, no bit; threads of a
    // simulation may write it at once.
    void fetch_next() {
        Block *before = last_->load(std::memory_order_relaxed);
        last_->store(this, std::memory_order_relaxed);
        if (before && before->next_.load(std::memory_order_relaxed) != this) {
            before->next_.store(this, std::memory_order_relaxed);
            before->next_state_.store(bytes(*root_->vlSymsp), std::memory_order_relaxed);
        }
        const Block *next = next_.load(std::memory_order_relaxed);
        const char *next_state = next_state_.load(std::memory_order_relaxed);
        if (!next_state) return;
        __builtin_prefetch(&next->root_);
        for (std::size_t at = 0; at < most_fetched; at += cache_line) __builtin_prefetch(next_state + at);
    }

    static const char *bytes(const State &state) { return reinterpret_cast<const char *>(&state); }

    VerilatedContext *surroundings_;
    VerilatedContext context_;
    Model model_;
    std::vector<char> before_;
    // The members from here on are read in every cycle, from one line of the cache.
    alignas(cache_line) decltype(Model::rootp) root_ = model_.rootp;
    std::shared_ptr<Last> last_;
    std::atomic<const Block *> next_{nullptr};
    std::atomic<const char *> next_state_{nullptr};
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
