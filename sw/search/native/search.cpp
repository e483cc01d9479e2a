// The search as a library: handles, and functions that keep what went wrong for last_error().

#include <cstdint>
#include <memory>
#include <string>

#include "quantization.h"
#include "synchronous_search.h"
#include "threaded_search.h"

using namespace rewardware;

namespace {

thread_local std::string last;

// What a body gives, or -1 with the reason kept.
template <class Body>
int64_t checked(Body body) {
    try {
        return body();
    } catch (const std::exception &error) {
        last = error.what();
        return -1;
    }
}

// An evaluation of a root: priors of all actions, of which some are legal.
Evaluation root_of(const Game &game, const uint16_t *priors, const uint8_t *legal, float value) {
    Evaluation said;
    said.value = value;
    for (uint32_t action = 0; action < game.actions; ++action)
        if (legal[action]) {
            said.legal.push_back(static_cast<uint16_t>(action));
            said.priors.push_back(priors[action]);
        }
    return said;
}

}  // namespace

extern "C" {

const char *last_error() { return last.c_str(); }

Game *make_line_game(uint32_t rows, uint32_t columns, uint32_t line, uint8_t gravity) {
    return new LineGame(rows, columns, line, gravity != 0);
}
Game *make_callback_game(uint32_t actions, uint32_t plane_values, StepFunction step, ObserveFunction observe) {
    return new CallbackGame(actions, plane_values, step, observe);
}
void free_game(Game *game) { delete game; }
uint32_t state_words(const Game *game) { return game->state_words; }

// For tests: what a game makes of an action, and of a position.
int64_t step_game(const Game *game, const uint64_t *state, uint32_t action, uint64_t *after, double *reward) {
    return checked([&] {
        const Step step = game->step(state, action, after);
        *reward = step.reward;
        return static_cast<int64_t>(step.terminal);
    });
}
int64_t observe_game(const Game *game, const uint64_t *state, float *planes, uint8_t *legal) {
    return checked([&] {
        std::vector<uint16_t> actions;
        game->observe(state, planes, actions);
        std::fill_n(legal, game->actions, 0);
        for (const uint16_t action : actions) legal[action] = 1;
        return int64_t{0};
    });
}

Scores *make_scores(const uint8_t *exponents, const int32_t *reciprocals, const int32_t *explorations,
                    int32_t reciprocal_fraction, int32_t loss, int32_t first_value) {
    return new Scores{exponents, reciprocals, explorations, reciprocal_fraction, loss, first_value};
}
void free_scores(Scores *scores) { delete scores; }

EvaluationCache *make_cache(uint64_t positions, uint32_t words) { return new EvaluationCache(positions, words); }
void free_cache(EvaluationCache *cache) { delete cache; }
void clear_cache(EvaluationCache *cache) { cache->clear(); }
uint64_t cache_hits(EvaluationCache *cache) { return cache->hits(); }

// Whether all rows of priors (batch, actions) were quantized.
uint8_t quantize_batch(const float *priors, const uint8_t *legal, uint32_t batch, uint32_t actions,
                       uint16_t *quantized) {
    bool fits = true;
    for (size_t row = 0; row < batch; ++row)
        fits &= quantize_priors(priors + row * actions, legal + row * actions, actions, quantized + row * actions);
    return fits;
}

// Rounds.

SynchronousSearch *make_synchronous(const Scores *scores, const Game *game, EvaluationCache *cache, uint32_t levels,
                                    uint32_t workers) {
    return new SynchronousSearch(*scores, *game, *cache, levels, workers);
}
void free_synchronous(SynchronousSearch *search) { delete search; }
int64_t synchronous_begin(SynchronousSearch *search, uint32_t trees) {
    return checked([&] { return search->begin(trees), int64_t{0}; });
}
int64_t synchronous_begin_tree(SynchronousSearch *search, const Game *game, uint32_t index, const uint64_t *state,
                               const uint16_t *priors, const uint8_t *legal, float value, uint32_t simulations) {
    return checked(
        [&] { return search->begin_tree(index, state, root_of(*game, priors, legal, value), simulations), int64_t{0}; });
}
int64_t synchronous_select(SynchronousSearch *search, float *planes, uint8_t *legal) {
    return checked([&] { return int64_t{search->select(planes, legal)}; });
}
int64_t synchronous_back_up(SynchronousSearch *search, const uint16_t *priors, const float *values) {
    return checked([&] { return int64_t{search->back_up(priors, values)}; });
}
void synchronous_read(const SynchronousSearch *search, uint32_t index, int64_t *visits, int64_t *totals,
                      uint32_t *nodes, uint32_t *evaluations) {
    search->tree(index).read_root(visits, totals);
    *nodes = search->tree(index).nodes();
    *evaluations = search->evaluations(index);
}

// Threads.

ThreadedSearch *make_threaded(const Scores *scores, const Game *game, EvaluationCache *cache, uint32_t levels,
                              uint8_t shared, uint32_t workers, uint32_t batch, uint32_t evaluators, double limit) {
    return new ThreadedSearch(*scores, *game, *cache, levels, shared != 0, workers, batch, evaluators, limit);
}
void free_threaded(ThreadedSearch *search) { delete search; }
int64_t threaded_begin(ThreadedSearch *search, const Game *game, const uint64_t *state, const uint16_t *priors,
                       const uint8_t *legal, float value, uint32_t simulations) {
    return checked([&] { return search->begin(state, root_of(*game, priors, legal, value), simulations), int64_t{0}; });
}
// How many positions there are to evaluate; 0 if none came in time, -1 if none will come.
int32_t threaded_take(ThreadedSearch *search, uint32_t evaluator, float *planes, uint8_t *legal, double seconds) {
    return search->queue().take(evaluator, planes, legal, seconds);
}
void threaded_give(ThreadedSearch *search, uint32_t evaluator, const uint16_t *priors, const float *values) {
    search->queue().give(evaluator, priors, values);
}
void threaded_fail(ThreadedSearch *search, const char *why) { search->queue().fail(why); }
// After the last batch: 0; -1 if the search was given up, -2 if that was for a number out of its range.
int64_t threaded_finish(ThreadedSearch *search) {
    search->join();
    last = search->queue().error();
    return last.empty() ? 0 : search->queue().was_out_of_range() ? -2 : -1;
}
void threaded_read(const ThreadedSearch *search, int64_t *visits, int64_t *totals, uint32_t *nodes,
                   uint32_t *evaluations) {
    search->read_root(visits, totals);
    *nodes = search->nodes();
    *evaluations = static_cast<uint32_t>(search->work().evaluations.load());
}
// Nanoseconds of selections with their expansions, and of backups, of all threads; batches, and positions in them.
void threaded_counts(const ThreadedSearch *search, uint64_t *counts) {
    counts[0] = search->work().select;
    counts[1] = search->work().back_up;
    counts[2] = search->batches();
    counts[3] = search->positions();
}
}
