// The right factor of a product, a panel of its columns: words along the inner index, PANEL columns side by side. Columns
// beyond the last one are 0, and so is what is missing in the last word.
#pragma once

#include "product.h"

namespace product {

inline int words_of(int inner, int each) { return (inner + each - 1) / each; }

// Copies columns of a matrix.
template <typename Format>
inline void pack(const float* matrix, int64_t stride, int inner, int columns, typename Format::Word* panel) {
    float padded[Format::EACH][PANEL] = {};
    for (int k = 0; k < inner; k += Format::EACH, panel += PANEL) {
        const float* rows[Format::EACH];
        for (int part = 0; part < Format::EACH; ++part) {
            rows[part] = matrix + (k + part) * stride;
            if (k + part < inner && columns == PANEL) continue;
            std::memcpy(padded[part], rows[part], k + part < inner ? sizeof(float) * columns : 0);
            if (k + part >= inner) std::memset(padded[part], 0, sizeof padded[part]);
            rows[part] = padded[part];
        }
        for (int v = 0; v < PANEL; v += WIDTH) {
            const auto words = Format::words(load(rows[0] + v), load(rows[Format::EACH - 1] + v));
            std::memcpy(panel + v, &words, sizeof words);
        }
    }
}

// Copies columns of a matrix that is stored transposed.
template <typename Format>
inline void pack_transposed(const float* matrix, int64_t stride, int inner, int columns, typename Format::Word* panel) {
    constexpr int EACH = Format::EACH;
    for (int n = 0; n < PANEL; n += WIDTH)
        for (int k = 0; k < inner; k += WIDTH * EACH) {
            const bool whole = n + WIDTH <= columns && k + WIDTH * EACH <= inner;
            Vector square[WIDTH] = {};
            for (int row = 0; row < std::min(WIDTH, columns - n); ++row) {
                float numbers[2 * WIDTH] = {};
                const float* from = matrix + (n + row) * stride + k;
                if (!whole) {
                    std::memcpy(numbers, from, sizeof(float) * std::min(WIDTH * EACH, inner - k));
                    from = numbers;
                }
                square[row] = bits_as<Vector>(Format::along(from));
            }
            transpose(square);
            const int words = std::min(WIDTH, words_of(inner - k, EACH));
            for (int row = 0; row < words; ++row) store(panel + (k / EACH + row) * PANEL + n, square[row]);
        }
}

}  // namespace product
