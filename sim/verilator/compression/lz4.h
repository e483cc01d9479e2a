// Stands in for the LZ4 library, so that FST waveforms need nothing that is not on PyPI.
//
// Verilator's FST writer compresses with LZ4 where that makes a block smaller, except the hierarchy, which is always
// an LZ4 block. The block written here has literals only: it is valid for every reader, and not smaller.

#pragma once

#include <cstring>

static inline int LZ4_compressBound(int size) { return size + size / 255 + 16; }

static inline int LZ4_compress_default(const char* source, char* target, int size, int capacity) {
    if (capacity < LZ4_compressBound(size)) return 0;
    char* out = target;
    if (size < 15) {
        *out++ = static_cast<char>(size << 4);
    } else {
        *out++ = static_cast<char>(15 << 4);
        int rest = size - 15;
        for (; rest >= 255; rest -= 255) *out++ = static_cast<char>(255);
        *out++ = static_cast<char>(rest);
    }
    std::memcpy(out, source, static_cast<size_t>(size));
    return static_cast<int>(out + size - target);
}
