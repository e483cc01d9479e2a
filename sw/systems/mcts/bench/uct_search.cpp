// UCT on one thread, every node of the tree in one array, nothing allocated on the way: what the search engine is held
// against. FANOUT is the number of children; KEEPS_SCORES chooses between the two kinds of node.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

constexpr uint32_t NO_CHILD = ~0u;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct Parameters {
    double exploration;
    // roots[n] is exploration * sqrt(ln n) and factors[n] is 1 / sqrt(n). Only nodes that keep scores use them.
    std::vector<double> roots, factors;
};

uint32_t index_of_greatest(const double *scores) {
    uint32_t best = 0;
    double greatest = scores[0];
    for (uint32_t action = 1; action < FANOUT; ++action) {
        best = scores[action] > greatest ? action : best;
        greatest = scores[action] > greatest ? scores[action] : greatest;
    }
    return best;
}

// Counts and sums; the scores follow from them when a child is chosen, as the formula is written.
struct PlainNode {
    uint32_t visits = 0;
    uint32_t edge_visits[FANOUT] = {};
    uint32_t child[FANOUT];
    double total[FANOUT] = {};

    uint32_t choose(const Parameters &parameters) const {
        const double logarithm = std::log(static_cast<double>(visits));
        double scores[FANOUT];
        for (uint32_t action = 0; action < FANOUT; ++action) {
            const double count = edge_visits[action];
            const double bound = total[action] / count + parameters.exploration * std::sqrt(logarithm / count);
            scores[action] = edge_visits[action] ? bound : INFINITE;
        }
        return index_of_greatest(scores);
    }

    void update(uint32_t action, double reward, const Parameters &) {
        ++visits;
        ++edge_visits[action];
        total[action] += reward;
    }
};

// Means and roots of counts, which only a backup changes: a choice takes a multiplication and an addition a child.
struct ScoredNode {
    uint32_t visits = 0;
    uint32_t edge_visits[FANOUT] = {};
    uint32_t child[FANOUT];
    double value[FANOUT], factor[FANOUT] = {};

    ScoredNode() {
        for (double &mean : value) mean = INFINITE;
    }

    uint32_t choose(const Parameters &parameters) const {
        const double root = parameters.roots[visits];
        double scores[FANOUT];
        for (uint32_t action = 0; action < FANOUT; ++action) scores[action] = value[action] + root * factor[action];
        return index_of_greatest(scores);
    }

    void update(uint32_t action, double reward, const Parameters &parameters) {
        ++visits;
        const uint32_t count = ++edge_visits[action];
        value[action] = count == 1 ? reward : value[action] + (reward - value[action]) / count;
        factor[action] = parameters.factors[count];
    }
};

#if KEEPS_SCORES
using Node = ScoredNode;
#else
using Node = PlainNode;
#endif

struct Edge {
    uint32_t node, action;
};

struct Tree {
    Parameters parameters;
    std::vector<Node> nodes;
    std::vector<Edge> path;
    uint32_t used = 0;

    uint32_t insert() {
        Node &node = nodes[used];
        node = Node();
        for (uint32_t &child : node.child) child = NO_CHILD;
        return used++;
    }
};

// The simulation: a reward in [-1, 1), always the same of the same edge (splitmix64).
double simulate(uint64_t seed, Edge edge) {
    uint64_t value = seed + (uint64_t{edge.node} * FANOUT + edge.action) * 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return static_cast<double>(static_cast<int64_t>(value ^ value >> 31)) * 0x1p-63;
}

}  // namespace

extern "C" {

Tree *make_tree(uint32_t nodes, uint32_t levels, uint64_t simulations, double exploration) {
    Tree *tree = new Tree;
    tree->nodes.resize(nodes);
    tree->path.resize(levels);
    tree->parameters.exploration = exploration;
    for (uint64_t count = 0; count <= simulations; ++count) {
        const double number = static_cast<double>(count);
        tree->parameters.roots.push_back(count > 1 ? exploration * std::sqrt(std::log(number)) : 0);
        tree->parameters.factors.push_back(count ? 1 / std::sqrt(number) : 0);
    }
    return tree;
}

void free_tree(Tree *tree) { delete tree; }

// A new tree after as many simulations as it was made for, or fewer; the sum of the lengths of their paths.
uint64_t search(Tree *tree, uint64_t simulations, uint64_t seed) {
    const Parameters &parameters = tree->parameters;
    Node *nodes = tree->nodes.data();
    Edge *path = tree->path.data();
    const uint64_t most_edges = tree->path.size() - 1;
    uint64_t edges = 0;
    tree->used = 0;
    tree->insert();
    for (uint64_t simulation = 0; simulation < simulations; ++simulation) {
        uint64_t length = 0;
        for (uint32_t node = 0; node != NO_CHILD && length < most_edges; ++length) {
            const uint32_t action = nodes[node].choose(parameters);
            path[length] = {node, action};
            const uint32_t child = nodes[node].child[action];
            if (child == NO_CHILD && tree->used < tree->nodes.size()) nodes[node].child[action] = tree->insert();
            node = child;
        }
        const double reward = simulate(seed, path[length - 1]);
        for (uint64_t level = 0; level < length; ++level)
            nodes[path[level].node].update(path[level].action, reward, parameters);
        edges += length;
    }
    return edges;
}

uint32_t count_nodes(const Tree *tree) { return tree->used; }

// Gives the visits of each node's edges and its children's numbers, in the order of insertion.
void read_edges(const Tree *tree, uint32_t *visits, uint32_t *children) {
    for (uint32_t node = 0; node < tree->used; ++node)
        for (uint32_t action = 0; action < FANOUT; ++action) {
            *visits++ = tree->nodes[node].edge_visits[action];
            *children++ = tree->nodes[node].child[action];
        }
}
}
