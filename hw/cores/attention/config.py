"""Configuration of attention. No Amaranth here."""

from dataclasses import dataclass, replace

from ..checks import require_integer, require_kind, require_multiple, require_name
from ..float.config import FloatLaneConfig
from ..layer.config import BINARY32_LANE, LayerConfig

__all__ = ["LARGEST_BANKS", "PRODUCTS", "AttentionConfig", "OthersProductConfig", "sequential_sum_cycles"]

# Products of a vector with the vectors of the other agents: a number for each of them, or a sum of them.
PRODUCTS = ("scores", "sums")

LARGEST_AGENTS = 64
LARGEST_HEADS = 64
LARGEST_SIZE = 1024
LARGEST_BANKS = 64


def sequential_sum_cycles(arithmetic: FloatLaneConfig, count: int) -> int:
    """Cycles of a sum of ``count`` numbers, one after the other (:class:`.SequentialSum`)."""
    return 2 + (count - 1) * (arithmetic.adder_depth + 1)


@dataclass(frozen=True, kw_only=True)
class OthersProductConfig:
    """Products of each agent's vector with the vectors of all other agents, head by head.

    Parameters
    ----------
    agents : int
        N, 2 to 64.
    heads : int
        1 to 64.
    size : int
        Elements of a vector of a head (1 to 1024).
    product : str
        ``"scores"``: of ``size`` inputs a dot product with the vector of each other agent. ``"sums"``: of a weight for
        each other agent the weighted sum of their vectors.
    banks : int
        Experiences whose vectors are kept, the one that is being written included (2 to 64).
    arithmetic : FloatLaneConfig
        Format, and stages of adder and multiplier.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    agents: int
    heads: int
    size: int
    product: str
    banks: int = 2
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        require_integer("Agents", self.agents, 2, LARGEST_AGENTS)
        require_integer("Heads", self.heads, 1, LARGEST_HEADS)
        require_integer("Size", self.size, 1, LARGEST_SIZE)
        require_name("Product", self.product, PRODUCTS)
        require_integer("Banks", self.banks, 2, LARGEST_BANKS)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)

    @property
    def others(self) -> int:
        """Agents beside one."""
        return self.agents - 1

    @property
    def row(self) -> int:
        """Elements of an agent's vectors, head after head."""
        return self.heads * self.size

    @property
    def layer(self) -> LayerConfig:
        """The product as a layer whose weights are the vectors of the other agents."""
        sizes = (self.size, self.others) if self.product == "scores" else (self.others, self.size)
        return LayerConfig(
            inputs=sizes[0], outputs=sizes[1], units=1, activation="linear", bias=False, arithmetic=self.arithmetic
        )

    @property
    def cycles(self) -> int:
        """Cycles in which an agent's head is computed."""
        return self.layer.forward_cycles


@dataclass(frozen=True, kw_only=True)
class AttentionConfig:
    """Multi-head attention of N agents to each other.

    Parameters
    ----------
    agents : int
        N, 2 to 64.
    heads : int
        H, 1 to 64.
    key_size, value_size : int
        Elements of a key or query, and of a value, of a head (1 to 1024).
    arithmetic : FloatLaneConfig
        Format, and stages of adders and multipliers.
    waiting : int
        Experiences on their way from the forward to the backward half (2 to 62).
    parallel_heads : int
        PF_H, heads that are computed at the same time, each by cores of its own (a divisor of the heads).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; heads that are no multiple of the parallel ones.
    """

    agents: int
    heads: int
    key_size: int
    value_size: int
    arithmetic: FloatLaneConfig = BINARY32_LANE
    waiting: int = 4
    parallel_heads: int = 1

    def __post_init__(self):
        require_integer("Waiting", self.waiting, 2, LARGEST_BANKS - 2)
        _ = self.scores, self.messages
        require_integer("Parallel heads", self.parallel_heads, 1, self.heads)
        require_multiple("Heads", self.heads, "parallel heads", self.parallel_heads)

    @property
    def lane(self) -> "AttentionConfig":
        """Attention of the heads that one lane computes: every ``parallel_heads``-th one."""
        return replace(self, heads=self.heads // self.parallel_heads, parallel_heads=1)

    @property
    def others(self) -> int:
        """Agents beside one."""
        return self.agents - 1

    @property
    def scale(self) -> float:
        """By which scores are multiplied, ``1 / sqrt(key_size)``."""
        return self.key_size**-0.5

    @property
    def scale_bits(self) -> int:
        """The bit pattern of the scale."""
        return self.arithmetic.format.nearest(self.scale)

    @property
    def scores(self) -> OthersProductConfig:
        """Queries with the keys of the others."""
        return self.product("scores", self.key_size)

    @property
    def messages(self) -> OthersProductConfig:
        """Weights with the values of the others."""
        return self.product("sums", self.value_size)

    def product(self, product: str, size: int, banks: int = 2) -> OthersProductConfig:
        """A product of vectors of a size."""
        return OthersProductConfig(
            agents=self.agents, heads=self.heads, size=size, product=product, banks=banks, arithmetic=self.arithmetic
        )

    @property
    def sum_cycles(self) -> int:
        """Cycles of a sum over the other agents."""
        return sequential_sum_cycles(self.arithmetic, self.others)

    @property
    def forward_cycles(self) -> int:
        """Cycles of an experience in the forward half, if experiences follow each other.

        Cycles of the slowest core of a lane, or of the longest stream, which has the numbers of all heads.
        """
        return self._cycles(self.scores, self.messages)

    @property
    def backward_cycles(self) -> int:
        """Cycles of an experience in the backward half."""
        sizes = self.key_size, self.value_size
        return self._cycles(*(self.product(product, size) for product in PRODUCTS for size in sizes))

    @property
    def latency(self) -> int:
        """Cycles through either half beside those in which it waits for the rest of an experience, at most about that.

        Two products, a sum, and the operations between: of each product a multiplier, an adder and a tree of adders.
        """
        levels = (self.arithmetic.adder_depth - 1).bit_length()
        units = 6 * self.arithmetic.multiplier_depth + (3 + 2 * levels) * self.arithmetic.adder_depth
        products = (self.product(product, size) for product in PRODUCTS for size in (self.key_size, self.value_size))
        return 2 * max(product.cycles for product in products) + self.sum_cycles + units + 50

    def _cycles(self, *products: OthersProductConfig) -> int:
        head = max(self.sum_cycles, *(product.cycles for product in products))
        numbers = max(self.key_size, self.value_size, self.others)
        return self.agents * max(self.lane.heads * head, self.heads * numbers)
