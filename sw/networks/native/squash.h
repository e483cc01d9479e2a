// Actions drawn from normal distributions and squashed by the hyperbolic tangent, in binary32. Elementary functions are
// written out here, as those of libraries differ in their last bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace squash {

// Returns a polynomial of `x`; the factor of its greatest power is the first.
template <int COUNT>
inline float series(const float (&factors)[COUNT], float x) {
    float sum = factors[0];
#pragma GCC unroll 8
    for (int power = 1; power < COUNT; ++power) sum = std::fma(sum, x, factors[power]);
    return sum;
}

// Returns e^x for x from -87 to 87: a power of two times Taylor's series of the rest, which is at most ln(2) / 2.
inline float exponential(float x) {
    // Adding and subtracting ROUNDER leaves an integer; HIGH and LOW add up to ln(2).
    constexpr float ROUNDER = 0x1.8p23f, HIGH = 0x1.62e4p-1f, LOW = 0x1.7f7d1cp-20f;
    constexpr float FACTORS[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1, 1};
    const float power = std::fma(x, 0x1.715476p0f, ROUNDER) - ROUNDER;
    const float rest = std::fma(-power, LOW, std::fma(-power, HIGH, x));
    return series(FACTORS, rest) * std::bit_cast<float>((static_cast<int32_t>(power) + 127) << 23);
}

// Returns ln(1 + x) for x from 0 to 1: the series of the inverse hyperbolic tangent of x / (2 + x), at most 1/3.
inline float logarithm_of_one_and(float x) {
    constexpr float FACTORS[] = {1.0f / 15, 1.0f / 13, 1.0f / 11, 1.0f / 9, 1.0f / 7, 1.0f / 5, 1.0f / 3, 1};
    const float ratio = x / (2 + x);
    return 2 * ratio * series(FACTORS, ratio * ratio);
}

// A draw keeps these arrays one after the other in one memory, each of them row by row.
struct Drawn {
    // Actions; deviations times noise; 1 where the logarithm of the deviation is within its bounds, else 0; terms of
    // the logarithm of the density.
    float *actions, *spread, *within, *terms;

    Drawn(float* memory, int64_t count)
        : actions(memory), spread(memory + count), within(memory + 2 * count), terms(memory + 3 * count) {}
};

// Draws actions for rows of outputs, each with `columns` means and then as many logarithms of deviations, and gives the
// logarithm of the density of each row's action.
inline void draw(int64_t rows, int32_t columns, const float* outputs, const float* noise, float least, float most,
                 float* memory, float* densities) {
    const int64_t count = rows * columns;
    const Drawn drawn(memory, count);
    for (int64_t row = 0; row < rows; ++row)
        for (int32_t column = 0; column < columns; ++column) {
            drawn.actions[row * columns + column] = outputs[2 * row * columns + column];
            drawn.spread[row * columns + column] = outputs[(2 * row + 1) * columns + column];
        }
    // The constants in the logarithms of 1 - tanh^2 and of the normal density add up to this.
    constexpr float CONSTANT = 2.3052328943f;  // 2 ln(2) + ln(2 pi) / 2
#pragma GCC ivdep
    for (int64_t place = 0; place < count; ++place) {
        const float given = drawn.spread[place], above = given < least ? least : given;
        const float logarithm = above > most ? most : above;
        const float spread = exponential(logarithm) * noise[place], before = drawn.actions[place] + spread;
        const float size = std::fabs(before), below = -2 * size;
        const float small = exponential(below < -87 ? -87 : below);
        drawn.actions[place] = std::copysign((1 - small) / (1 + small), before);
        drawn.spread[place] = spread;
        drawn.within[place] = given == logarithm ? 1 : 0;
        const float squashed = 2 * (size + logarithm_of_one_and(small)), normal = 0.5f * noise[place] * noise[place];
        drawn.terms[place] = squashed - normal - logarithm - CONSTANT;
    }
    for (int64_t row = 0; row < rows; ++row) {
        densities[row] = 0;
        for (int32_t column = 0; column < columns; ++column) densities[row] += drawn.terms[row * columns + column];
    }
}

// Gives the derivative of a loss by the first rows of the outputs; `slopes` are its derivative by the actions, `weight`
// is that by the logarithm of each density.
inline void differentiate(int64_t rows, int32_t columns, float* memory, int64_t count, const float* slopes,
                          float weight, float* derivative) {
    const Drawn drawn(memory, count);
    for (int64_t row = 0; row < rows; ++row)
        for (int32_t column = 0; column < columns; ++column) {
            const int64_t place = row * columns + column;
            const float action = drawn.actions[place];
            const float before = slopes[place] * (1 - action * action) + 2 * weight * action;
            derivative[2 * row * columns + column] = before;
            derivative[(2 * row + 1) * columns + column] = (before * drawn.spread[place] - weight) * drawn.within[place];
        }
}

}  // namespace squash
