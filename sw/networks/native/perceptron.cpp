// Passes of perceptrons with ReLU between their layers, and Adam, in binary32.
//
// Parameters are one vector: the weights (inputs x outputs) and then the biases of each layer; gradients and moments
// have the same layout. A pass keeps the inputs of each layer, in rows with room for whole panels.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "product.h"
#include "squash.h"
#include "team.h"

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
struct Pass {
    Pass(const Network& network, int32_t rows, float* memory) : network(network), memory(memory), room(rows + product::ROWS) {}

    float* inputs(int layer) const {
        int64_t first = 0;
        for (int before = 0; before < layer; ++before) first += static_cast<int64_t>(room) * stride_of(network.sizes[before]);
        return memory + first;
    }
    float* derivative(int which) const {
        return inputs(network.layers) + static_cast<int64_t>(which) * room * network.widest();
    }
    int64_t size() const { return derivative(2) - memory; }

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

float* panel_of(int inner) {
    struct alignas(sizeof(float) * product::LINE) Line {
        float numbers[product::LINE];
    };
    thread_local std::vector<Line> memory;
    const size_t lines = static_cast<size_t>(inner) * PANEL / product::LINE + 1;
    if (memory.size() < lines) memory.resize(lines);
    return memory.data()->numbers;
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

void spread(const float* from, int columns, int rows, float* to, int64_t stride) {
    for (int row = 0; row < rows; ++row) std::memcpy(to + row * stride, from + static_cast<int64_t>(row) * columns, sizeof(float) * columns);
}

// Computes a piece of a layer's outputs.
void forward_piece(const Network& network, const Pass& pass, int layer, Pieces::Piece piece, const float* parameters,
                   float* outputs) {
    const int inner = network.sizes[layer], columns = network.sizes[layer + 1], first = piece.column;
    const bool last = layer + 1 == network.layers;
    const int64_t from = stride_of(inner), stride = last ? columns : stride_of(columns);
    float* panel = panel_of(inner);
    product::pack(parameters + network.weights(layer) + first, columns, inner, piece.columns, panel);
    float bias[PANEL] = {};
    std::memcpy(bias, parameters + network.biases(layer) + first, sizeof(float) * piece.columns);
    float* to = (last ? outputs : pass.inputs(layer + 1)) + piece.row * stride + first;
    const auto finish = [&](int row, int column, Vector sum) {
        sum += product::load(bias + column);
        if (!last) sum = sum < 0 ? Vector{} : sum;
        put(to + row * stride + column, sum, last ? piece.columns - column : WIDTH);
    };
    const float* inputs = pass.inputs(layer) + piece.row * from;
    product::panel_product<true>(inputs, from, panel, piece.rows, inner, piece.columns, finish);
}

// Computes a piece of the gradients of a layer's weights; a piece that begins at row 0 also gives the gradients of its
// columns' biases.
void gradient_piece(const Network& network, int layer, Pieces::Piece piece, const float* inputs,
                    const float* derivative, int rows, float* gradients) {
    const int columns = network.sizes[layer + 1], first = piece.column;
    float* panel = panel_of(rows);
    product::pack(derivative + first, stride_of(columns), rows, PANEL, panel);
    if (!piece.row) {
        float* biases = gradients + network.biases(layer) + first;
        Vector sums[2] = {};
        for (int row = 0; row < rows; ++row)
            for (int v = 0; v < 2; ++v) sums[v] += product::load(panel + row * PANEL + v * WIDTH);
        for (int v = 0; v < 2; ++v) put(biases + v * WIDTH, sums[v], piece.columns - v * WIDTH);
    }
    float* weights = gradients + network.weights(layer) + static_cast<int64_t>(piece.row) * columns + first;
    const auto finish = [&](int row, int column, Vector sum) {
        put(weights + static_cast<int64_t>(row) * columns + column, sum, piece.columns - column);
    };
    const int stride = stride_of(network.sizes[layer]);
    product::panel_product<false>(inputs + piece.row, stride, panel, piece.rows, rows, piece.columns, finish);
}

// Computes a piece of the derivative by a layer's inputs, which is 0 where a ReLU gave 0 for them. `places` are the
// pass's rows that the rows of the derivative belong to.
void back_piece(const Network& network, int layer, Pieces::Piece piece, const float* parameters, const float* inputs,
                const float* derivative, const int32_t* places, float* by_inputs, float* to) {
    const int inner = network.sizes[layer + 1], first = piece.column;
    const int64_t from = stride_of(inner), kept = stride_of(network.sizes[layer]);
    const float* weights = parameters + network.weights(layer) + static_cast<int64_t>(first) * inner;
    float* panel = panel_of(inner);
    product::pack_transposed(weights, inner, inner, piece.columns, panel);
    const auto finish = [&](int row, int column, Vector sum) {
        const int64_t place = places[piece.row + row], count = network.sizes[layer];
        if (!layer) return put(by_inputs + place * count + first + column, sum, piece.columns - column);
        const Vector values = product::load(inputs + place * kept + first + column);
        product::store(to + (piece.row + row) * kept + first + column, values <= 0 ? Vector{} : sum);
    };
    derivative += piece.row * from;
    product::panel_product<true>(derivative, from, panel, piece.rows, inner, piece.columns, finish);
}

}  // namespace

extern "C" {

void set_threads(uint32_t count) { threads = count; }

int64_t pass_size(const int32_t* sizes, int32_t layers, int32_t rows) {
    const Network network{sizes, layers};
    return Pass(network, rows, nullptr).size();
}

void forward(const int32_t* sizes, int32_t layers, const float* parameters, int32_t rows, const float* inputs,
             float* memory, float* outputs) {
    const Network network{sizes, layers};
    const Pass pass(network, rows, memory);
    spread(inputs, sizes[0], rows, memory, stride_of(sizes[0]));
    const uint32_t count = threads_of(network, rows);
    const auto pieces = [&](int layer) { return Pieces(rows, sizes[layer + 1], count); };
    team::Job job(
        layers, [&](int layer) { return pieces(layer).count(); },
        [&](int layer, int number) { forward_piece(network, pass, layer, pieces(layer)[number], parameters, outputs); });
    team::everyone().run(count, job);
}

// Computes the gradients of a loss, its derivative by the inputs, or both, from its derivative by the outputs of a
// pass's first rows, or of all. Without gradients it does not compute rows where the derivative is 0 by all outputs: it
// is also 0 by all inputs there.
void backward(const int32_t* sizes, int32_t layers, const float* parameters, int32_t kept, float* memory, int32_t rows,
              const float* derivative, float* gradients, float* by_inputs) {
    const Network network{sizes, layers};
    const Pass pass(network, kept, memory);
    std::vector<int32_t> places;
    for (int row = 0; row < rows; ++row)
        if (const float* slopes = derivative + row * static_cast<int64_t>(sizes[layers]);
            gradients || std::any_of(slopes, slopes + sizes[layers], [](float slope) { return slope != 0; })) {
            const int64_t place = static_cast<int64_t>(places.size()) * stride_of(sizes[layers]);
            std::memcpy(pass.derivative(layers % 2) + place, slopes, sizeof(float) * sizes[layers]);
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
            const float *inputs = pass.inputs(layer), *given = pass.derivative((layer + 1) % 2);
            if (number < own.count()) return gradient_piece(network, layer, own[number], inputs, given, rows, gradients);
            const Pieces::Piece piece = back_pieces(layer)[number - own.count()];
            back_piece(network, layer, piece, parameters, inputs, given, places.data(), by_inputs, pass.derivative(layer % 2));
        });
    team::everyone().run(count, job);
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
