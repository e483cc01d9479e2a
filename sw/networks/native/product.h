// Products of matrices, in the formats of format.h. Each element is one sum in the order of the inner index, whichever
// thread computes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "format.h"

namespace product {

// Rows of a block: as many as the processor has registers for; an even number.
constexpr int ROWS = WIDTH == 16 ? 8 : WIDTH == 8 ? 6 : 4;
// Columns of a panel of the right factor: two vectors, of which narrow products take one.
constexpr int PANEL = 2 * WIDTH;

// Elements of a line of the cache.
constexpr int LINE = 16;

// Elements from a row to the next: whole panels and one line more, as rows a power of two apart would meet in few sets
// of the cache.
inline int stride_of(int columns) { return (columns + PANEL - 1) / PANEL * PANEL + LINE; }

typedef Vector Block[ROWS][2];

// Computes ROWS rows of a panel; `inner` counts words of the format. It is not inlined, so that nothing else competes for
// the registers of its sums.
template <typename Format, int VECTORS, bool INNER_FIRST>
[[gnu::noinline]] void multiply_block(const typename Format::Word* left, int64_t stride,
                                      const typename Format::Word* panel, int inner, Block& found) {
    Vector sums[ROWS][VECTORS] = {};
    for (int k = 0; k < inner; ++k, panel += PANEL) {
        typename Format::Words right[VECTORS];
        for (int v = 0; v < VECTORS; ++v) right[v] = load_as<typename Format::Words>(panel + v * WIDTH);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; ++r) {
            const auto number = INNER_FIRST ? left[r * stride + k] : left[k * stride + r];
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; ++v) sums[r][v] = Format::multiply_add(number, right[v], sums[r][v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) found[r][v] = sums[r][v];
}

// Computes rows of a panel and calls `finish(row, column, vector)` with each vector. A block's rows beyond the last one
// are computed from whatever is in memory there, and dropped.
template <typename Format, bool INNER_FIRST, typename Finish>
inline void panel_product(const typename Format::Word* left, int64_t stride, const typename Format::Word* panel,
                          int rows, int inner, int columns, const Finish& finish) {
    const auto multiply =
        columns <= WIDTH ? multiply_block<Format, 1, INNER_FIRST> : multiply_block<Format, 2, INNER_FIRST>;
    Block found;
    for (int first = 0; first < rows; first += ROWS) {
        multiply(left + first * (INNER_FIRST ? stride : 1), stride, panel, inner, found);
        for (int row = first; row < std::min(first + ROWS, rows); ++row)
            for (int v = 0; v * WIDTH < columns; ++v) finish(row, v * WIDTH, found[row - first][v]);
    }
}

}  // namespace product
