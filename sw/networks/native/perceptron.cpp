// Passes of perceptrons with ReLU between their layers, in binary32 or with factors of products in bfloat16, and Adam.
//
// Parameters are one vector: the weights (inputs x outputs) and then the biases of each layer; gradients and moments
// have the same layout. A pass keeps the inputs of each layer, in rows with room for whole panels.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kept.h"
#include "panel.h"
#include "product.h"
#include "squash.h"
#include "team.h"

using product::Binary32;
using product::Bfloat16;
using product::Kept;
using product::PANEL;
using product::Vector;
using product::WIDTH;
using product::stride_of;

namespace {

// A call uses so many threads where a pass has at least SHARED_FROM multiplications, or a step at least
// SHARED_PARAMETERS_FROM parameters; smaller ones are not worth them.
std::atomic<uint32_t> threads{1};
constexpr int64_t SHARED_FROM = 1 << 20, SHARED_PARAMETERS_FROM = 1 << 15, PARAMETERS_OF_A_PIECE = 1 << 12;

struct Network {
    const int32_t* sizes;
    int32_t layers;  // Layers of weights, one less than there are sizes.

    int64_t weights(int layer) const {
        int64_t first = 0;
        for (int before = 0; before < layer; ++before) first += (sizes[before] + 1LL) * sizes[before + 1];
        return first;
    }
    int64_t biases(int layer) const { return weights(layer) + static_cast<int64_t>(sizes[layer]) * sizes[layer + 1]; }
    int widest() const {
        int most = 0;
        for (int place = 0; place <= layers; ++place) most = std::max(most, stride_of(sizes[place]));
        return most;
    }
};

// A pass keeps its layers' inputs and has room for two derivatives; rows beyond the last one are read but never used.
template <typename Format>
struct Pass {
    Pass(const Network& network, int32_t rows, float* memory)
        : network(network), memory(memory), room((rows + product::ROWS + 1) / 2 * 2) {}

    Kept<Format> inputs(int layer) const { return {begin(layer), room, network.sizes[layer]}; }
    // The derivative by a layer's inputs, or by the outputs of the last one.
    Kept<Format> derivative(int layer) const {
        return {begin(network.layers) + layer % 2 * room * network.widest(), room, network.sizes[layer]};
    }
    int64_t size() const { return begin(network.layers) + 2 * room * network.widest() - memory; }

    float* begin(int layer) const {
        int64_t first = 0;
        for (int before = 0; before < layer; ++before) first += room * stride_of(network.sizes[before]);
        return memory + first;
    }

    const Network& network;
    float* memory;
    int64_t room;
};

// Pieces of a matrix that are computed on their own: panels of its columns, or blocks of rows of these panels where
// several threads share few of them.
class Pieces {
  public:
    struct Piece {
        int row, rows, column, columns;
    };

    Pieces(int rows, int columns, int threads) : rows_(rows), columns_(columns), panels_(up(columns, PANEL)) {
        const int least = threads == 1 ? 1 : PIECES_A_THREAD * threads;
        rows_each_ = up(up(rows, up(least, panels_)), product::ROWS) * product::ROWS;
        count_ = rows ? panels_ * up(rows, rows_each_) : 0;
    }

    int count() const { return count_; }

    Piece operator[](int number) const {
        const int column = number % panels_ * PANEL, row = number / panels_ * rows_each_;
        return {row, std::min(rows_each_, rows_ - row), column, std::min(PANEL, columns_ - column)};
    }

  private:
    static constexpr int PIECES_A_THREAD = 4;

    static int up(int count, int each) { return (count + each - 1) / each; }

    int rows_, columns_, panels_, rows_each_, count_;
};

// A thread's panel of so many words.
template <typename Format>
typename Format::Word* panel_of(int words) {
    struct alignas(sizeof(float) * product::LINE) Line {
        float numbers[product::LINE];
    };
    thread_local std::vector<Line> memory;
    const size_t lines = static_cast<size_t>(words) * PANEL / product::LINE + 1;
    if (memory.size() < lines) memory.resize(lines);
    return reinterpret_cast<typename Format::Word*>(memory.data()->numbers);
}

int64_t work(const Network& network, int rows) { return network.weights(network.layers) * rows; }

uint32_t threads_of(const Network& network, int rows) { return work(network, rows) < SHARED_FROM ? 1 : threads.load(); }

// Calls `step(first, end)` for ranges that cover `count` elements, on several threads where these are many.
template <typename Step>
void share(int64_t count, const Step& step) {
    if (count < SHARED_PARAMETERS_FROM) return step(0, count);
    const auto piece = [&](int, int number) {
        const int64_t first = number * PARAMETERS_OF_A_PIECE;
        step(first, std::min(first + PARAMETERS_OF_A_PIECE, count));
    };
    team::Job job(1, [&](int) { return (count + PARAMETERS_OF_A_PIECE - 1) / PARAMETERS_OF_A_PIECE; }, piece);
    team::everyone().run(threads, job);
}

// Stores as much of a vector as a row has room for from there on.
inline void put(float* to, Vector value, int room) {
    if (room >= WIDTH) product::store(to, value);
    else if (room > 0) std::memcpy(to, &value, sizeof(float) * room);
}

// Computes a piece of a layer's outputs.
template <typename Format>
void forward_piece(const Network& network, const Pass<Format>& pass, int layer, Pieces::Piece piece,
                   const float* parameters, float* outputs) {
    const int inner = network.sizes[layer], columns = network.sizes[layer + 1], first = piece.column;
    const bool last = layer + 1 == network.layers;
    const int words = product::words_of(inner, Format::EACH);
    auto* panel = panel_of<Format>(words);
    product::pack<Format>(parameters + network.weights(layer) + first, columns, inner, piece.columns, panel);
    float bias[PANEL] = {};
    std::memcpy(bias, parameters + network.biases(layer) + first, sizeof(float) * piece.columns);
    const Kept<Format> inputs = pass.inputs(layer), following = pass.inputs(last ? layer : layer + 1);
    const auto finish = [&](int row, int column, Vector sum) {
        sum += product::load(bias + column);
        const int64_t place = piece.row + row;
        if (last) put(outputs + place * columns + first + column, sum, piece.columns - column);
        else following.put(place, first + column, sum < 0 ? Vector{} : sum);
    };
    product::panel_product<Format, true>(inputs.along + piece.row * inputs.along_stride, inputs.along_stride, panel,
                                         piece.rows, words, piece.columns, finish);
}

// Computes a piece of the gradients of a layer's weights; a piece that begins at row 0 also gives the gradients of its
// columns' biases.
template <typename Format>
void gradient_piece(const Network& network, int layer, Pieces::Piece piece, Kept<Format> inputs,
                    Kept<Format> derivative, int rows, float* gradients) {
    const int columns = network.sizes[layer + 1], first = piece.column;
    const int words = product::words_of(rows, Format::EACH);
    auto* panel = panel_of<Format>(words);
    for (int row = 0; row < words; ++row)
        std::memcpy(panel + row * PANEL, derivative.across + row * derivative.stride + first, sizeof(float) * PANEL);
    if (!piece.row) {
        float* biases = gradients + network.biases(layer) + first;
        Vector sums[2] = {};
        for (int row = 0; row < words; ++row)
            for (int v = 0; v < 2; ++v)
                sums[v] += Format::total(product::load_as<typename Format::Words>(panel + row * PANEL + v * WIDTH));
        for (int v = 0; v < 2; ++v) put(biases + v * WIDTH, sums[v], piece.columns - v * WIDTH);
    }
    float* weights = gradients + network.weights(layer) + static_cast<int64_t>(piece.row) * columns + first;
    const auto finish = [&](int row, int column, Vector sum) {
        put(weights + static_cast<int64_t>(row) * columns + column, sum, piece.columns - column);
    };
    product::panel_product<Format, false>(inputs.across + piece.row, inputs.stride, panel, piece.rows, words,
                                          piece.columns, finish);
}

// Computes a piece of the derivative by a layer's inputs, which is 0 where a ReLU gave 0 for them. `places` are the
// pass's rows that the rows of the derivative belong to.
template <typename Format>
void back_piece(const Network& network, int layer, Pieces::Piece piece, const float* parameters, Kept<Format> inputs,
                Kept<Format> derivative, const int32_t* places, float* by_inputs, Kept<Format> to) {
    const int inner = network.sizes[layer + 1], first = piece.column;
    const int words = product::words_of(inner, Format::EACH);
    const float* weights = parameters + network.weights(layer) + static_cast<int64_t>(first) * inner;
    auto* panel = panel_of<Format>(words);
    product::pack_transposed<Format>(weights, inner, inner, piece.columns, panel);
    const auto finish = [&](int row, int column, Vector sum) {
        const int64_t place = places[piece.row + row], count = network.sizes[layer];
        if (!layer) return put(by_inputs + place * count + first + column, sum, piece.columns - column);
        to.put(piece.row + row, first + column, inputs.where_positive(place, first + column, sum));
    };
    product::panel_product<Format, true>(derivative.along + piece.row * derivative.along_stride,
                                         derivative.along_stride, panel, piece.rows, words, piece.columns, finish);
}

template <typename Format>
void forward_pass(const Network& network, const float* parameters, int32_t rows, const float* inputs, float* memory,
                  float* outputs) {
    const Pass<Format> pass(network, rows, memory);
    for (int64_t row = 0; row < rows; ++row) pass.inputs(0).spread(inputs + row * network.sizes[0], network.sizes[0], row);
    const uint32_t count = threads_of(network, rows);
    const auto pieces = [&](int layer) { return Pieces(rows, network.sizes[layer + 1], count); };
    team::Job job(
        network.layers, [&](int layer) { return pieces(layer).count(); },
        [&](int layer, int number) { forward_piece(network, pass, layer, pieces(layer)[number], parameters, outputs); });
    team::everyone().run(count, job);
}

template <typename Format>
void backward_pass(const Network& network, const float* parameters, int32_t kept, float* memory, int32_t rows,
                   const float* derivative, float* gradients, float* by_inputs) {
    const Pass<Format> pass(network, kept, memory);
    const int32_t* sizes = network.sizes;
    const int32_t layers = network.layers;
    std::vector<int32_t> places;
    for (int row = 0; row < rows; ++row)
        if (const float* slopes = derivative + row * static_cast<int64_t>(sizes[layers]);
            gradients || std::any_of(slopes, slopes + sizes[layers], [](float slope) { return slope != 0; })) {
            pass.derivative(layers).spread(slopes, sizes[layers], places.size());
            places.push_back(row);
        }
    if (by_inputs) std::fill_n(by_inputs, static_cast<int64_t>(rows) * sizes[0], 0.0f);
    const int32_t found = static_cast<int32_t>(places.size());
    const uint32_t count = threads_of(network, rows);
    // The pieces of the gradient are numbered first, then those of the derivative by the inputs.
    const auto gradient_pieces = [&](int layer) { return Pieces(gradients ? sizes[layer] : 0, sizes[layer + 1], count); };
    const auto back_pieces = [&](int layer) { return Pieces(layer || by_inputs ? found : 0, sizes[layer], count); };
    team::Job job(
        layers,
        [&](int stage) {
            const int layer = layers - 1 - stage;
            return gradient_pieces(layer).count() + back_pieces(layer).count();
        },
        [&](int stage, int number) {
            const int layer = layers - 1 - stage;
            const Pieces own = gradient_pieces(layer);
            const Kept<Format> inputs = pass.inputs(layer), given = pass.derivative(layer + 1);
            if (number < own.count()) return gradient_piece(network, layer, own[number], inputs, given, rows, gradients);
            const Pieces::Piece piece = back_pieces(layer)[number - own.count()];
            back_piece(network, layer, piece, parameters, inputs, given, places.data(), by_inputs, pass.derivative(layer));
        });
    team::everyone().run(count, job);
}

}  // namespace

extern "C" {

void set_threads(uint32_t count) { threads = count; }

// Whether the processor has an instruction for products of bfloat16.
int32_t has_bfloat16() {
#if defined(__AVX512BF16__)
    return 1;
#else
    return 0;
#endif
}

int64_t pass_size(const int32_t* sizes, int32_t layers, int32_t rows) {
    const Network network{sizes, layers};
    return Pass<Binary32>(network, rows, nullptr).size();
}

void forward(const int32_t* sizes, int32_t layers, int32_t bfloat16, const float* parameters, int32_t rows,
             const float* inputs, float* memory, float* outputs) {
    const auto pass = bfloat16 ? forward_pass<Bfloat16> : forward_pass<Binary32>;
    pass({sizes, layers}, parameters, rows, inputs, memory, outputs);
}

// Computes the gradients of a loss, its derivative by the inputs, or both, from its derivative by the outputs of a
// pass's first rows, or of all. Without gradients it does not compute rows where the derivative is 0 by all outputs: it
// is also 0 by all inputs there.
void backward(const int32_t* sizes, int32_t layers, int32_t bfloat16, const float* parameters, int32_t kept,
              float* memory, int32_t rows, const float* derivative, float* gradients, float* by_inputs) {
    const auto pass = bfloat16 ? backward_pass<Bfloat16> : backward_pass<Binary32>;
    pass({sizes, layers}, parameters, kept, memory, rows, derivative, gradients, by_inputs);
}

// Takes a step of Adam; `rate` and `scale` include the corrections of the moments' bias.
void adam(int64_t count, float* parameters, const float* gradients, float* first, float* second, float beta1,
          float beta2, float rate, float scale, float epsilon) {
    share(count, [=](int64_t begin, int64_t end) {
        for (int64_t place = begin; place < end; ++place) {
            const float slope = gradients[place];
            first[place] = std::fma(1 - beta1, slope - first[place], first[place]);
            second[place] = std::fma(beta2, second[place], (1 - beta2) * slope * slope);
            parameters[place] -= rate * first[place] / std::fma(std::sqrt(second[place]), scale, epsilon);
        }
    });
}

void draw(int64_t rows, int32_t columns, const float* outputs, const float* noise, float least, float most,
          float* memory, float* densities) {
    squash::draw(rows, columns, outputs, noise, least, most, memory, densities);
}

void differentiate(int64_t rows, int32_t columns, float* memory, int64_t count, const float* slopes, float weight,
                   float* derivative) {
    squash::differentiate(rows, columns, memory, count, slopes, weight, derivative);
}

// Moves the target a part of the way towards the leader.
void follow(int64_t count, float* target, const float* leader, float rate) {
    share(count, [=](int64_t begin, int64_t end) {
        for (int64_t place = begin; place < end; ++place)
            target[place] = std::fma(rate, leader[place] - target[place], target[place]);
    });
}

}
