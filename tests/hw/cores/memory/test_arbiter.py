"""Arbiters of memory ports: equality with the reference, and proofs."""

import numpy as np
import pytest
from amaranth.hdl import Assert, Cat, Module, Value
from amaranth.lib import wiring

from rewardware.hw.cores.memory.arbiter import ReadArbiter, WriteArbiter
from rewardware.hw.cores.memory.config import ArbiterConfig, MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.arbiter import ArbiterReference

from ...formal import prove
from ..bench_play import Expected
from ..side_by_side import SideBySide
from ..stimulus import flags

CYCLES = 400
WIDTH = 6
CONFIGS = {"one": ArbiterConfig(depth=5, users=1), "three": ArbiterConfig(depth=11, users=3, lanes=2)}


def decisions(config, asks):
    """Decisions of the reference on a table of requests: bits of the users who are granted, and conflicts."""
    reference = ArbiterReference(config.users)
    decided = [reference.decide(row) for row in asks]
    granted = np.array([0 if user is None else 1 << user for user, _ in decided])
    return granted, np.array([conflict for _, conflict in decided]), [user for user, _ in decided]


def asked(rng, config):
    """Addresses for every user, and who asks: nobody, one, all, anybody."""
    asks = flags(rng, (CYCLES, config.users), 0.5)
    asks[:3] = [[0] * config.users, [1] * config.users, [0] * (config.users - 1) + [1]]
    return asks, rng.integers(0, config.depth, (CYCLES, config.users))


def reads(name, config):
    """Inputs and outputs of a read arbiter."""
    rng = np.random.default_rng(config.users)
    asks, addresses = asked(rng, config)
    row = rng.integers(0, 1 << WIDTH, CYCLES)
    granted, conflict, users = decisions(config, asks)
    inputs = {f"{name}__port__data": row}
    chosen = np.array([0 if user is None else line[user] for user, line in zip(users, addresses, strict=True)])
    outputs = {
        f"{name}__granted": Expected(granted, 0),
        f"{name}__conflict": Expected(conflict, 0),
        f"{name}__port__enable": Expected(asks.any(axis=1), 0),
        f"{name}__port__address": Expected(chosen, 0, asks.any(axis=1)),
    }
    for user in range(config.users):
        inputs[f"{name}__users__{user}__enable"] = asks[:, user]
        inputs[f"{name}__users__{user}__address"] = addresses[:, user]
        outputs[f"{name}__users__{user}__data"] = Expected(row, 0)
    return inputs, outputs


def writes(name, config):
    """Inputs and outputs of a write arbiter; who writes does so to some lanes."""
    rng = np.random.default_rng(10 + config.users)
    asks, addresses = asked(rng, config)
    lanes = asks * rng.integers(1, 1 << config.lanes, asks.shape)
    rows = rng.integers(0, 1 << WIDTH, asks.shape)
    granted, conflict, users = decisions(config, asks)

    def chosen(table):
        return np.array([0 if user is None else line[user] for user, line in zip(users, table, strict=True)])

    inputs = {}
    outputs = {
        f"{name}__granted": Expected(granted, 0),
        f"{name}__conflict": Expected(conflict, 0),
        f"{name}__port__enable": Expected(chosen(lanes), 0),
        f"{name}__port__address": Expected(chosen(addresses), 0, asks.any(axis=1)),
        f"{name}__port__data": Expected(chosen(rows), 0, asks.any(axis=1)),
    }
    for user in range(config.users):
        inputs[f"{name}__users__{user}__enable"] = lanes[:, user]
        inputs[f"{name}__users__{user}__address"] = addresses[:, user]
        inputs[f"{name}__users__{user}__data"] = rows[:, user]
    return inputs, outputs


def test_equals_reference():
    # The arbiters have no clock; the bench takes that of a memory beside them.
    units, inputs, outputs = {"memory": Memory(1, MemoryConfig(depth=2))}, {}, {}
    for name, config in CONFIGS.items():
        for kind, arbiter, table in (("read", ReadArbiter, reads), ("write", WriteArbiter, writes)):
            units[f"{kind}_{name}"] = arbiter(WIDTH, config)
            given, expected = table(f"{kind}_{name}", config)
            inputs, outputs = inputs | given, outputs | expected
    simulate(SideBySide(units), bench="tests.hw.cores.bench_play", parameters={"inputs": inputs, "outputs": outputs})


class Promises(wiring.Component):
    """Only who asks is granted, the first of them, and the port does what that user wants.

    Parameters
    ----------
    arbiter : ReadArbiter or WriteArbiter
    """

    def __init__(self, arbiter):
        self._arbiter = arbiter
        self._writes = isinstance(arbiter, WriteArbiter)
        super().__init__({"users": arbiter.signature.members["users"]})

    def elaborate(self, platform):
        m = Module()
        m.submodules.arbiter = arbiter = self._arbiter
        asks = Cat(Value.cast(user.enable).any() for user in self.users)
        for user, (outside, inside) in enumerate(zip(self.users, arbiter.users, strict=True)):
            wiring.connect(m, wiring.flipped(outside), inside)
            granted = arbiter.granted[user]
            m.d.comb += Assert(granted == (asks[user] & ~asks[:user].any()))
            with m.If(granted):
                m.d.comb += Assert(arbiter.port.address == outside.address)
                m.d.comb += Assert(Value.cast(arbiter.port.enable) == outside.enable)
                if self._writes:
                    m.d.comb += Assert(arbiter.port.data == outside.data)
        m.d.comb += [
            Assert(Value.cast(arbiter.port.enable).any() == asks.any()),
            Assert(arbiter.conflict == ((Value.cast(asks) & (Value.cast(asks) - 1)) != 0)),
        ]
        return m


@pytest.mark.parametrize("arbiter", [ReadArbiter, WriteArbiter])
def test_promises_are_proved(arbiter, tmp_path):
    config = ArbiterConfig(depth=6, users=4, lanes=2)
    assert "successful proof by k-induction" in prove(Promises(arbiter(WIDTH, config)), tmp_path, depth=2)


class UnfairArbiter(ReadArbiter):
    """Takes the address of the last user, whoever is granted."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.users[-1].enable):
            m.d.comb += self.port.address.eq(self.users[-1].address)
        return m


def test_proof_finds_an_arbiter_that_breaks_them(tmp_path):
    with pytest.raises(AssertionError, match="Assert failed|FAIL"):
        prove(Promises(UnfairArbiter(WIDTH, ArbiterConfig(depth=6, users=3))), tmp_path, depth=2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"depth": 0, "users": 2}, "Depth must be from 1 to 16777216, not 0"),
        ({"depth": 4, "users": 0}, "Users must be from 1 to 64, not 0"),
        ({"depth": 4, "users": 2, "latency": 3}, "Latency must be from 0 to 2, not 3"),
        ({"depth": 4, "users": 2, "lanes": 0}, "Lanes must be from 1 to 1024, not 0"),
    ],
)
def test_bad_configuration_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        ArbiterConfig(**fields)
