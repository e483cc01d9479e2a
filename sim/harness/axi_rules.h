// The rules of AXI4-Lite and AXI4-Stream for a slave, and for who sends rows, cycle by cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rewardware {

class AxiRules {
  public:
    const char *broken() const { return broken_.c_str(); }

    // Before the others, in each cycle.
    void begin(uint64_t cycle, bool running) {
        cycle_ = cycle;
        resetting_ = running ? 0 : resetting_ + 1;
        if (!running) write_ = read_ = Channel(), row_waits_ = false;
    }

    // Requests taken, and the response: one for each address with its data, none before them, as it is until it is taken.
    void write(bool address, bool data, bool valid, bool taken, int response) {
        answer(write_, "B", valid, taken, response, response);
        write_.addresses += address;
        write_.datas += data;
    }

    void read(bool address, bool valid, bool taken, int response, uint32_t value) {
        answer(read_, "R", valid, taken, response, uint64_t(value) << 2 | unsigned(response));
        read_.addresses += address;
        read_.datas += address;
    }

    void row(bool valid, bool ready, const std::vector<uint32_t> &words) {
        if (valid && is_reset()) complain("m_axis: valid while reset");
        if (row_waits_ && !valid) complain("m_axis: valid withdrawn before the row was taken");
        if (row_waits_ && valid && words != row_) complain("m_axis: the row changed while it waited");
        row_waits_ = resetting_ == 0 && valid && !ready;
        if (row_waits_) row_ = words;
    }

    void taken(bool ready) {
        if (ready && is_reset()) complain("ready while reset");
    }

  private:
    static constexpr uint64_t answer_limit = 64;
    static constexpr int exclusive_okay = 1;

    struct Channel {
        uint64_t addresses = 0, datas = 0, answers = 0, waited = 0, payload = 0;
        bool waits = false;
    };

    // The reset goes through a register, and what it resets follows with the next edge.
    bool is_reset() const { return resetting_ > 2; }

    void answer(Channel &channel, const std::string &name, bool valid, bool taken, int response, uint64_t payload) {
        if (resetting_ != 0) {
            if (valid && is_reset()) complain(name + ": valid while reset");
            return;
        }
        bool asked = channel.addresses > channel.answers && channel.datas > channel.answers;
        if (channel.waits && !valid) complain(name + ": valid withdrawn before the response was taken");
        if (channel.waits && valid && payload != channel.payload) complain(name + ": the response changed while it waited");
        if (valid && !asked) complain(name + ": a response without a whole request");
        if (valid && response == exclusive_okay) complain(name + ": response EXOKAY");
        channel.waited = asked && !valid ? channel.waited + 1 : 0;
        if (channel.waited > answer_limit) complain(name + ": no response in 64 cycles");
        channel.waits = valid && !taken;
        channel.payload = payload;
        channel.answers += taken;
    }

    void complain(const std::string &text) {
        if (broken_.empty()) broken_ = text + " (cycle " + std::to_string(cycle_) + ")";
    }

    std::string broken_;
    Channel write_, read_;
    std::vector<uint32_t> row_;
    bool row_waits_ = false;
    uint64_t cycle_ = 0, resetting_ = 0;
};

}  // namespace rewardware
