// Scores of edges in the formats of the tree accelerator (docs/mcts.md), from tables over all counts.

#pragma once

#include <algorithm>
#include <cstdint>

namespace rewardware {

struct Scores {
    // Every count has here its exponent e, the reciprocal of count / 2^e, and g of a node with so many visits.
    const uint8_t *exponents;
    const int32_t *reciprocals;
    const int32_t *explorations;
    int32_t reciprocal_fraction;
    int32_t loss;
    int32_t first_value;

    // The mean of rewards of 12 fraction bits, with 16 of them, in 20 bits.
    int32_t value(int32_t total, uint32_t visits) const {
        const int shift = exponents[visits] + REWARD_FRACTION + reciprocal_fraction - SCORE_FRACTION;
        const int64_t mean = (int64_t{total} * reciprocals[visits] + (int64_t{1} << (shift - 1))) >> shift;
        return static_cast<int32_t>(std::clamp<int64_t>(mean, -VALUE_LIMIT, VALUE_LIMIT - 1));
    }

    // Exploration is weighted with this factor.
    int32_t factor(uint32_t prior, uint32_t visits) const {
        const int shift = reciprocal_fraction + exponents[visits + 1];
        return static_cast<int32_t>((int64_t{prior} * reciprocals[visits + 1]) >> shift);
    }

    static constexpr int REWARD_FRACTION = 12;
    static constexpr int SCORE_FRACTION = 16;
    static constexpr int64_t VALUE_LIMIT = 1 << 19;
    static constexpr int32_t LARGEST_REWARD = (1 << 15) - 1;
};

}  // namespace rewardware
