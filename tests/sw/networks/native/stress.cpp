// Passes under a sanitizer, with one thread and several, and of several callers at the same time: the same bits.

#include "perceptron.cpp"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using Numbers = std::vector<float>;

void require(bool condition, const char *words) {
    if (!condition) {
        std::fprintf(stderr, "%s\n", words);
        std::exit(1);
    }
}

Numbers drawn(std::mt19937 &generator, int64_t count) {
    std::uniform_real_distribution<float> draw(-0.5f, 0.5f);
    Numbers found(count);
    for (float &number : found) number = draw(generator);
    return found;
}

// Some steps of learning; every array is as long as it must be, and no longer.
Numbers learned(const std::vector<int32_t> &sizes, int32_t rows, int steps, int32_t bfloat16) {
    std::mt19937 generator(1);
    const int32_t layers = static_cast<int32_t>(sizes.size()) - 1;
    const int64_t count = Network{sizes.data(), layers}.weights(layers);
    Numbers parameters = drawn(generator, count), first(count), second(count), gradients(count), target(count);
    Numbers memory(pass_size(sizes.data(), layers, rows)), by_inputs(rows * static_cast<int64_t>(sizes[0]));
    for (int step = 1; step <= steps; ++step) {
        const Numbers inputs = drawn(generator, static_cast<int64_t>(rows) * sizes[0]);
        Numbers outputs(static_cast<int64_t>(rows) * sizes[layers]);
        forward(sizes.data(), layers, bfloat16, parameters.data(), rows, inputs.data(), memory.data(), outputs.data());
        backward(
            sizes.data(), layers, bfloat16, parameters.data(), rows, memory.data(), rows - rows / 3, outputs.data(),
            gradients.data(), nullptr);
        adam(count, parameters.data(), gradients.data(), first.data(), second.data(), 0.9f, 0.999f, 0.01f, 1.0f, 1e-8f);
        follow(count, target.data(), parameters.data(), 0.1f);
        forward(sizes.data(), layers, bfloat16, parameters.data(), rows, inputs.data(), memory.data(), outputs.data());
        std::fill_n(outputs.begin(), rows / 2 * sizes[layers], 0.0f);
        backward(
            sizes.data(), layers, bfloat16, parameters.data(), rows, memory.data(), rows, outputs.data(), nullptr,
            by_inputs.data());
    }
    target.insert(target.end(), by_inputs.begin(), by_inputs.end());
    return target;
}

// Drawn actions, and the derivative by the outputs of half of them; every array is as long as it must be.
void draw_some(int64_t rows, int32_t columns) {
    std::mt19937 generator(2);
    const int64_t count = rows * columns;
    const Numbers outputs = drawn(generator, 2 * count), noise = drawn(generator, count);
    Numbers memory(4 * count), densities(rows), derivative(rows / 2 * 2 * columns);
    draw(rows, columns, outputs.data(), noise.data(), -20, 2, memory.data(), densities.data());
    differentiate(rows / 2, columns, memory.data(), count, noise.data(), 0.1f, derivative.data());
}

}  // namespace

int main() {
    for (const int64_t rows : {0, 1, 7, 33})
        for (const int32_t columns : {1, 3}) draw_some(rows, columns);
    for (const int32_t rows : {0, 1, 7, 13})
        for (const std::vector<int32_t> &sizes : {std::vector<int32_t>{1, 1}, {3, 1}, {4, 9, 2}, {33, 31, 16, 17}})
            for (const int32_t bfloat16 : {0, 1}) learned(sizes, rows, 2, bfloat16);
    // Enough work that threads share it.
    const std::vector<int32_t> sizes{23, 131, 256, 3};
    const int32_t rows = 29;
    const Network network{sizes.data(), 3};
    require(work(network, rows) >= SHARED_FROM, "The work is too little to be shared");
    require(network.weights(3) >= SHARED_PARAMETERS_FROM, "The parameters are too few to be shared");
    for (const int32_t bfloat16 : {0, 1}) {
        set_threads(1);
        const Numbers expected = learned(sizes, rows, 6, bfloat16);
        // First, so that the first threads are made for callers that meet.
        set_threads(3);
        std::vector<std::thread> callers;
        for (int caller = 0; caller < 3; ++caller)
            callers.emplace_back([&] {
                require(learned(sizes, rows, 6, bfloat16) == expected, "Callers change each other's bits");
            });
        for (std::thread &caller : callers) caller.join();
        for (const uint32_t count : {2, 3, 8, 2}) {
            set_threads(count);
            require(learned(sizes, rows, 6, bfloat16) == expected, "Threads change bits");
        }
    }
    std::puts("done");
}
