// Evaluations of positions, by the words of these. There are two generations: when the younger is full, the older goes.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tree.h"

namespace rewardware {

class EvaluationCache {
  public:
    EvaluationCache(size_t positions, uint32_t words) : limit_((positions + 1) / 2), words_(words) {}

    std::shared_ptr<const Evaluation> find(const uint64_t *state) {
        if (!limit_) return nullptr;
        const Key key(state, state + words_);
        const std::lock_guard<std::mutex> guard(mutex_);
        if (const auto found = young_.find(key); found != young_.end()) return ++hits_, found->second;
        const auto found = old_.find(key);
        if (found == old_.end()) return nullptr;
        const std::shared_ptr<const Evaluation> said = found->second;
        put(key, said);
        return ++hits_, said;
    }

    void keep(const uint64_t *state, const Evaluation &said) {
        if (!limit_) return;
        const std::lock_guard<std::mutex> guard(mutex_);
        put(Key(state, state + words_), std::make_shared<const Evaluation>(said));
    }

    // When the evaluator says other things from now on.
    void clear() {
        const std::lock_guard<std::mutex> guard(mutex_);
        young_.clear();
        old_.clear();
    }

    uint64_t hits() {
        const std::lock_guard<std::mutex> guard(mutex_);
        return hits_;
    }

  private:
    using Key = std::vector<uint64_t>;
    struct Hash {
        size_t operator()(const Key &key) const {
            uint64_t hash = 0;
            for (const uint64_t word : key) {
                hash = (hash ^ word) * 0x9e3779b97f4a7c15;
                hash ^= hash >> 32;
            }
            return hash;
        }
    };
    using Generation = std::unordered_map<Key, std::shared_ptr<const Evaluation>, Hash>;

    const size_t limit_;
    const uint32_t words_;
    std::mutex mutex_;
    Generation young_, old_;
    uint64_t hits_ = 0;

    void put(const Key &key, std::shared_ptr<const Evaluation> said) {
        if (young_.size() >= limit_) {
            old_ = std::move(young_);
            young_ = Generation();
        }
        young_[key] = std::move(said);
    }
};

}  // namespace rewardware
