// Between those who search and those who evaluate: positions wait until there is a batch of them, or until all who search
// wait for an evaluation, so that a batch that cannot fill is evaluated as it is.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluation_cache.h"
#include "game.h"
#include "tree.h"

namespace rewardware {

using Clock = std::chrono::steady_clock;

// The search was given up; the queue knows why.
struct GivenUp : std::exception {};

struct Request {
    const uint64_t *state = nullptr;
    std::vector<float> planes;
    Evaluation said;
    uint32_t node = 0;
    Path path;
    bool done = false;
};

class EvaluationQueue {
  public:
    // `searchers` threads submit requests, one that `collects` asks for answers by drain(); more than `limit` seconds
    // without an answer are an error.
    EvaluationQueue(const Game &game, EvaluationCache &cache, uint32_t batch, uint32_t evaluators, uint32_t searchers,
                    bool collects, double limit)
        : game_(game), cache_(cache), batch_(batch), collects_(collects), limit_(limit), taken_(evaluators),
          searchers_(searchers) {}

    // Threads that search call these.

    // Hand a position in; its planes are made here, by the thread that found it.
    void submit(Request &request) {
        request.planes.resize(game_.plane_values);
        game_.observe(request.state, request.planes.data(), request.said.legal);
        request.done = false;
        const std::lock_guard<std::mutex> guard(mutex_);
        waiting_.push_back(&request);
        if (waiting_.size() >= batch_) work_.notify_one();
    }

    // Wait until something holds, which an answer may bring about; it is asked under the queue's lock.
    template <class Holds>
    void wait(Holds holds) {
        std::unique_lock<std::mutex> guard(mutex_);
        const auto until = Clock::now() + std::chrono::duration<double>(limit_);
        while (error_.empty() && !holds()) {
            const uint64_t told = told_;
            ++idle_;
            if (is_ready()) work_.notify_one();
            if (!answered_.wait_until(guard, until, [&] { return told != told_; }))
                fail_locked("No evaluation came within " + std::to_string(limit_) + " seconds");
        }
        if (!error_.empty()) throw GivenUp();
    }

    // Something that another one may wait for holds now, without an answer.
    void tell() {
        const std::lock_guard<std::mutex> guard(mutex_);
        tell_locked();
    }

    // The requests that were answered since the last call, for one thread that searches alone.
    void drain(std::vector<Request *> &found) {
        found.clear();
        const std::lock_guard<std::mutex> guard(mutex_);
        if (!error_.empty()) throw GivenUp();
        found.swap(answers_);
    }

    bool has_answers() const { return !answers_.empty(); }

    // A thread that searches has ended.
    void leave() {
        const std::lock_guard<std::mutex> guard(mutex_);
        --searchers_;
        work_.notify_all();
    }

    // Threads that evaluate call these.

    // A batch for an evaluator: planes and legal actions; how many, 0 if none came in time, -1 if none will come.
    int32_t take(uint32_t evaluator, float *planes, uint8_t *legal, double seconds) {
        std::vector<Request *> &batch = taken_[evaluator];
        std::unique_lock<std::mutex> guard(mutex_);
        const auto ended = [this] { return !error_.empty() || (!searchers_ && waiting_.empty()); };
        work_.wait_for(guard, std::chrono::duration<double>(seconds), [&] { return ended() || is_ready(); });
        if (!error_.empty() || ended()) return -1;
        if (!is_ready()) return 0;
        const size_t count = std::min<size_t>(batch_, waiting_.size());
        batch.assign(waiting_.begin(), waiting_.begin() + count);
        waiting_.erase(waiting_.begin(), waiting_.begin() + count);
        if (is_ready()) work_.notify_one();
        guard.unlock();
        std::memset(legal, 0, count * game_.actions);
        for (size_t index = 0; index < count; ++index) {
            std::memcpy(planes + index * game_.plane_values, batch[index]->planes.data(),
                        game_.plane_values * sizeof(float));
            for (const uint16_t action : batch[index]->said.legal) legal[index * game_.actions + action] = 1;
        }
        return static_cast<int32_t>(count);
    }

    // What an evaluator says of its batch: priors of all actions of each position, and values.
    void give(uint32_t evaluator, const uint16_t *priors, const float *values) {
        std::vector<Request *> &batch = taken_[evaluator];
        for (size_t index = 0; index < batch.size(); ++index) {
            Evaluation &said = batch[index]->said;
            said.value = values[index];
            said.priors.resize(said.legal.size());
            for (size_t edge = 0; edge < said.legal.size(); ++edge)
                said.priors[edge] = priors[index * game_.actions + said.legal[edge]];
            if (game_.has_keys) cache_.keep(batch[index]->state, said);
        }
        const std::lock_guard<std::mutex> guard(mutex_);
        for (Request *request : batch) {
            request->done = true;
            if (collects_) answers_.push_back(request);
        }
        batches_ += 1;
        positions_ += batch.size();
        batch.clear();
        tell_locked();
    }

    // Both kinds of threads call these.

    void fail(const std::string &why, bool out_of_range = false) {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (error_.empty()) out_of_range_ = out_of_range;
        fail_locked(why);
    }

    std::string error() {
        const std::lock_guard<std::mutex> guard(mutex_);
        return error_;
    }

    bool was_out_of_range() const { return out_of_range_; }
    uint64_t batches() const { return batches_; }
    uint64_t positions() const { return positions_; }

  private:
    const Game &game_;
    EvaluationCache &cache_;
    const size_t batch_;
    const bool collects_;
    const double limit_;
    std::mutex mutex_;
    // For those who evaluate: there is a batch. For those who search: there are answers.
    std::condition_variable work_, answered_;
    std::deque<Request *> waiting_;
    std::vector<std::vector<Request *>> taken_;
    std::vector<Request *> answers_;
    std::string error_;
    bool out_of_range_ = false;
    uint32_t searchers_, idle_ = 0;
    uint64_t told_ = 0, batches_ = 0, positions_ = 0;

    bool is_ready() const {
        return waiting_.size() >= batch_ || (!waiting_.empty() && idle_ >= searchers_);
    }

    void fail_locked(const std::string &why) {
        if (error_.empty()) error_ = why.empty() ? "The search was given up" : why;
        work_.notify_all();
        tell_locked();
    }

    // All who wait look again, and those who still have to wait count as idle again.
    void tell_locked() {
        ++told_;
        idle_ = 0;
        answered_.notify_all();
    }
};

}  // namespace rewardware
