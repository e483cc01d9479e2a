// Products of matrices in binary32. Each element is one sum in the order of the inner index, whichever thread computes
// it, and each product is added without being rounded before. Vectors of any width therefore give the same bits.
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
// Columns of a panel of the right factor: two vectors, of which narrow products take one.
constexpr int PANEL = 2 * WIDTH;

typedef float Vector __attribute__((vector_size(4 * WIDTH)));

// Elements of a line of the cache.
constexpr int LINE = 16;

// Elements from a row to the next: whole panels and one line more, as rows a power of two apart would meet in few sets
// of the cache.
inline int stride_of(int columns) { return (columns + PANEL - 1) / PANEL * PANEL + LINE; }

inline Vector load(const float* from) {
    Vector found;
    std::memcpy(&found, from, sizeof found);
    return found;
}

inline void store(float* to, Vector value) { std::memcpy(to, &value, sizeof value); }

// Returns `sum + number * vector`, rounded once; processors that have an instruction for it take that.
inline Vector multiply_add(float number, Vector vector, Vector sum) {
    for (int lane = 0; lane < WIDTH; ++lane) sum[lane] = std::fma(number, vector[lane], sum[lane]);
    return sum;
}

typedef Vector Block[ROWS][2];

// Computes ROWS rows of a panel. It is not inlined, so that nothing else competes for the registers of its sums.
template <int VECTORS, bool INNER_FIRST>
[[gnu::noinline]] void multiply_block(const float* left, int64_t stride, const float* panel, int inner, Block& found) {
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
        for (int v = 0; v < VECTORS; ++v) found[r][v] = sums[r][v];
}

// Computes rows of a panel and calls `finish(row, column, vector)` with each vector. A block's rows beyond the last one
// are computed from whatever is in memory there, and dropped.
template <bool INNER_FIRST, typename Finish>
inline void panel_product(const float* left, int64_t stride, const float* panel, int rows, int inner, int columns,
                          const Finish& finish) {
    const auto multiply = columns <= WIDTH ? multiply_block<1, INNER_FIRST> : multiply_block<2, INNER_FIRST>;
    Block found;
    for (int first = 0; first < rows; first += ROWS) {
        multiply(left + first * (INNER_FIRST ? stride : 1), stride, panel, inner, found);
        for (int row = first; row < std::min(first + ROWS, rows); ++row)
            for (int v = 0; v * WIDTH < columns; ++v) finish(row, v * WIDTH, found[row - first][v]);
    }
}

// Copies columns of a matrix to a panel.
inline void pack(const float* matrix, int64_t stride, int inner, int columns, float* panel) {
    for (int k = 0; k < inner; ++k, matrix += stride, panel += PANEL)
        if (columns == PANEL) std::memcpy(panel, matrix, sizeof(float) * PANEL);
        else
            for (int n = 0; n < columns; ++n) panel[n] = matrix[n];
}

// Transposes a square of elements: halves of ever larger blocks change places.
inline void transpose(Vector (&square)[WIDTH]) {
    typedef int32_t Lanes __attribute__((vector_size(4 * WIDTH)));
#pragma GCC unroll 4
    for (int step = 1; step < WIDTH; step *= 2) {
        // These lanes of `one` and `other`, counted through both, become the lanes of either result.
        Lanes upper, lower;
        for (int lane = 0; lane < WIDTH; ++lane) {
            upper[lane] = lane & step ? WIDTH + lane - step : lane;
            lower[lane] = lane & step ? WIDTH + lane : lane + step;
        }
#pragma GCC unroll 16
        for (int row = 0; row < WIDTH; ++row) {
            if (row & step) continue;
            const Vector one = square[row], other = square[row + step];
            square[row] = __builtin_shuffle(one, other, upper);
            square[row + step] = __builtin_shuffle(one, other, lower);
        }
    }
}

// Copies columns of a matrix that is stored transposed to a panel.
inline void pack_transposed(const float* matrix, int64_t stride, int inner, int columns, float* panel) {
    for (int n = 0; n < columns; n += WIDTH)
        for (int k = 0; k < inner; k += WIDTH) {
            if (n + WIDTH <= columns && k + WIDTH <= inner) {
                Vector square[WIDTH];
                for (int row = 0; row < WIDTH; ++row) square[row] = load(matrix + (n + row) * stride + k);
                transpose(square);
                for (int row = 0; row < WIDTH; ++row) store(panel + (k + row) * PANEL + n, square[row]);
            } else {
                for (int row = n; row < std::min(n + WIDTH, columns); ++row)
                    for (int t = k; t < std::min(k + WIDTH, inner); ++t) panel[t * PANEL + row] = matrix[row * stride + t];
            }
        }
}

}  // namespace product
