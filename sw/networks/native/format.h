// Formats of the factors of products: binary32, or bfloat16 with sums in binary32.
//
// A word holds what is multiplied at a time: one number, or two that follow each other along the inner index. Products
// are added one after another without being rounded before, so vectors of any width give the same bits. Those of
// bfloat16 are what x86's instruction VDPBF16PS makes of them, with it or without: of a word the second product is added
// first, and subnormal numbers count as 0. One case differs: a sum below the least normal number that binary32 rounds up
// to it is 0 with the instruction.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace product {

#if defined(__AVX512F__)
constexpr int WIDTH = 16;
#elif defined(__AVX2__)
constexpr int WIDTH = 8;
#else
constexpr int WIDTH = 4;
#endif

typedef float Vector __attribute__((vector_size(4 * WIDTH)));
typedef uint32_t Bits __attribute__((vector_size(4 * WIDTH)));
typedef uint16_t Halves __attribute__((vector_size(2 * WIDTH)));

template <typename Value>
inline Value load_as(const void* from) {
    Value found;
    std::memcpy(&found, from, sizeof found);
    return found;
}

inline Vector load(const float* from) { return load_as<Vector>(from); }

inline void store(void* to, Vector value) { std::memcpy(to, &value, sizeof value); }

template <typename To, typename From>
inline To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    return load_as<To>(&value);
}

// Transposes a square of words: halves of ever larger blocks change places.
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

struct Binary32 {
    typedef float Word;
    typedef Vector Words;
    static constexpr int EACH = 1;

    // Returns `sum + number * vector`, rounded once; processors that have an instruction for it take that.
    static Vector multiply_add(Word number, Words vector, Vector sum) {
        for (int lane = 0; lane < WIDTH; ++lane) sum[lane] = std::fma(number, vector[lane], sum[lane]);
        return sum;
    }
    // Words of numbers, and of those that follow them along the inner index.
    static Words words(Vector numbers, Vector) { return numbers; }
    // Words of numbers that follow each other, EACH in a word.
    static Words along(const float* numbers) { return load(numbers); }
    // The sum of a word's numbers.
    static Vector total(Words words) { return words; }
};

struct Bfloat16 {
    typedef uint32_t Word;
    typedef Bits Words;
    static constexpr int EACH = 2;

    // The numbers, to nearest even; NaN stays NaN.
    static Halves round(Vector numbers) {
#if defined(__AVX512BF16__)
        return bits_as<Halves>(_mm512_cvtneps_pbh(bits_as<__m512>(numbers)));
#else
        const Bits bits = bits_as<Bits>(numbers);
        const Bits flushed = bits_as<Bits>(flush(numbers));
        const Bits rounded = numbers == numbers ? flushed + 0x7fff + (flushed >> 16 & 1) : bits | 0x400000;
        return __builtin_convertvector(rounded >> 16, Halves);
#endif
    }
    static Bits widen(Halves numbers) { return __builtin_convertvector(numbers, Bits); }
    // Subnormal numbers as 0 of the same sign.
    static Vector flush(Vector numbers) {
        const Bits bits = bits_as<Bits>(numbers);
        return bits_as<Vector>((bits & 0x7f800000) != 0 ? bits : bits & 0x80000000);
    }
    static Vector lower(Bits words) { return bits_as<Vector>(words << 16); }
    static Vector upper(Bits words) { return bits_as<Vector>(words & 0xffff0000); }

    static Vector multiply_add(Word number, Words vector, Vector sum) {
        const Bits numbers = number - Bits{};
#if defined(__AVX512BF16__)
        return bits_as<Vector>(_mm512_dpbf16_ps(bits_as<__m512>(sum), bits_as<__m512bh>(numbers), bits_as<__m512bh>(vector)));
#else
        sum = flush(Binary32::multiply_add(upper(numbers)[0], upper(vector), sum));
        return flush(Binary32::multiply_add(lower(numbers)[0], lower(vector), sum));
#endif
    }
    static Words words(Vector numbers, Vector next) { return widen(round(numbers)) | widen(round(next)) << 16; }
    static Words along(const float* numbers) {
        const Halves found[2] = {round(load(numbers)), round(load(numbers + WIDTH))};
        return load_as<Words>(found);
    }
    static Vector total(Words words) { return lower(words) + upper(words); }
};

}  // namespace product
