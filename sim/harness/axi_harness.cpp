// AXI4-Lite master, AXI4-Stream source and sink around an AxiTop, and the rules that it keeps, behind C functions.

#include <deque>
#include <vector>

#include "axi_rules.h"
#include "simulation.h"

namespace {

constexpr int timed_out = -1;

class Harness {
  public:
    Harness(int lanes, const char *waveform, uint64_t seed, double stall)
        : simulation_(waveform, seed), top_(simulation_.top()), lanes_(lanes), stall_(uint64_t(stall * 4294967296.0)),
          row_(lanes) {
        // Rows are whole: four bits for each lane.
        std::vector<uint32_t> keep((lanes + 7) / 8, ~0u);
        if (lanes % 8 != 0) keep.back() = (1u << (lanes % 8 * 4)) - 1;
        rewardware::put_words(top_.s_axis_tkeep, keep.data(), int(keep.size()));
        top_.aresetn = 0;
        for (int index = 0; index < 4; ++index) tick();
        top_.aresetn = 1;
        tick();
    }

    int write(uint32_t address, uint32_t value, uint64_t limit) {
        top_.s_axi_ctrl_awaddr = address;
        top_.s_axi_ctrl_wdata = value;
        top_.s_axi_ctrl_wstrb = 15;
        // Where streams hold back, address and data also come in either order, and the answer is taken late.
        bool address_waits = true, data_waits = true;
        int response = timed_out;
        for (uint64_t count = 0; response == timed_out && count < limit; ++count) {
            if (address_waits && !simulation_.chance(stall_)) {
                top_.s_axi_ctrl_awvalid = 1;
                address_waits = false;
            }
            if (data_waits && !simulation_.chance(stall_)) {
                top_.s_axi_ctrl_wvalid = 1;
                data_waits = false;
            }
            top_.s_axi_ctrl_bready = !simulation_.chance(stall_);
            tick();
            if (address_taken_) top_.s_axi_ctrl_awvalid = 0;
            if (data_taken_) top_.s_axi_ctrl_wvalid = 0;
            if (answered_) response = response_;
        }
        top_.s_axi_ctrl_awvalid = top_.s_axi_ctrl_wvalid = top_.s_axi_ctrl_bready = 0;
        return response;
    }

    int read(uint32_t address, uint32_t *value, uint64_t limit) {
        top_.s_axi_ctrl_araddr = address;
        top_.s_axi_ctrl_arvalid = 1;
        int response = timed_out;
        for (uint64_t count = 0; response == timed_out && count < limit; ++count) {
            top_.s_axi_ctrl_rready = !simulation_.chance(stall_);
            tick();
            if (read_taken_) top_.s_axi_ctrl_arvalid = 0;
            if (read_answered_) {
                response = read_response_;
                *value = read_value_;
            }
        }
        top_.s_axi_ctrl_arvalid = top_.s_axi_ctrl_rready = 0;
        return response;
    }

    void send(const uint32_t *words, uint64_t rows, int last) {
        outgoing_.insert(outgoing_.end(), words, words + rows * lanes_);
        for (uint64_t row = 0; row < rows; ++row) outgoing_last_.push_back(last && row + 1 == rows);
    }

    uint64_t unsent() const { return outgoing_last_.size(); }
    uint64_t available() const { return incoming_last_.size(); }

    // Moves up to `limit` rows that have arrived.
    uint64_t receive(uint32_t *words, uint8_t *last, uint64_t limit) {
        uint64_t rows = std::min<uint64_t>(limit, incoming_last_.size());
        std::copy_n(incoming_.begin(), rows * lanes_, words);
        std::copy_n(incoming_last_.begin(), rows, last);
        incoming_.erase(incoming_.begin(), incoming_.begin() + rows * lanes_);
        incoming_last_.erase(incoming_last_.begin(), incoming_last_.begin() + rows);
        return rows;
    }

    // By the rules of streams: a row that is offered stays, and a packet that has begun ends, with a row of zeros.
    void forget() {
        uint64_t kept = top_.s_axis_tvalid ? 1 : 0;
        outgoing_.resize(kept * lanes_);
        outgoing_last_.resize(kept);
        if (kept ? !outgoing_last_.front() : open_) {
            outgoing_.insert(outgoing_.end(), lanes_, 0);
            outgoing_last_.push_back(1);
        }
        incoming_.clear();
        incoming_last_.clear();
    }

    // Runs until the interrupt, or until `rows` have arrived, or for `limit` cycles; returns the cycles run.
    uint64_t run(uint64_t limit, int until_interrupt, uint64_t rows) {
        uint64_t count = 0;
        while (count < limit) {
            if (rows != 0 && incoming_last_.size() >= rows) break;
            tick();
            ++count;
            if (until_interrupt && interrupt_) break;
        }
        return count;
    }

    uint64_t cycle() const { return simulation_.cycle(); }
    // What rule the system broke first, and when; empty: none.
    const char *broken() const { return rules_.broken(); }

  private:
    void tick() {
        if (!top_.s_axis_tvalid && !outgoing_last_.empty() && !simulation_.chance(stall_)) {
            std::copy_n(outgoing_.begin(), lanes_, row_.begin());
            rewardware::put_words(top_.s_axis_tdata, row_.data(), lanes_);
            top_.s_axis_tlast = outgoing_last_.front();
            top_.s_axis_tvalid = 1;
        }
        top_.m_axis_tready = !simulation_.chance(stall_);
        bool sent = false;
        simulation_.tick(top_.aclk, [&] {
            sent = top_.s_axis_tvalid && top_.s_axis_tready;
            address_taken_ = top_.s_axi_ctrl_awvalid && top_.s_axi_ctrl_awready;
            data_taken_ = top_.s_axi_ctrl_wvalid && top_.s_axi_ctrl_wready;
            answered_ = top_.s_axi_ctrl_bvalid && top_.s_axi_ctrl_bready;
            response_ = top_.s_axi_ctrl_bresp;
            read_taken_ = top_.s_axi_ctrl_arvalid && top_.s_axi_ctrl_arready;
            read_answered_ = top_.s_axi_ctrl_rvalid && top_.s_axi_ctrl_rready;
            read_response_ = top_.s_axi_ctrl_rresp;
            read_value_ = top_.s_axi_ctrl_rdata;
            watch();
            interrupt_ = top_.__SYM__interrupt;  // Verilator's name: it is a reserved word of some compilers
            if (top_.aresetn && top_.m_axis_tvalid && top_.m_axis_tready) {
                rewardware::get_words(top_.m_axis_tdata, row_.data(), lanes_);
                incoming_.insert(incoming_.end(), row_.begin(), row_.end());
                incoming_last_.push_back(top_.m_axis_tlast);
            }
        });
        if (sent) {
            open_ = !outgoing_last_.front();
            outgoing_.erase(outgoing_.begin(), outgoing_.begin() + lanes_);
            outgoing_last_.pop_front();
            top_.s_axis_tvalid = 0;
        }
    }

    // The outputs and what was taken in this cycle.
    void watch() {
        rules_.begin(simulation_.cycle(), top_.aresetn);
        rules_.write(address_taken_, data_taken_, top_.s_axi_ctrl_bvalid, answered_, response_);
        rules_.read(read_taken_, top_.s_axi_ctrl_rvalid, read_answered_, read_response_, read_value_);
        if (top_.m_axis_tvalid) {
            leaving_.resize(lanes_ + 1);
            rewardware::get_words(top_.m_axis_tdata, leaving_.data(), lanes_);
            leaving_[lanes_] = top_.m_axis_tlast;
        }
        rules_.row(top_.m_axis_tvalid, top_.m_axis_tready, leaving_);
        rules_.taken(top_.s_axi_ctrl_awready || top_.s_axi_ctrl_wready || top_.s_axi_ctrl_arready ||
                     top_.s_axis_tready);
    }

    rewardware::Simulation simulation_;
    rewardware::AxiRules rules_;
    std::vector<uint32_t> leaving_;
    Vtop &top_;
    int lanes_;
    uint64_t stall_;
    std::vector<uint32_t> row_;
    std::deque<uint32_t> outgoing_, incoming_;
    std::deque<uint8_t> outgoing_last_, incoming_last_;
    bool address_taken_ = false, data_taken_ = false, answered_ = false, read_taken_ = false, read_answered_ = false;
    bool interrupt_ = false, open_ = false;
    int response_ = 0, read_response_ = 0;
    uint32_t read_value_ = 0;
};

}  // namespace

extern "C" {
void *harness_open(int lanes, const char *waveform, uint64_t seed, double stall) {
    return new Harness(lanes, waveform, seed, stall);
}
void harness_close(void *harness) { delete static_cast<Harness *>(harness); }
int harness_write(void *harness, uint32_t address, uint32_t value, uint64_t limit) {
    return static_cast<Harness *>(harness)->write(address, value, limit);
}
int harness_read(void *harness, uint32_t address, uint32_t *value, uint64_t limit) {
    return static_cast<Harness *>(harness)->read(address, value, limit);
}
void harness_send(void *harness, const uint32_t *words, uint64_t rows, int last) {
    static_cast<Harness *>(harness)->send(words, rows, last);
}
uint64_t harness_unsent(void *harness) { return static_cast<Harness *>(harness)->unsent(); }
uint64_t harness_available(void *harness) { return static_cast<Harness *>(harness)->available(); }
uint64_t harness_receive(void *harness, uint32_t *words, uint8_t *last, uint64_t limit) {
    return static_cast<Harness *>(harness)->receive(words, last, limit);
}
void harness_forget(void *harness) { static_cast<Harness *>(harness)->forget(); }
uint64_t harness_run(void *harness, uint64_t limit, int until_interrupt, uint64_t rows) {
    return static_cast<Harness *>(harness)->run(limit, until_interrupt, rows);
}
const char *harness_broken(void *harness) { return static_cast<Harness *>(harness)->broken(); }
uint64_t harness_cycle(void *harness) { return static_cast<Harness *>(harness)->cycle(); }
}
