// Passes of perceptrons with ReLU between their layers, and Adam, in binary32.
//
// Parameters are one vector: of each layer its weights (inputs x outputs), then its biases; gradients and moments lie
// alike. A pass keeps what went into each layer, in rows that are padded to whole panels.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "product.h"
#include "team.h"

using product::PANEL;
using product::Vector;
using product::WIDTH;
using product::padded;

namespace {

// Of a pass, and the multiplications from which on they are worth it.
std::atomic<uint32_t> threads{1};
constexpr int64_t SHARED_FROM = 1 << 20;

struct Network {
    const int32_t* sizes;
    int32_t layers;  // Of weights; one less than there are sizes.

    int64_t weights(int layer) const {
        int64_t first = 0;
        for (int before = 0; before < layer; ++before) first += (sizes[before] + 1LL) * sizes[before + 1];
        return first;
    }
    int64_t biases(int layer) const { return weights(layer) + static_cast<int64_t>(sizes[layer]) * sizes[layer + 1]; }
    int widest() const {
        int most = 0;
        for (int place = 0; place <= layers; ++place) most = std::max(most, padded(sizes[place]));
        return most;
    }
};

// What a pass keeps, and room for two derivatives; rows beyond the last one are read and never used.
struct Pass {
    Pass(const Network& network, int32_t rows, float* memory) : network(network), memory(memory), room(rows + product::ROWS) {}

    float* inputs(int layer) const {
        int64_t first = 0;
        for (int before = 0; before < layer; ++before) first += static_cast<int64_t>(room) * padded(network.sizes[before]);
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

float* panel_of(int inner) {
    thread_local std::vector<float> memory;
    if (memory.size() < static_cast<size_t>(inner) * PANEL + WIDTH) memory.resize(static_cast<size_t>(inner) * PANEL + WIDTH);
    return memory.data();
}

int64_t work(const Network& network, int rows) { return network.weights(network.layers) * rows; }

int panels(int columns) { return (columns + PANEL - 1) / PANEL; }

// A vector into a row that has room for so many numbers from there on.
inline void put(float* to, Vector value, int room) {
    if (room >= WIDTH) product::store(to, value);
    else if (room > 0) std::memcpy(to, &value, sizeof(float) * room);
}

void spread(const float* from, int columns, int rows, float* to, int64_t stride) {
    for (int row = 0; row < rows; ++row) std::memcpy(to + row * stride, from + static_cast<int64_t>(row) * columns, sizeof(float) * columns);
}

// A panel of a layer's outputs.
void forward_panel(const Network& network, const Pass& pass, int layer, int number, const float* parameters, int rows,
                   float* outputs) {
    const int inner = network.sizes[layer], columns = network.sizes[layer + 1];
    const bool last = layer + 1 == network.layers;
    const float *weights = parameters + network.weights(layer), *biases = parameters + network.biases(layer);
    const float* inputs = pass.inputs(layer);
    float* to = last ? outputs : pass.inputs(layer + 1);
    const int64_t stride = last ? columns : padded(columns);
    const int first = number * PANEL, count = std::min(PANEL, columns - first);
    float* panel = panel_of(inner);
    product::pack(weights, columns, inner, first, count, panel);
    float bias[PANEL] = {};
    std::memcpy(bias, biases + first, sizeof(float) * count);
    product::panel_product<true>(inputs, padded(inner), panel, rows, inner, count, [&](int row, int column, Vector sum) {
        sum += product::load(bias + column);
        if (!last) sum = sum < 0 ? Vector{} : sum;
        put(to + row * stride + first + column, sum, last ? count - column : WIDTH);
    });
}

// The gradients of a panel of a layer's weights and biases.
void gradient_panel(const Network& network, int layer, int number, const float* inputs, const float* derivative,
                    int rows, float* gradients) {
    const int inputs_count = network.sizes[layer], columns = network.sizes[layer + 1];
    float *weights = gradients + network.weights(layer), *biases = gradients + network.biases(layer);
    const int first = number * PANEL, count = std::min(PANEL, columns - first);
    float* panel = panel_of(rows);
    product::pack(derivative, padded(columns), rows, first, PANEL, panel);
    Vector sums[2] = {};
    for (int row = 0; row < rows; ++row)
        for (int v = 0; v < 2; ++v) sums[v] += product::load(panel + row * PANEL + v * WIDTH);
    for (int v = 0; v < 2; ++v) put(biases + first + v * WIDTH, sums[v], count - v * WIDTH);
    product::panel_product<false>(inputs, padded(inputs_count), panel, inputs_count, rows, count, [&](int row, int column, Vector sum) {
        put(weights + static_cast<int64_t>(row) * columns + first + column, sum, count - column);
    });
}

// A panel of the derivative by a layer's inputs; where these are of a ReLU that gave 0, it is 0.
void back_panel(const Network& network, int layer, int number, const float* parameters, const float* inputs,
                const float* derivative, int rows, float* to, int64_t stride) {
    const int inner = network.sizes[layer + 1], columns = network.sizes[layer];
    const float* weights = parameters + network.weights(layer);
    const int first = number * PANEL, count = std::min(PANEL, columns - first);
    float* panel = panel_of(inner);
    product::pack_transposed(weights, inner, inner, first, count, panel);
    product::panel_product<true>(derivative, padded(inner), panel, rows, inner, count, [&](int row, int column, Vector sum) {
        if (layer) {
            const Vector values = product::load(inputs + row * static_cast<int64_t>(padded(columns)) + first + column);
            sum = values <= 0 ? Vector{} : sum;
        }
        put(to + row * stride + first + column, sum, layer ? WIDTH : count - column);
    });
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
    spread(inputs, sizes[0], rows, memory, padded(sizes[0]));
    team::Job job(
        layers, [&](int layer) { return panels(sizes[layer + 1]); },
        [&](int layer, int panel) { forward_panel(network, pass, layer, panel, parameters, rows, outputs); });
    team::everyone().run(work(network, rows) < SHARED_FROM ? 1 : threads.load(), job);
}

// Gradients of a loss whose derivative by the outputs is given, or its derivative by the inputs.
void backward(const int32_t* sizes, int32_t layers, const float* parameters, int32_t rows, float* memory,
              const float* derivative, float* gradients, float* by_inputs) {
    const Network network{sizes, layers};
    const Pass pass(network, rows, memory);
    spread(derivative, sizes[layers], rows, pass.derivative(layers % 2), padded(sizes[layers]));
    // First the panels of the gradient, then those of the derivative by the inputs.
    const auto gradients_of = [&](int layer) { return gradients ? panels(sizes[layer + 1]) : 0; };
    const auto back_of = [&](int layer) { return layer || by_inputs ? panels(sizes[layer]) : 0; };
    team::Job job(
        layers, [&](int stage) { return gradients_of(layers - 1 - stage) + back_of(layers - 1 - stage); },
        [&](int stage, int panel) {
            const int layer = layers - 1 - stage, before = gradients_of(layer);
            const float *inputs = pass.inputs(layer), *given = pass.derivative((layer + 1) % 2);
            if (panel < before) return gradient_panel(network, layer, panel, inputs, given, rows, gradients);
            float* to = layer ? pass.derivative(layer % 2) : by_inputs;
            const int64_t stride = layer ? padded(sizes[layer]) : sizes[0];
            back_panel(network, layer, panel - before, parameters, inputs, given, rows, to, stride);
    });
    team::everyone().run(work(network, rows) < SHARED_FROM ? 1 : threads.load(), job);
}

// A step of Adam; `rate` and `scale` have the corrections of the moments' bias.
void adam(int64_t count, float* parameters, const float* gradients, float* first, float* second, float beta1,
          float beta2, float rate, float scale, float epsilon) {
    for (int64_t place = 0; place < count; ++place) {
        const float slope = gradients[place];
        first[place] = std::fma(1 - beta1, slope - first[place], first[place]);
        second[place] = std::fma(beta2, second[place], (1 - beta2) * slope * slope);
        parameters[place] -= rate * first[place] / std::fma(std::sqrt(second[place]), scale, epsilon);
    }
}

// A part of the way from a vector to another.
void follow(int64_t count, float* target, const float* leader, float rate) {
    for (int64_t place = 0; place < count; ++place)
        target[place] = std::fma(rate, leader[place] - target[place], target[place]);
}

}
