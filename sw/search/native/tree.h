// A search tree: selection by PUCT, expansion, backup. With std::mutex as Lock many threads may work in it, each node
// under a lock of its own; with NoLock it is for one.

#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "game.h"
#include "scores.h"

namespace rewardware {

struct NoLock {
    void lock() {}
    void unlock() {}
};

// What an evaluator says of a position: its value as the player to move has it, and priors of its legal actions.
struct Evaluation {
    float value = 0;
    std::vector<uint16_t> legal;
    std::vector<uint16_t> priors;
};

constexpr uint32_t NO_NODE = ~0u;

struct PathEdge {
    uint32_t node;
    uint32_t edge;
};

using Path = std::vector<PathEdge>;

struct Leaf {
    uint32_t node;
    bool inserted;
};

template <class Lock>
class Tree {
  public:
    Tree(const Scores &scores, const Game &game, uint32_t levels) : scores_(scores), game_(game), levels_(levels) {}

    // A new tree for so many selections, whose root has been evaluated.
    void begin(const uint64_t *state, const Evaluation &root, uint32_t selections) {
        if (selections + 1 > capacity_) reserve(selections + 1);
        used_ = 0;
        edge_bytes_used_ = 0;
        const uint32_t number = insert();
        std::memcpy(state_of(number), state, game_.state_words * sizeof(uint64_t));
        nodes_[number].collected = 0;
        evaluate(number, 0, root);
    }

    // Descend from the root; the path, and the node at its end, which is new if there was none.
    Leaf select(Path &path) {
        path.clear();
        uint32_t number = 0;
        for (;;) {
            Node &node = nodes_[number];
            const std::lock_guard<Lock> guard(node.lock);
            if (!node.evaluated || node.terminal || path.size() + 1 >= levels_) return {number, false};
            const uint32_t edge = choose(node);
            node.adjusted[edge] -= scores_.loss;
            ++node.in_flight[edge];
            path.push_back({number, edge});
            number = node.child[edge];
            if (number == NO_NODE) return {node.child[edge] = insert(), true};
        }
    }

    // The position of a new node; whether the game has ended there, and nothing is left to evaluate.
    bool expand(const Path &path, uint32_t number) {
        const Node &parent = nodes_[path.back().node];
        Node &node = nodes_[number];
        const Step step = game_.step(state_of(path.back().node), parent.action[path.back().edge], state_of(number));
        node.collected = parent.collected + (path.size() % 2 ? step.reward : -step.reward);
        if (!step.terminal) return false;
        const std::lock_guard<Lock> guard(node.lock);
        node.total = node.collected;
        node.terminal = node.evaluated = true;
        return true;
    }

    // Takes the evaluation of a node that is `level` edges below the root.
    void evaluate(uint32_t number, size_t level, const Evaluation &said) {
        Node &node = nodes_[number];
        const std::lock_guard<Lock> guard(node.lock);
        node.total = node.collected + (level % 2 ? -double{said.value} : double{said.value});
        make_edges(node, said);
        node.evaluated = true;
    }

    // Rewards from the root to a node that is evaluated, and those expected from there on, over all edges of a path.
    void back_up(const Path &path, uint32_t number) {
        const int32_t reward = fixed_reward(nodes_[number].total);
        const int32_t of_level[2] = {reward, std::min(-reward, Scores::LARGEST_REWARD)};
        for (size_t level = 0; level < path.size(); ++level) {
            Node &node = nodes_[path[level].node];
            const uint32_t edge = path[level].edge;
            const std::lock_guard<Lock> guard(node.lock);
            ++node.visits;
            --node.in_flight[edge];
            const uint32_t count = ++node.edge_visits[edge];
            node.edge_total[edge] += of_level[level % 2];
            node.adjusted[edge] =
                scores_.value(node.edge_total[edge], count) - scores_.loss * static_cast<int32_t>(node.in_flight[edge]);
            node.factor[edge] = scores_.factor(node.prior[edge], count);
        }
    }

    // Whether a node has been.
    bool evaluated(uint32_t number) {
        const std::lock_guard<Lock> guard(nodes_[number].lock);
        return nodes_[number].evaluated;
    }

    const uint64_t *state(uint32_t number) const { return state_of(number); }
    uint32_t nodes() const { return used_; }

    // Visits and totals of the root's edges, by action.
    void read_root(int64_t *visits, int64_t *totals) const {
        const Node &root = nodes_[0];
        for (uint32_t edge = 0; edge < root.edges; ++edge) {
            visits[root.action[edge]] = root.edge_visits[edge];
            totals[root.action[edge]] = root.edge_total[edge];
        }
    }

  private:
    struct Node {
        Lock lock;
        bool evaluated, terminal;
        uint32_t visits, edges;
        // As the root's player has it: rewards up to here, and with what is expected from here on.
        double collected, total;
        // Each legal action has an element in these arrays, in ascending order. A score is the value less the losses
        // under way, and the factor times what the node's visits make of exploration.
        int32_t *adjusted, *factor, *edge_total;
        uint32_t *child, *edge_visits;
        uint16_t *action, *prior, *in_flight;
    };

    const Scores &scores_;
    const Game &game_;
    const uint32_t levels_;
    uint32_t capacity_ = 0;
    std::unique_ptr<Node[]> nodes_;
    std::unique_ptr<uint64_t[]> states_;
    // Pages of memory that no node has used yet cost nothing.
    std::unique_ptr<char, decltype(&std::free)> edge_bytes_{nullptr, &std::free};
    std::atomic<uint32_t> used_ = 0;
    std::atomic<size_t> edge_bytes_used_ = 0;

    static constexpr size_t BYTES_AN_EDGE = 5 * sizeof(int32_t) + 3 * sizeof(uint16_t);
    static constexpr size_t ALIGNMENT = 64;

    static size_t bytes_of(size_t edges) { return (edges * BYTES_AN_EDGE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }
    uint64_t *state_of(uint32_t number) const { return states_.get() + size_t{number} * game_.state_words; }

    void reserve(uint32_t nodes) {
        nodes_ = std::make_unique<Node[]>(nodes);
        states_ = std::make_unique<uint64_t[]>(size_t{nodes} * game_.state_words);
        edge_bytes_.reset(static_cast<char *>(std::aligned_alloc(ALIGNMENT, nodes * bytes_of(game_.actions))));
        if (!edge_bytes_) throw std::bad_alloc();
        capacity_ = nodes;
    }

    uint32_t insert() {
        const uint32_t number = used_.fetch_add(1, std::memory_order_relaxed);
        Node &node = nodes_[number];
        node.evaluated = node.terminal = false;
        node.visits = node.edges = 0;
        return number;
    }

    void make_edges(Node &node, const Evaluation &said) {
        const uint32_t edges = node.edges = static_cast<uint32_t>(said.legal.size());
        char *place = edge_bytes_.get() + edge_bytes_used_.fetch_add(bytes_of(edges), std::memory_order_relaxed);
        const auto take = [&place, edges]<class Part>(Part *&part) {
            part = reinterpret_cast<Part *>(place);
            place += edges * sizeof(Part);
        };
        take(node.adjusted), take(node.factor), take(node.edge_total), take(node.child), take(node.edge_visits);
        take(node.action), take(node.prior), take(node.in_flight);
        for (uint32_t edge = 0; edge < edges; ++edge) {
            node.adjusted[edge] = scores_.first_value;
            node.factor[edge] = scores_.factor(said.priors[edge], 0);
            node.edge_total[edge] = 0;
            node.child[edge] = NO_NODE;
            node.edge_visits[edge] = node.in_flight[edge] = 0;
            node.action[edge] = said.legal[edge];
            node.prior[edge] = said.priors[edge];
        }
    }

    // The edge of the greatest score, of equal ones the first.
    uint32_t choose(const Node &node) const {
        const int64_t exploration = scores_.explorations[node.visits];
        const int32_t *adjusted = node.adjusted, *factor = node.factor;
        int32_t greatest = std::numeric_limits<int32_t>::min();
        for (uint32_t edge = 0; edge < node.edges; ++edge)
            greatest = std::max(greatest, score(exploration, adjusted[edge], factor[edge]));
        for (uint32_t edge = 0;; ++edge)
            if (score(exploration, adjusted[edge], factor[edge]) == greatest) return edge;
    }

    static int32_t score(int64_t exploration, int32_t adjusted, int32_t factor) {
        return adjusted + static_cast<int32_t>((exploration * factor) >> Scores::SCORE_FRACTION);
    }

    // 12 fraction bits, to nearest, to even in the middle.
    static int32_t fixed_reward(double reward) {
        const double scaled = reward * (1 << Scores::REWARD_FRACTION), rounded = std::nearbyint(scaled);
        if (!(scaled >= -Scores::LARGEST_REWARD - 1 && rounded <= Scores::LARGEST_REWARD))
            throw std::range_error("Reward must be in [-8, 8), not " + std::to_string(reward));
        return static_cast<int32_t>(rounded);
    }
};

}  // namespace rewardware
