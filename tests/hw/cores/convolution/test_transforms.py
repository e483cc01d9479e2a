"""Linear transforms of tiles and their transposition: against NumPy's products, and Winograd's against sums."""

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from rewardware.hw.cores.convolution.block_transposition import BlockTransposition
from rewardware.hw.cores.convolution.linear_transform import LinearTransform
from rewardware.hw.cores.convolution.row_transposition import RowTransposition
from rewardware.hw.cores.convolution.tile_transform import TileTransform
from rewardware.hw.cores.convolution.transform_config import (
    LinearTransformConfig,
    TranspositionConfig,
    winograd,
)
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.memory.config import TransposableConfig
from rewardware.sim.cocotb import simulate

ALL = {"F(2, 3)": winograd(2, 3), "F(4, 3)": winograd(4, 3)}


def check(component, comes, leaves, head, latency):
    """``head``: values that must be there before the first one leaves, ``latency`` cycles after the last of them."""
    simulate(
        component,
        bench="tests.hw.cores.convolution.bench_values",
        parameters={"comes": comes, "leaves": leaves, "head": head, "latency": latency},
        after_noise=True,
    )


@pytest.mark.parametrize("matrix", [ALL["F(2, 3)"].inputs, ALL["F(4, 3)"].inputs, ALL["F(2, 3)"].outputs, ((7, -64),)])
def test_linear_transform(matrix):
    config = LinearTransformConfig(matrix=matrix, lanes=3, width=8)
    rng = np.random.default_rng(len(matrix))
    blocks = rng.integers(-128, 128, (60, config.inputs, config.lanes))
    # What makes each result as small and as large as it can be.
    signs = np.array(matrix)
    blocks[: len(matrix)] = np.where(signs > 0, -128, 127)[..., None]
    blocks[len(matrix) : 2 * len(matrix)] = np.where(signs > 0, 127, -128)[..., None]
    check(
        LinearTransform(config),
        blocks.reshape(-1, config.lanes).tolist(),
        (np.array(matrix) @ blocks).reshape(-1, config.lanes).tolist(),
        config.inputs,
        1,
    )


@pytest.mark.parametrize(("lines", "columns"), [(4, 4), (3, 5), (6, 2), (1, 1)])
def test_transposition(lines, columns):
    values = np.random.default_rng(lines).integers(0, 1 << 9, (20, lines, columns))
    component = BlockTransposition(9, TranspositionConfig(lines=lines, columns=columns))
    check(component, values.ravel().tolist(), values.swapaxes(1, 2).ravel().tolist(), lines * columns, 1)


class OfOneSize(wiring.Component):
    """Blocks of so many planes, of which so many columns leave."""

    def __init__(self, config, planes, columns):
        self.turn, self.size = RowTransposition(config), {"planes": planes - 1, "columns": columns - 1}
        super().__init__({name: self.turn.signature.members[name] for name in ("i", "o")})

    def elaborate(self, platform):
        m = Module()
        m.submodules.turn = turn = self.turn
        for name in ("i", "o"):
            forward_port(m, turn, self, name)
        m.d.comb += turn.block.eq(turn.block.shape().const(self.size))
        return m


@pytest.mark.parametrize(
    ("lanes", "most", "planes", "columns"), [(3, 1, 1, 3), (4, 1, 1, 2), (3, 4, 4, 2), (4, 4, 3, 1), (5, 3, 1, 5)]
)
def test_row_transposition(lanes, most, planes, columns):
    blocks = np.random.default_rng(lanes).integers(-16, 16, (25, lanes, planes, lanes))
    config = TransposableConfig(lanes=lanes, rows=2 * most * lanes, width=5)
    turned = blocks.transpose(0, 2, 3, 1)[:, :, :columns]
    comes, leaves = (values.reshape(-1, lanes).tolist() for values in (blocks, turned))
    check(OfOneSize(config, planes, columns), comes, leaves, planes * lanes, 4)
    with pytest.raises(ValueError, match="Rows must be a multiple of twice the 3 lanes, not 9"):
        RowTransposition(TransposableConfig(lanes=3, rows=9))


def test_tiles():
    matrix = np.array(ALL["F(2, 3)"].inputs)
    tiles = np.random.default_rng(1).integers(-128, 128, (12, 4, 4, 2))
    made = np.einsum("xu,tuvl,yv->tyxl", matrix, tiles, matrix)
    first = LinearTransformConfig(matrix=ALL["F(2, 3)"].inputs, lanes=2, width=8)
    check(
        TileTransform(first, first.following(first.matrix)),
        tiles.reshape(-1, 2).tolist(),
        made.reshape(-1, 2).tolist(),
        4 * 4,
        4 + 4 + 1,
    )


@pytest.mark.parametrize("name", ALL)
def test_winograd_is_a_correlation(name):
    """``scale**2`` times what sliding a kernel over a tile gives."""
    found = ALL[name]
    rng = np.random.default_rng(0)
    b, g, a = (np.array(matrix) for matrix in (found.inputs, found.kernels, found.outputs))
    for _ in range(20):
        tile, kernel = rng.integers(-128, 128, (found.size, found.size)), rng.integers(-128, 128, (3, 3))
        made = a @ ((g @ kernel @ g.T) * (b @ tile @ b.T)) @ a.T
        slid = [[(tile[y : y + 3, x : x + 3] * kernel).sum() for x in range(found.tile)] for y in range(found.tile)]
        assert (made == found.scale**2 * np.array(slid)).all()


def test_widths_of_winograd():
    """Widths that a systolic array needs for operands in Winograd's space, from 8 bits."""
    widths = {}
    for name, found in ALL.items():
        both = [
            LinearTransformConfig(matrix=matrix, lanes=1, width=8).following(matrix)
            for matrix in (found.inputs, found.kernels)
        ]
        widths[name] = tuple(one.result_width for one in both)
    assert widths == {"F(2, 3)": (10, 12), "F(4, 3)": (15, 18)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: winograd(3, 3), r"Winograd's transform must be one of F\(2, 3\), F\(4, 3\), not F\(3, 3\)"),
        (
            lambda: LinearTransformConfig(matrix=((1, 2), (3,)), lanes=1),
            "Lines of the matrix must have 2 numbers, not 1",
        ),
        (lambda: LinearTransformConfig(matrix=((0, 0),), lanes=1), "Lines of the matrix must not be all zeros"),
        (
            lambda: LinearTransformConfig(matrix=((65,),), lanes=1),
            "Number of the matrix must be from -64 to 64, not 65",
        ),
        (lambda: TranspositionConfig(lines=0, columns=1), "Lines must be from 1 to 64, not 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
