// Many trees side by side on one thread, in rounds: selections, one batch of evaluations, backups.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evaluation_cache.h"
#include "tree.h"

namespace rewardware {

class SynchronousSearch {
  public:
    SynchronousSearch(const Scores &scores, const Game &game, EvaluationCache &cache, uint32_t levels, uint32_t workers)
        : scores_(scores), game_(game), cache_(cache), levels_(levels), workers_(workers) {}

    void begin(uint32_t trees) {
        while (slots_.size() < trees) slots_.push_back(std::make_unique<Slot>(scores_, game_, levels_));
        trees_ = trees;
        asked_.clear();
    }

    void begin_tree(uint32_t index, const uint64_t *state, const Evaluation &root, uint32_t simulations) {
        Slot &slot = *slots_[index];
        slot.tree.begin(state, root, simulations);
        slot.left = simulations;
        slot.evaluations = 1;
        slot.count = 0;
    }

    // The selections of a round; planes and legal actions of the positions that have to be evaluated, and how many.
    uint32_t select(float *planes, uint8_t *legal) {
        asked_.clear();
        uint32_t batch = 0;
        for (uint32_t index = 0; index < trees_; ++index) {
            Slot &slot = *slots_[index];
            slot.count = std::min(workers_, slot.left);
            slot.left -= slot.count;
            if (slot.selections.size() < slot.count) slot.selections.resize(slot.count);
            for (uint32_t number = 0; number < slot.count; ++number) {
                Selection &selection = slot.selections[number];
                const Leaf leaf = slot.tree.select(selection.path);
                selection.node = leaf.node;
                if (!leaf.inserted || slot.tree.expand(selection.path, leaf.node)) continue;
                ++slot.evaluations;
                const uint64_t *state = slot.tree.state(leaf.node);
                Asked asked{&slot, leaf.node, selection.path.size(), state, cache_.find(state), {}};
                if (!asked.kept) {
                    game_.observe(state, planes + size_t{batch} * game_.plane_values, asked.said.legal);
                    uint8_t *allowed = legal + size_t{batch} * game_.actions;
                    std::fill_n(allowed, game_.actions, 0);
                    for (const uint16_t action : asked.said.legal) allowed[action] = 1;
                    ++batch;
                }
                asked_.push_back(std::move(asked));
            }
        }
        return batch;
    }

    // Takes the evaluations of these positions and makes the backups; returns whether there is another round.
    bool back_up(const uint16_t *priors, const float *values) {
        uint32_t position = 0;
        for (Asked &asked : asked_) {
            if (!asked.kept) {
                Evaluation &said = asked.said;
                said.value = values[position];
                for (const uint16_t action : said.legal)
                    said.priors.push_back(priors[size_t{position} * game_.actions + action]);
                ++position;
                if (game_.has_keys) cache_.keep(asked.state, said);
            }
            asked.slot->tree.evaluate(asked.node, asked.level, asked.kept ? *asked.kept : asked.said);
        }
        bool left = false;
        for (uint32_t index = 0; index < trees_; ++index) {
            Slot &slot = *slots_[index];
            for (uint32_t number = 0; number < slot.count; ++number)
                slot.tree.back_up(slot.selections[number].path, slot.selections[number].node);
            left |= slot.left > 0;
        }
        return left;
    }

    const Tree<NoLock> &tree(uint32_t index) const { return slots_[index]->tree; }
    uint32_t evaluations(uint32_t index) const { return slots_[index]->evaluations; }

  private:
    struct Selection {
        Path path;
        uint32_t node;
    };
    struct Slot {
        Tree<NoLock> tree;
        std::vector<Selection> selections;
        uint32_t count = 0, left = 0, evaluations = 0;
        Slot(const Scores &scores, const Game &game, uint32_t levels) : tree(scores, game, levels) {}
    };
    struct Asked {
        Slot *slot;
        uint32_t node;
        size_t level;
        const uint64_t *state;
        std::shared_ptr<const Evaluation> kept;
        Evaluation said;
    };

    const Scores &scores_;
    const Game &game_;
    EvaluationCache &cache_;
    const uint32_t levels_, workers_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Asked> asked_;
    uint32_t trees_ = 0;
};

}  // namespace rewardware
