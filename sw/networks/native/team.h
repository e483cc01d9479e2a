// Threads that help with the work of a call: each takes the next piece that no other thread has taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() ((void)0)
#endif

namespace team {

// A waiting thread looks so often, for tens of microseconds, before it yields its core or sleeps.
constexpr int LOOKS = 1000;

template <typename Condition>
void wait_until(const Condition& condition) {
    for (int look = 0; !condition(); ++look)
        if (look < LOOKS) PAUSE();
        else std::this_thread::yield();
}

// A job has stages that follow one another; the pieces of a stage are independent of each other.
class Job {
  public:
    Job(int stages, std::function<int(int)> pieces, std::function<void(int, int)> work)
        : work_(std::move(work)), stages_(stages) {
        for (int stage = 0; stage < stages; ++stage) stages_[stage].pieces = pieces(stage);
    }

    // Does pieces that no other thread has taken, and waits for those of other threads at the end of each stage.
    void help() {
        for (size_t number = 0; number < stages_.size(); ++number) {
            Stage& stage = stages_[number];
            for (int piece; (piece = stage.next.fetch_add(1, std::memory_order_relaxed)) < stage.pieces;) {
                work_(static_cast<int>(number), piece);
                stage.done.fetch_add(1, std::memory_order_release);
            }
            wait_until([&] { return stage.done.load(std::memory_order_acquire) == stage.pieces; });
        }
    }

  private:
    struct Stage {
        int pieces = 0;
        std::atomic<int> next{0}, done{0};
    };
    std::function<void(int, int)> work_;
    std::vector<Stage> stages_;
};

class Team {
  public:
    // Runs a job on so many threads, this one among them; on this one alone while the others work for another caller.
    void run(uint32_t threads, Job& job) {
        std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
        if (threads <= 1 || !lock.try_lock()) return job.help();
        while (workers_ + 1 < threads) std::thread([this, number = ++workers_] { serve(number); }).detach();
        threads_ = threads;
        job_ = &job;
        ++calls_;
        calls_.notify_all();
        job.help();
        // A worker that comes now finds no job; those that have come have yet to leave.
        job_ = nullptr;
        wait_until([this] { return helpers_ == 0; });
    }

  private:
    void serve(uint32_t number) {
        for (uint32_t seen = 0;; seen = calls_) {
            ++helpers_;
            if (Job* job = job_; job && number < threads_) job->help();
            --helpers_;
            for (int look = 0; calls_ == seen && look < LOOKS; ++look) PAUSE();
            calls_.wait(seen);
        }
    }

    std::mutex mutex_;
    uint32_t workers_ = 0;
    std::atomic<uint32_t> calls_{0}, helpers_{0}, threads_{1};
    std::atomic<Job*> job_{nullptr};
};

// The team is never destroyed: its threads still wait when the process ends.
inline Team& everyone() {
    static Team* team = new Team;
    return *team;
}

}  // namespace team
