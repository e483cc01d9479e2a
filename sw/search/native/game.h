// Games as the search needs them: a position is a few words, and actions alone decide what comes.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace rewardware {

struct Step {
    double reward;
    bool terminal;
};

class Game {
  public:
    const uint32_t actions, plane_values, state_words;
    // Whether equal words are equal positions, so that what was said of one can be kept for the other.
    const bool has_keys;

    Game(uint32_t actions, uint32_t plane_values, uint32_t state_words, bool has_keys)
        : actions(actions), plane_values(plane_values), state_words(state_words), has_keys(has_keys) {}
    virtual ~Game() = default;

    // The position after an action, the reward of the player who took it, and whether the game has ended.
    virtual Step step(const uint64_t *state, uint32_t action, uint64_t *after) const = 0;
    // What the network sees, and the legal actions in ascending order.
    virtual void observe(const uint64_t *state, float *planes, std::vector<uint16_t> &legal) const = 0;
};

// Stones on a board, of which a line of so many wins: tic-tac-toe, connect-four, Gomoku. A position is the stones of
// player 0, then those of player 1, a bit a cell, row 0 first; the rules are those of board_game.py.
class LineGame final : public Game {
  public:
    LineGame(uint32_t rows, uint32_t columns, uint32_t line, bool gravity)
        : Game(gravity ? columns : rows * columns, 3 * rows * columns, 2 * words_of(rows * columns), true),
          rows(rows), columns(columns), line(line), gravity(gravity), words(words_of(rows * columns)) {}

    Step step(const uint64_t *state, uint32_t action, uint64_t *after) const override {
        std::memcpy(after, state, state_words * sizeof(uint64_t));
        const uint32_t player = player_of(state);
        uint32_t cell = action;
        if (gravity)
            while (taken(state, cell)) cell += columns;
        uint64_t *own = after + player * words;
        own[cell / 64] |= uint64_t{1} << cell % 64;
        if (wins(own, cell / columns, cell % columns)) return {1.0, true};
        return {0.0, stones(after) == rows * columns};
    }

    void observe(const uint64_t *state, float *planes, std::vector<uint16_t> &legal) const override {
        const uint32_t player = player_of(state), cells = rows * columns;
        const uint64_t *own = state + player * words, *other = state + (1 - player) * words;
        for (uint32_t cell = 0; cell < cells; ++cell) {
            planes[cell] = static_cast<float>(bit(own, cell));
            planes[cells + cell] = static_cast<float>(bit(other, cell));
            planes[2 * cells + cell] = player == 0 ? 1.0f : 0.0f;
        }
        legal.clear();
        const uint32_t top = gravity ? (rows - 1) * columns : 0;
        for (uint32_t action = 0; action < actions; ++action)
            if (!taken(state, top + action)) legal.push_back(static_cast<uint16_t>(action));
    }

  private:
    const uint32_t rows, columns, line;
    const bool gravity;
    const uint32_t words;

    static constexpr uint32_t words_of(uint32_t cells) { return (cells + 63) / 64; }
    static uint32_t bit(const uint64_t *stones, uint32_t cell) { return stones[cell / 64] >> cell % 64 & 1; }
    bool taken(const uint64_t *state, uint32_t cell) const { return bit(state, cell) || bit(state + words, cell); }

    uint32_t count(const uint64_t *stones) const {
        uint32_t found = 0;
        for (uint32_t word = 0; word < words; ++word) found += std::popcount(stones[word]);
        return found;
    }
    uint32_t stones(const uint64_t *state) const { return count(state) + count(state + words); }
    uint32_t player_of(const uint64_t *state) const { return (count(state) - count(state + words)) & 1; }

    bool wins(const uint64_t *own, uint32_t row, uint32_t column) const {
        static constexpr int DIRECTIONS[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (const auto &[up, right] : DIRECTIONS)
            if (1 + run(own, row, column, up, right) + run(own, row, column, -up, -right) >= line) return true;
        return false;
    }
    // Own stones one after another from a cell on, itself not counted.
    uint32_t run(const uint64_t *own, uint32_t row, uint32_t column, int up, int right) const {
        uint32_t found = 0;
        for (;;) {
            row += up, column += right;
            if (row >= rows || column >= columns || !bit(own, row * columns + column)) return found;
            ++found;
        }
    }
};

// A game of somebody else's, of which a position is a number that he knows; both functions return less than 0 on an
// error, of which he keeps the reason.
using StepFunction = int64_t (*)(int64_t state, uint32_t action, double *reward, uint8_t *terminal);
using ObserveFunction = int32_t (*)(int64_t state, float *planes, uint8_t *legal);

class CallbackGame final : public Game {
  public:
    CallbackGame(uint32_t actions, uint32_t plane_values, StepFunction step, ObserveFunction observe)
        : Game(actions, plane_values, 1, false), step_(step), observe_(observe) {}

    Step step(const uint64_t *state, uint32_t action, uint64_t *after) const override {
        double reward = 0;
        uint8_t terminal = 0;
        const int64_t number = step_(static_cast<int64_t>(*state), action, &reward, &terminal);
        if (number < 0) throw std::runtime_error("The game failed");
        *after = static_cast<uint64_t>(number);
        return {reward, terminal != 0};
    }

    void observe(const uint64_t *state, float *planes, std::vector<uint16_t> &legal) const override {
        std::vector<uint8_t> allowed(actions);
        if (observe_(static_cast<int64_t>(*state), planes, allowed.data()) < 0)
            throw std::runtime_error("The game failed");
        legal.clear();
        for (uint32_t action = 0; action < actions; ++action)
            if (allowed[action]) legal.push_back(static_cast<uint16_t>(action));
    }

  private:
    const StepFunction step_;
    const ObserveFunction observe_;
};

}  // namespace rewardware
