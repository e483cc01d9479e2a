// The two parallel schemes: all threads on one tree, each with a selection of its own (shared tree), or one thread that
// does all that is done in the tree, with many selections under way (local tree).
// Source: Y. Meng, Accelerating reinforcement learning using heterogeneous platforms, section 5.2.1.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <unordered_map>
#include <vector>

#include "evaluation_queue.h"
#include "tree.h"

namespace rewardware {

// Nanoseconds in the tree, and what was asked.
struct Work {
    std::atomic<uint64_t> select = 0, back_up = 0, evaluations = 0;
};

class Stopwatch {
  public:
    explicit Stopwatch(std::atomic<uint64_t> &sum) : sum_(sum), started_(Clock::now()) {}
    ~Stopwatch() {
        const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_);
        sum_.fetch_add(static_cast<uint64_t>(passed.count()), std::memory_order_relaxed);
    }

  private:
    std::atomic<uint64_t> &sum_;
    const Clock::time_point started_;
};

// Keeps what ends a thread with an error.
template <class Body>
void guarded(EvaluationQueue &queue, Body body) {
    try {
        body();
    } catch (const GivenUp &) {
    } catch (const std::range_error &error) {
        queue.fail(error.what(), true);
    } catch (const std::exception &error) {
        queue.fail(error.what());
    }
    queue.leave();
}

// One of N threads. A node in which another thread's selection has ended is waited for.
class SharedTreeWorker {
  public:
    SharedTreeWorker(Tree<std::mutex> &tree, EvaluationQueue &queue, EvaluationCache &cache, Work &work,
                     Request &request, std::atomic<int64_t> &left, std::atomic<uint32_t> &waiters)
        : tree_(tree), queue_(queue), cache_(cache), work_(work), request_(request), left_(left), waiters_(waiters) {}

    void run() {
        guarded(queue_, [this] {
            while (left_.fetch_sub(1) > 0) iterate();
        });
    }

  private:
    Tree<std::mutex> &tree_;
    EvaluationQueue &queue_;
    EvaluationCache &cache_;
    Work &work_;
    Request &request_;
    std::atomic<int64_t> &left_;
    std::atomic<uint32_t> &waiters_;

    void iterate() {
        Path &path = request_.path;
        Leaf leaf;
        bool ended = false;
        {
            const Stopwatch watch(work_.select);
            leaf = tree_.select(path);
            if (leaf.inserted) ended = tree_.expand(path, leaf.node);
        }
        if (leaf.inserted) {
            if (!ended) evaluate(leaf.node);
            if (waiters_) queue_.tell();
        } else if (!tree_.evaluated(leaf.node)) {
            ++waiters_;
            queue_.wait([&] { return tree_.evaluated(leaf.node); });
            --waiters_;
        }
        const Stopwatch watch(work_.back_up);
        tree_.back_up(path, leaf.node);
    }

    void evaluate(uint32_t node) {
        ++work_.evaluations;
        const uint64_t *state = tree_.state(node);
        if (const auto kept = cache_.find(state)) {
            tree_.evaluate(node, request_.path.size(), *kept);
            return;
        }
        request_.state = state;
        queue_.submit(request_);
        queue_.wait([this] { return request_.done; });
        tree_.evaluate(node, request_.path.size(), request_.said);
    }
};

// The master thread. A node whose evaluation is under way is evaluated once for all selections that end in it.
class LocalTreeMaster {
  public:
    LocalTreeMaster(Tree<NoLock> &tree, EvaluationQueue &queue, EvaluationCache &cache, Work &work,
                    std::vector<Request> &requests, uint32_t simulations)
        : tree_(tree), queue_(queue), cache_(cache), work_(work), requests_(requests), left_(simulations) {
        for (Request &request : requests_) free_.push_back(&request);
    }

    void run() {
        guarded(queue_, [this] {
            std::vector<Request *> answers;
            while (left_ || free_.size() < requests_.size()) {
                queue_.drain(answers);
                for (Request *request : answers) finish(*request);
                if (left_ && !free_.empty())
                    start();
                else if (free_.size() < requests_.size())
                    queue_.wait([this] { return queue_.has_answers(); });
            }
        });
    }

  private:
    Tree<NoLock> &tree_;
    EvaluationQueue &queue_;
    EvaluationCache &cache_;
    Work &work_;
    std::vector<Request> &requests_;
    std::vector<Request *> free_;
    // Selections that ended in a node which another one has asked for.
    std::unordered_map<uint32_t, std::vector<Request *>> behind_;
    uint32_t left_;

    void start() {
        Request &request = *free_.back();
        free_.pop_back();
        --left_;
        if (select(request)) {
            back_up(request);
        } else if (!behind_.contains(request.node)) {
            behind_[request.node];
            queue_.submit(request);
        } else {
            behind_[request.node].push_back(&request);
        }
    }

    // Whether its node is evaluated.
    bool select(Request &request) {
        const Stopwatch watch(work_.select);
        const Leaf leaf = tree_.select(request.path);
        request.node = leaf.node;
        if (!leaf.inserted) return tree_.evaluated(leaf.node);
        if (tree_.expand(request.path, leaf.node)) return true;
        ++work_.evaluations;
        request.state = tree_.state(leaf.node);
        const auto kept = cache_.find(request.state);
        if (kept) tree_.evaluate(leaf.node, request.path.size(), *kept);
        return kept != nullptr;
    }

    void finish(Request &request) {
        const std::vector<Request *> behind = std::move(behind_[request.node]);
        behind_.erase(request.node);
        tree_.evaluate(request.node, request.path.size(), request.said);
        back_up(request);
        for (Request *each : behind) back_up(*each);
    }

    void back_up(Request &request) {
        const Stopwatch watch(work_.back_up);
        tree_.back_up(request.path, request.node);
        free_.push_back(&request);
    }
};

// A search of one position with threads of its own.
class ThreadedSearch {
  public:
    ThreadedSearch(const Scores &scores, const Game &game, EvaluationCache &cache, uint32_t levels, bool shared,
                   uint32_t workers, uint32_t batch, uint32_t evaluators, double limit)
        : game_(game), cache_(cache), is_shared_(shared), workers_(workers), batch_(batch), evaluators_(evaluators),
          limit_(limit), requests_(workers), shared_(scores, game, levels), local_(scores, game, levels) {}

    ~ThreadedSearch() { end("The search was closed"); }

    void begin(const uint64_t *state, const Evaluation &root, uint32_t simulations) {
        end("Another search was begun");
        queue_ = std::make_unique<EvaluationQueue>(game_, cache_, batch_, evaluators_, is_shared_ ? workers_ : 1,
                                                   !is_shared_, limit_);
        waiters_ = 0;
        work_.evaluations = 1;
        if (is_shared_) {
            shared_.begin(state, root, simulations);
            left_ = simulations;
            for (uint32_t worker = 0; worker < workers_; ++worker)
                threads_.emplace_back([this, worker] {
                    SharedTreeWorker(shared_, *queue_, cache_, work_, requests_[worker], left_, waiters_).run();
                });
        } else {
            local_.begin(state, root, simulations);
            threads_.emplace_back([this, simulations] {
                LocalTreeMaster(local_, *queue_, cache_, work_, requests_, simulations).run();
            });
        }
    }

    // Wait for the threads, of which nothing but an error holds up any.
    void join() {
        for (std::thread &thread : threads_) thread.join();
        threads_.clear();
        if (queue_) {
            batches_ += queue_->batches();
            positions_ += queue_->positions();
        }
    }

    void end(const std::string &why) {
        if (threads_.empty()) return;
        queue_->fail(why);
        join();
    }

    EvaluationQueue &queue() { return *queue_; }
    const Work &work() const { return work_; }
    uint32_t nodes() const { return is_shared_ ? shared_.nodes() : local_.nodes(); }
    uint64_t batches() const { return batches_; }
    uint64_t positions() const { return positions_; }

    void read_root(int64_t *visits, int64_t *totals) const {
        is_shared_ ? shared_.read_root(visits, totals) : local_.read_root(visits, totals);
    }

  private:
    const Game &game_;
    EvaluationCache &cache_;
    const bool is_shared_;
    const uint32_t workers_, batch_, evaluators_;
    const double limit_;
    // Here and not with the threads: when a search was given up, an evaluator may still write to them.
    std::vector<Request> requests_;
    Tree<std::mutex> shared_;
    Tree<NoLock> local_;
    Work work_;
    std::unique_ptr<EvaluationQueue> queue_;
    std::atomic<int64_t> left_ = 0;
    std::atomic<uint32_t> waiters_ = 0;
    std::vector<std::thread> threads_;
    uint64_t batches_ = 0, positions_ = 0;
};

}  // namespace rewardware
