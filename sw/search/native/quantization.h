// Priors of a batch in the format of the tree.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "scores.h"

namespace rewardware {

// Closer to the middle of two integers, double precision may not tell on which side of it a quotient is.
constexpr double DOUBT = 0x1p-24;

// Quotients of the legal priors by their sum, 16 fraction bits, each to nearest, up from the middle, at most 65 535.
// False if some are not at least 0 and finite, all are 0, or one is in doubt: then somebody else has to look.
inline bool quantize_priors(const float *priors, const uint8_t *legal, uint32_t actions, uint16_t *quantized) {
    double sum = 0;
    bool fits = true;
    for (uint32_t action = 0; action < actions; ++action) {
        const float prior = legal[action] ? priors[action] : 0.0f;
        fits &= prior >= 0 && prior <= std::numeric_limits<float>::max();
        sum += prior;
    }
    if (!fits || sum == 0) return false;
    for (uint32_t action = 0; action < actions; ++action) {
        const double prior = legal[action] ? priors[action] : 0.0;
        const double shifted = prior / sum * (1 << Scores::SCORE_FRACTION) + 0.5, below = std::floor(shifted);
        const double apart = shifted - below;
        fits &= (apart > DOUBT && apart < 1 - DOUBT) || prior == 0;
        quantized[action] = static_cast<uint16_t>(std::min(below, 65535.0));
    }
    return fits;
}

}  // namespace rewardware
