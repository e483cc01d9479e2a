// A matrix that a pass keeps: inputs of a layer, or a derivative by them.
//
// Products take its words in both directions: along a row, and across rows, from one row to the next. In binary32 a word
// is a number, so both are one array; in bfloat16 there are two, each half as large.
#pragma once

#include "product.h"

namespace product {

template <typename Format>
struct Kept {
    typedef typename Format::Word Word;

    // `room` rows, an even number, of `columns` numbers.
    Kept(float* memory, int64_t room, int columns)
        : stride(stride_of(columns)), along_stride(stride / Format::EACH), along(reinterpret_cast<Word*>(memory)),
          across(Format::EACH == 1 ? along : along + room * along_stride) {}

    // Stores numbers of a row; an even row before the odd one after it, whose number in the common word it makes 0.
    void put(int64_t row, int64_t column, Vector numbers) const {
        if constexpr (Format::EACH == 1) {
            store(along + row * stride + column, numbers);
        } else {
            const Halves rounded = Format::round(numbers);
            std::memcpy(reinterpret_cast<uint16_t*>(along) + row * stride + column, &rounded, sizeof rounded);
            Word* pairs = across + row / 2 * stride + column;
            const Bits words = row % 2 ? load_as<Bits>(pairs) | Format::widen(rounded) << 16 : Format::widen(rounded);
            std::memcpy(pairs, &words, sizeof words);
        }
    }

    // Stores rows of a dense matrix; what is missing in a vector is 0.
    void spread(const float* from, int columns, int64_t row) const {
        for (int column = 0; column < columns; column += WIDTH) {
            Vector numbers = {};
            std::memcpy(&numbers, from + column, sizeof(float) * std::min(WIDTH, columns - column));
            put(row, column, numbers);
        }
    }

    // `numbers`, or 0 where those of a row are not greater than 0.
    Vector where_positive(int64_t row, int64_t column, Vector numbers) const {
        if constexpr (Format::EACH == 1) {
            return load(along + row * stride + column) <= 0 ? Vector{} : numbers;
        } else {
            const auto halves = load_as<Halves>(reinterpret_cast<const uint16_t*>(along) + row * stride + column);
            return bits_as<Vector>(Format::widen(halves) << 16) <= 0 ? Vector{} : numbers;
        }
    }

    int64_t stride, along_stride;
    Word *along, *across;
};

}  // namespace product
