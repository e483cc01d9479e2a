// A UartTop and the other end of its two wires, behind C functions.

#include <algorithm>
#include <deque>

#include "simulation.h"

namespace {

class Board {
  public:
    Board(int divisor, const char *waveform) : simulation_(waveform, 0), top_(simulation_.top()), divisor_(divisor) {
        top_.rx = 1;
        top_.rst = 1;
        for (int index = 0; index < 4; ++index) tick();
        top_.rst = 0;
    }

    void put(const uint8_t *bytes, uint64_t count) { to_board_.insert(to_board_.end(), bytes, bytes + count); }

    uint64_t get(uint8_t *bytes, uint64_t limit) {
        uint64_t count = std::min<uint64_t>(limit, from_board_.size());
        std::copy_n(from_board_.begin(), count, bytes);
        from_board_.erase(from_board_.begin(), from_board_.begin() + count);
        return count;
    }

    uint64_t pending() const { return to_board_.size(); }

    void run(uint64_t cycles) {
        for (uint64_t count = 0; count < cycles; ++count) tick();
    }

  private:
    void tick() {
        // Towards the board: start bit, eight data bits, stop bit.
        if (send_wait_ == 0) {
            if (send_bits_ == 0 && !to_board_.empty()) {
                send_shift_ = 0x200 | to_board_.front() << 1;
                to_board_.pop_front();
                send_bits_ = 10;
            }
            top_.rx = send_bits_ ? send_shift_ & 1 : 1;
            if (send_bits_) {
                send_shift_ >>= 1;
                --send_bits_;
                send_wait_ = divisor_ - 1;
            }
        } else {
            --send_wait_;
        }
        simulation_.tick(top_.clk, [&] { listen(top_.tx); });
    }

    // From the board: bits are looked at in their middle.
    void listen(int tx) {
        if (receive_bits_ == 0) {
            if (tx == 0) {
                receive_bits_ = 10;
                receive_wait_ = divisor_ / 2;
            }
            return;
        }
        if (receive_wait_-- > 0) return;
        receive_wait_ = divisor_ - 1;
        receive_shift_ = receive_shift_ >> 1 | tx << 9;
        if (--receive_bits_ == 0) from_board_.push_back(uint8_t(receive_shift_ >> 1));
    }

    rewardware::Simulation simulation_;
    Vtop &top_;
    int divisor_;
    std::deque<uint8_t> to_board_, from_board_;
    int send_wait_ = 0, send_bits_ = 0, send_shift_ = 0;
    int receive_wait_ = 0, receive_bits_ = 0, receive_shift_ = 0;
};

}  // namespace

extern "C" {
void *board_open(int divisor, const char *waveform) { return new Board(divisor, waveform); }
void board_close(void *board) { delete static_cast<Board *>(board); }
void board_put(void *board, const uint8_t *bytes, uint64_t count) { static_cast<Board *>(board)->put(bytes, count); }
uint64_t board_get(void *board, uint8_t *bytes, uint64_t limit) { return static_cast<Board *>(board)->get(bytes, limit); }
uint64_t board_pending(void *board) { return static_cast<Board *>(board)->pending(); }
void board_run(void *board, uint64_t cycles) { static_cast<Board *>(board)->run(cycles); }
}
