// Searches with threads of all kinds under a sanitizer: threads here also do what Python does around them.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "synchronous_search.h"
#include "threaded_search.h"

using namespace rewardware;

namespace {

// Tables that have the shape of the true ones; what they say does not matter here.
struct Tables {
    std::vector<uint8_t> exponents;
    std::vector<int32_t> reciprocals, explorations;
    Tables() {
        for (uint32_t count = 0; count <= 1 << 16; ++count) {
            const uint32_t least = std::max(count, 1u);
            exponents.push_back(static_cast<uint8_t>(std::bit_width(least) - 1));
            reciprocals.push_back(static_cast<int32_t>((uint64_t{1} << (18 + exponents.back())) / least));
            explorations.push_back(static_cast<int32_t>(98304 * std::sqrt(count + 1.0)));
        }
    }
};

void require(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::exit(3);
}

uint64_t hash(const float *planes, uint32_t count) {
    uint64_t value = 1;
    for (uint32_t index = 0; index < count; ++index) value = (value ^ (planes[index] != 0)) * 0x9e3779b97f4a7c15 + 7;
    return value ^ value >> 29;
}

void evaluate(const Game &game, const float *planes, uint32_t count, std::vector<uint16_t> &priors,
              std::vector<float> &values) {
    priors.resize(size_t{count} * game.actions);
    values.resize(count);
    for (uint32_t index = 0; index < count; ++index) {
        const uint64_t seed = hash(planes + size_t{index} * game.plane_values, game.plane_values);
        values[index] = static_cast<float>(static_cast<int64_t>(seed)) * 0x1p-63f;
        for (uint32_t action = 0; action < game.actions; ++action)
            priors[size_t{index} * game.actions + action] = static_cast<uint16_t>((seed >> action % 48) & 1023) + 1;
    }
}

Evaluation root_of(const Game &game) {
    Evaluation root;
    for (uint32_t action = 0; action < game.actions; ++action) {
        root.legal.push_back(static_cast<uint16_t>(action));
        root.priors.push_back(static_cast<uint16_t>(65536 / (game.actions + 1)));
    }
    return root;
}

// A search with as many threads that evaluate; one of them stops answering after some batches, if it is to.
void run(const Scores &scores, const Game &game, bool shared, uint32_t workers, uint32_t batch, uint32_t evaluators,
         uint32_t simulations, int fails_after, double limit) {
    EvaluationCache cache(64, game.state_words);
    ThreadedSearch search(scores, game, cache, 20, shared, workers, batch, evaluators, limit);
    const std::vector<uint64_t> state(game.state_words);
    for (int round = 0; round < 2; ++round) {
        search.begin(state.data(), root_of(game), simulations);
        std::vector<std::thread> threads;
        for (uint32_t number = 0; number < evaluators; ++number)
            threads.emplace_back([&, number] {
                std::vector<float> planes(size_t{batch} * game.plane_values), values;
                std::vector<uint8_t> legal(size_t{batch} * game.actions);
                std::vector<uint16_t> priors;
                for (int batches = 0;; ++batches) {
                    const int32_t count = search.queue().take(number, planes.data(), legal.data(), 0.01);
                    if (count < 0) return;
                    if (!count) continue;
                    if (number == 0 && batches == fails_after) {
                        if (limit > 1) return search.queue().fail("an evaluator died");
                        // It comes back when the others have given up.
                        std::this_thread::sleep_for(std::chrono::duration<double>(3 * limit));
                    }
                    evaluate(game, planes.data(), static_cast<uint32_t>(count), priors, values);
                    search.queue().give(number, priors.data(), values.data());
                }
            });
        for (std::thread &thread : threads) thread.join();
        search.join();
        std::vector<int64_t> visits(game.actions), totals(game.actions);
        search.read_root(visits.data(), totals.data());
        if (fails_after < 0) {
            require(search.queue().error().empty(), "A search failed");
            require(std::reduce(visits.begin(), visits.end()) == simulations, "A simulation is lost");
        }
    }
}

void run_rounds(const Scores &scores, const Game &game) {
    EvaluationCache cache(50, game.state_words);
    SynchronousSearch search(scores, game, cache, 9, 3);
    const std::vector<uint64_t> state(game.state_words);
    for (const uint32_t trees : {2u, 5u}) {
        search.begin(trees);
        for (uint32_t tree = 0; tree < trees; ++tree) search.begin_tree(tree, state.data(), root_of(game), 40 * trees);
        std::vector<float> planes(size_t{3} * trees * game.plane_values), values;
        std::vector<uint8_t> legal(size_t{3} * trees * game.actions);
        std::vector<uint16_t> priors;
        do {
            evaluate(game, planes.data(), search.select(planes.data(), legal.data()), priors, values);
        } while (search.back_up(priors.data(), values.data()));
        std::vector<int64_t> visits(game.actions), totals(game.actions);
        search.tree(0).read_root(visits.data(), totals.data());
        require(std::reduce(visits.begin(), visits.end()) == 40 * trees, "A simulation is lost");
    }
}

// Two selections go over the best edge; when one is backed up, the loss of the other stays.
void check_losses(const Scores &scores, const Game &game) {
    Tree<NoLock> tree(scores, game, 20);
    const std::vector<uint64_t> state(game.state_words);
    Evaluation root = root_of(game);
    std::fill(root.priors.begin(), root.priors.end(), uint16_t{0});
    root.priors[2] = 65535;
    tree.begin(state.data(), root, 10);
    Path first, second, third;
    const Leaf leaf = tree.select(first), same = tree.select(second);
    require(leaf.inserted && !same.inserted && leaf.node == same.node, "Both selections go over the best edge");
    require(!tree.expand(first, leaf.node), "No game ends with one stone");
    Evaluation said = root_of(game);
    // Exploration is 1.06 after one visit: with its value -0.9, it wins over 0 without a loss of 0.25, and not with it.
    said.value = 0.9f;
    tree.evaluate(leaf.node, first.size(), said);
    tree.back_up(first, leaf.node);
    tree.select(third);
    require(third[0].edge == 0, "A loss under way is lost");
    tree.back_up(second, same.node);
}

// Positions that were asked for last stay, as many as fill half of the room at least.
void check_generations() {
    EvaluationCache cache(4, 1);
    const auto known = [&cache](uint64_t state) { return cache.find(&state) != nullptr; };
    for (const uint64_t state : {1, 2, 3}) cache.keep(&state, Evaluation());
    require(known(1) && known(2) && known(3) && !known(4), "The older generation is looked at, too");
    require(cache.hits() == 3, "A hit is not counted");
    for (const uint64_t state : {4, 5, 6, 7}) cache.keep(&state, Evaluation());
    require(!known(1) && known(7), "The oldest ones go");
    cache.clear();
    require(!known(7), "Nothing is left");
}

}  // namespace

int main() {
    const Tables tables;
    const Scores scores{tables.exponents.data(), tables.reciprocals.data(), tables.explorations.data(), 18, 16384, 0};
    const LineGame small(3, 3, 3, false), falling(6, 7, 4, true), large(15, 15, 5, false);
    check_losses(scores, small);
    check_generations();
    for (const Game *game : std::initializer_list<const Game *>{&small, &falling, &large}) {
        for (const bool shared : {true, false}) {
            run(scores, *game, shared, 1, 1, 1, 100, -1, 60);
            run(scores, *game, shared, 8, 8, 1, 300, -1, 60);
            run(scores, *game, shared, 8, 3, 3, 300, -1, 60);
            run(scores, *game, shared, 8, 4, 2, 300, 5, 60);
            run(scores, *game, shared, 4, 2, 2, 200, 3, 0.02);
        }
        run_rounds(scores, *game);
    }
    std::puts("done");
}
