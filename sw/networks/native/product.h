// Products of matrices in binary32. Each number is one sum in the order of the inner index, whoever computes it; a
// product is added without being rounded before. So the bits are the same whatever the width of vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace product {

#if defined(__AVX512F__)
constexpr int WIDTH = 16, ROWS = 8;
#elif defined(__AVX2__)
constexpr int WIDTH = 8, ROWS = 6;
#else
constexpr int WIDTH = 4, ROWS = 4;
#endif
// Columns of a panel of the right factor; narrow products take one vector.
constexpr int PANEL = 2 * WIDTH;

typedef float Vector __attribute__((vector_size(4 * WIDTH)));

inline int padded(int columns) { return (columns + PANEL - 1) / PANEL * PANEL; }

inline Vector load(const float* from) {
    Vector found;
    std::memcpy(&found, from, sizeof found);
    return found;
}

inline void store(float* to, Vector value) { std::memcpy(to, &value, sizeof value); }

// `sum + number * vector`, rounded once: an instruction where the processor has one.
inline Vector multiply_add(float number, Vector vector, Vector sum) {
    for (int lane = 0; lane < WIDTH; ++lane) sum[lane] = std::fma(number, vector[lane], sum[lane]);
    return sum;
}

// ROWS rows of a panel: what `finish(row, column, vector)` gets.
template <int VECTORS, bool INNER_FIRST, typename Finish>
inline void block(const float* left, int64_t stride, const float* panel, int inner, const Finish& finish) {
    Vector sums[ROWS][VECTORS] = {};
    for (int k = 0; k < inner; ++k, panel += PANEL) {
        Vector right[VECTORS];
        for (int v = 0; v < VECTORS; ++v) right[v] = load(panel + v * WIDTH);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; ++r) {
            const float number = INNER_FIRST ? left[r * stride + k] : left[k * stride + r];
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; ++v) sums[r][v] = multiply_add(number, right[v], sums[r][v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) finish(r, v * WIDTH, sums[r][v]);
}

// A panel of all rows. Those beyond the last one are computed of whatever stands there, and dropped by `finish`.
template <bool INNER_FIRST, typename Finish>
inline void panel_product(const float* left, int64_t stride, const float* panel, int rows, int inner, int columns,
                          const Finish& finish) {
    for (int first = 0; first < rows; first += ROWS) {
        const float* from = left + first * (INNER_FIRST ? stride : 1);
        const auto placed = [&](int row, int column, Vector sum) {
            if (first + row < rows) finish(first + row, column, sum);
        };
        if (columns <= WIDTH) block<1, INNER_FIRST>(from, stride, panel, inner, placed);
        else block<2, INNER_FIRST>(from, stride, panel, inner, placed);
    }
}

// Columns from `first` on of a matrix as a panel.
inline void pack(const float* matrix, int64_t stride, int inner, int first, int columns, float* panel) {
    for (int k = 0; k < inner; ++k, panel += PANEL)
        std::memcpy(panel, matrix + k * stride + first, sizeof(float) * columns);
}

// The same of a matrix that lies transposed.
inline void pack_transposed(const float* matrix, int64_t stride, int inner, int first, int columns, float* panel) {
    constexpr int TILE = 8;
    for (int k = 0; k < inner; k += TILE)
        for (int n = 0; n < columns; ++n)
            for (int t = k; t < std::min(k + TILE, inner); ++t)
                panel[t * PANEL + n] = matrix[(first + n) * stride + t];
}

}  // namespace product
