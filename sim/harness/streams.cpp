// Streams of a component, filled and emptied from queues.

#include <deque>
#include <vector>

#include "simulation.h"

using rewardware::Simulation;

// Generated for the ports of the component.
extern const int sources;
extern const int sinks;
extern const int source_words[];
extern const int sink_words[];
void set_clock(Vtop &top, int level);
void set_reset(Vtop &top, int level);
void set_source(Vtop &top, int stream, const uint32_t *payload, int valid);
int get_source_ready(Vtop &top, int stream);
void set_sink_ready(Vtop &top, int stream, int ready);
int get_sink(Vtop &top, int stream, uint32_t *payload);
void set_port(Vtop &top, int port, const uint32_t *words);
void get_port(Vtop &top, int port, uint32_t *words);

namespace {

struct Queue {
    std::deque<uint32_t> words;
    bool valid = false;
};

class Streams {
  public:
    Streams(uint64_t seed, double stall)
        : simulation_(nullptr, seed), stall_(uint64_t(stall * 4294967296.0)), sources_(sources), sinks_(sinks),
          ready_(sinks) {
        set_reset(simulation_.top(), 1);
        tick();
        tick();
        set_reset(simulation_.top(), 0);
    }

    Vtop &top() { return simulation_.top(); }
    std::deque<uint32_t> &source(int stream) { return sources_[stream].words; }
    std::deque<uint32_t> &sink(int stream) { return sinks_[stream].words; }

    void tick() {
        Vtop &top = simulation_.top();
        for (int stream = 0; stream < sources; ++stream) {
            Queue &queue = sources_[stream];
            if (!queue.valid) queue.valid = !queue.words.empty() && !simulation_.chance(stall_);
            payload_.assign(source_words[stream], 0);
            if (queue.valid) std::copy_n(queue.words.begin(), source_words[stream], payload_.begin());
            set_source(top, stream, payload_.data(), queue.valid);
        }
        for (int stream = 0; stream < sinks; ++stream) {
            ready_[stream] = !simulation_.chance(stall_);
            set_sink_ready(top, stream, ready_[stream]);
        }
        Clock clock{top};
        simulation_.tick(clock, [&] {
            for (int stream = 0; stream < sources; ++stream) {
                Queue &queue = sources_[stream];
                if (!queue.valid || !get_source_ready(top, stream)) continue;
                queue.words.erase(queue.words.begin(), queue.words.begin() + source_words[stream]);
                queue.valid = false;
            }
            for (int stream = 0; stream < sinks; ++stream) {
                payload_.resize(sink_words[stream]);
                if (!get_sink(top, stream, payload_.data()) || !ready_[stream]) continue;
                sinks_[stream].words.insert(sinks_[stream].words.end(), payload_.begin(), payload_.end());
            }
        });
    }

  private:
    struct Clock {
        Vtop &top;
        void operator=(int level) { set_clock(top, level); }
    };

    Simulation simulation_;
    uint64_t stall_;
    std::vector<Queue> sources_;
    std::vector<Queue> sinks_;
    std::vector<char> ready_;
    std::vector<uint32_t> payload_;
};

}  // namespace

extern "C" {

void *streams_open(uint64_t seed, double stall) { return new Streams(seed, stall); }

void streams_close(void *handle) { delete static_cast<Streams *>(handle); }

void streams_send(void *handle, int stream, const uint32_t *words, uint64_t values) {
    auto &queue = static_cast<Streams *>(handle)->source(stream);
    queue.insert(queue.end(), words, words + values * source_words[stream]);
}

uint64_t streams_available(void *handle, int stream) {
    return static_cast<Streams *>(handle)->sink(stream).size() / sink_words[stream];
}

void streams_receive(void *handle, int stream, uint32_t *words, uint64_t values) {
    auto &queue = static_cast<Streams *>(handle)->sink(stream);
    auto end = queue.begin() + values * sink_words[stream];
    std::copy(queue.begin(), end, words);
    queue.erase(queue.begin(), end);
}

void streams_set(void *handle, int port, const uint32_t *words) {
    set_port(static_cast<Streams *>(handle)->top(), port, words);
}

void streams_get(void *handle, int port, uint32_t *words) {
    get_port(static_cast<Streams *>(handle)->top(), port, words);
}

// Until so many values of a stream are there; returns how many cycles, at most `limit`.
uint64_t streams_run(void *handle, int stream, uint64_t values, uint64_t limit) {
    auto *streams = static_cast<Streams *>(handle);
    uint64_t cycles = 0;
    while (cycles < limit && streams_available(handle, stream) < values) {
        streams->tick();
        ++cycles;
    }
    return cycles;
}
}
