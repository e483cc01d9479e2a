"""Memories of every kind of port, for the tests of the emitter."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


class Memories(wiring.Component):
    """Memories with one write port and several read ports, all behind the same address and data.

    ``late`` is the word of a clocked read port, ``now`` that of one without a clock; ``given`` is of a memory whose
    first rows are given, ``single`` of one with one row.
    """

    DEPTH = 1500
    GIVEN = (3, 0, 9)

    def __init__(self):
        words = {name: Out(8) for name in ("late", "now", "given", "single")}
        super().__init__({"address": In(range(self.DEPTH)), "data": In(8), "write": In(1), "read": In(1), **words})

    def elaborate(self, platform):
        m = Module()

        def add(name, depth=self.DEPTH, init=()):
            m.submodules[name] = memory = Memory(shape=8, depth=depth, init=init)
            writer = memory.write_port()
            m.d.comb += [writer.addr.eq(self.address), writer.data.eq(self.data), writer.en.eq(self.write)]
            return memory

        memory = add("memory")
        readers = {"late": memory.read_port()}
        readers["given"] = add("given", init=self.GIVEN).read_port()
        readers["single"] = add("single", depth=1).read_port()
        for name, reader in readers.items():
            m.d.comb += [reader.addr.eq(self.address), reader.en.eq(self.read), getattr(self, name).eq(reader.data)]
        reader = memory.read_port(domain="comb")
        m.d.comb += [reader.addr.eq(self.address), self.now.eq(reader.data)]
        return m


class Split(wiring.Component):
    """Two memories that are equal, and one that is not."""

    def __init__(self):
        super().__init__({"address": In(4), "o": Out(24)})

    def elaborate(self, platform):
        m = Module()
        words = []
        for name, init in (("one", []), ("other", [0, 0]), ("third", [1])):
            m.submodules[name] = memory = Memory(shape=8, depth=16, init=init)
            reader = memory.read_port(domain="comb")
            m.d.comb += reader.addr.eq(self.address)
            words.append(reader.data)
        m.d.comb += self.o.eq(Cat(words))
        return m
