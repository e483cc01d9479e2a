"""A system's memories as a host sees them: memory, core, row."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import or_tree
from ..component import ConfiguredComponent
from ..pipeline import delay
from .host_map_config import HostMapConfig, HostRegion
from .ports import ReadPort, WritePort

__all__ = ["HostMap", "HostPort", "access_layout", "answer_layout"]


def access_layout(config: HostMapConfig):
    """A row that a host reads or writes.

    ``memory`` is a region's number; ``core`` that of a copy, all ones for every copy of a write, and ignored where
    there is one copy; ``row`` a host's row of a core; ``index`` the row of its memory modulo ``config.modulus``;
    ``data`` what is written.
    """
    return data.StructLayout(
        {
            "memory": config.number_width,
            "core": config.core_width,
            "row": range(max(config.rows, 2)),
            "index": range(max(config.modulus, 2)),
            "write": 1,
            "data": config.width,
        }
    )


def answer_layout(config: HostMapConfig):
    """The answer to a read, while ``valid``.

    ``data`` is the host's row. ``row`` is the memory's row that it is a part of: zeros for a region without parts,
    unless no region has any.
    """
    return data.StructLayout({"valid": 1, "data": config.width, "row": config.row_width})


class HostPort(wiring.Signature):
    """A host's ports of one memory, seen from the host.

    Parameters
    ----------
    region : HostRegion
    modulus : int
        Modulus of the host's map.

    Members
    -------
    read : Out(ReadPort(row_width, depth, latency))
        Only of a region that is readable.
    write : Out(WritePort(row_width, depth, lanes=parts))
    index : Out(range(modulus))
        The memory's row modulo ``modulus``; a bit without meaning where that is 1.
    read_granted, write_granted : In(1)
        The memory takes the read, or the write, of this cycle; where nobody drives it, always. ``read_granted`` only of
        a region that is readable.
    """

    def __init__(self, region: HostRegion, modulus: int = 1):
        row = unsigned(region.row_width)
        members = {
            "write": Out(WritePort(row, region.depth, region.parts)),
            "index": Out(range(max(modulus, 2))),
            "write_granted": In(1, init=1),
        }
        if region.readable:
            members["read"] = Out(ReadPort(row, region.depth, region.latency))
            members["read_granted"] = In(1, init=1)
        super().__init__(members)

    def __eq__(self, other):
        return type(other) is type(self) and self.members == other.members


class HostMap(ConfiguredComponent):
    """Shows a host the memories of a system as rows of numbered memories of numbered cores.

    An access goes to the port of its region, core and bank, and waits there until it is granted. The answer of a read
    is chosen among the regions of a core, first among those whose rows have parts, of which one is taken, then among
    the cores; regions whose data come early wait for those whose data come late in a delay line. A number that no
    region has, a row past a region's end and a core that is not there reach no memory; a read of them, and of a
    region that is not readable, is answered with something. A write to every core waits until all of its memories grant
    it in one cycle; those that grant it before get the same row several times.

    ::

        accesses -> (register) -> region, bank, part -> HostPort of each memory
        answers <- core <-+- part <- region, bank <---+  (with parts)
                          '--------- region, bank <---'  (without)

    Latency: ``config.latency`` cycles from an access that is granted at once to its answer. Throughput: an access a
    cycle while granted. Back-pressure: ``accesses`` waits for the memory's grant; answers do not wait.

    Parameters
    ----------
    config : HostMapConfig

    Members
    -------
    accesses : In(stream.Signature(access_layout))
    answers : Out(answer_layout)
    waiting : Out(1)
        An access that was taken waits for its memory.
    <name of a region> : Out(HostPort(region)).array(cores, banks)
        One port a memory.
    """

    def __init__(self, config: HostMapConfig):
        super().__init__(
            config,
            {
                "accesses": In(stream.Signature(access_layout(config))),
                "answers": Out(answer_layout(config)),
                "waiting": Out(1),
                **{
                    region.name: Out(HostPort(region, config.modulus)).array(region.cores, region.banks)
                    for region in config.regions
                },
            },
        )

    @property
    def latency(self):
        """Cycles from an access to its answer, while no port makes it wait."""
        return self._config.latency

    def elaborate(self, platform):
        m = Module()
        valid, access = self._arriving(m)
        waits = []
        for place, (region, bank) in enumerate(self._targets):
            for core, ports in enumerate(getattr(self, region.name)):
                here = Signal(name=f"here_{region.name}_{core}_{bank}")
                m.d.comb += here.eq(valid & access.targets[place])
                if region.cores > 1:
                    every = access.core == self._config.every_core
                    m.d.comb += here.eq(valid & access.targets[place] & ((access.core == core) | every))
                waits.append(_ask(m, ports[bank], access, here))
        taken, reads = Signal(), Signal()
        m.d.comb += [taken.eq(~Cat(waits).any()), reads.eq(valid & taken & ~access.write)]
        if self._config.registered:
            m.d.comb += [self.accesses.ready.eq(~valid | taken), self.waiting.eq(valid)]
        else:
            m.d.comb += self.accesses.ready.eq(taken)
        self._answer(m, reads, access)
        return m

    @property
    def _targets(self):
        """Region and bank of each memory of a core."""
        return [(region, bank) for region in self._config.regions for bank in range(region.banks)]

    def _decoded_layout(self):
        config = self._config
        return data.StructLayout(
            {
                "targets": len(self._targets),
                "core": config.core_width,
                "row": range(max(2, *(region.depth for region in config.regions))),
                "part": range(max(config.parts, 2)),
                "index": range(max(config.modulus, 2)),
                "write": 1,
                "data": config.width,
            }
        )

    def _arriving(self, m):
        """The access at the memories' ports: decoded, and registered if the configuration says so."""
        asked = self.accesses.payload
        decoded = Signal(self._decoded_layout())
        m.d.comb += [decoded[name].eq(asked[name]) for name in ("core", "row", "index", "write", "data")]
        for place, (region, bank) in enumerate(self._targets):
            first, parts = bank * region.bank_rows, region.parts
            here = Signal(name=f"is_{region.name}_{bank}")
            m.d.comb += [
                here.eq((asked.memory == region.number) & _within(asked.row, first, first + region.bank_rows)),
                decoded.targets[place].eq(here),
            ]
            with m.If(here):
                m.d.comb += [
                    decoded.row.eq((asked.row - first) >> parts.bit_length() - 1),
                    # A bank begins with a whole row of its memory.
                    decoded.part.eq(asked.row & (parts - 1)),
                ]
        if not self._config.registered:
            return self.accesses.valid, decoded
        valid, registered = Signal(), Signal(self._decoded_layout(), reset_less=True)
        with m.If(self.accesses.ready):
            m.d.sync += [valid.eq(self.accesses.valid), registered.eq(decoded)]
        return valid, registered

    def _answer(self, m, reads, access):
        """Answers a read, from its core's delay line."""
        config = self._config
        last = config.read_latency
        valid = delay(m, reads, last + 1, "reads", reset_less=False)
        targets = [access.targets]
        for cycle in range(last):
            targets.append(delay(m, targets[-1], 1, f"targets_{cycle}"))
        part = delay(m, access.part, last, "part")
        asked = Signal(config.core_width)
        copied = [access.targets[place] for place, (region, _) in enumerate(self._targets) if region.cores > 1]
        m.d.comb += asked.eq(Mux(Cat(copied).any(), access.core, 0))
        core = delay(m, asked, last + 1, "core")
        rows, answers = [], []
        for number in range(config.cores):
            whole = self._found(m, f"whole_{number}", number, targets, lambda region: region.parts > 1)
            found = self._found(m, f"found_{number}", number, targets, lambda region: region.parts == 1)
            if len(whole):
                width = next(region.width for region in config.readable if region.parts > 1)
                found = found | whole.word_select(part, width)
            row = Signal(config.row_width, name=f"row_{number}", reset_less=True)
            answer = Signal(config.width, name=f"data_{number}", reset_less=True)
            m.d.sync += [row.eq(whole if len(whole) else found), answer.eq(found)]
            rows.append(row)
            answers.append(answer)
        m.d.comb += [self.answers.valid.eq(valid), self.answers.row.eq(rows[0]), self.answers.data.eq(answers[0])]
        with m.Switch(core):
            for number in range(1, config.cores):
                with m.Case(number):
                    m.d.comb += [self.answers.row.eq(rows[number]), self.answers.data.eq(answers[number])]

    def _found(self, m, name, core, targets, belongs):
        """The row that is read in a core when the data of the slowest region are there; zeros if it does not belong."""
        found = Const(0, 0)
        for latency in range(1, len(targets)):
            if latency > 1:
                found = delay(m, found, 1, f"{name}_{latency}")
            rows = [found] if len(found) else []
            for place, (region, bank) in enumerate(self._targets):
                # A block memory is late in its cycle: a row that waits does so before it is chosen.
                waits = region.latency < len(targets) - 1
                if region.readable and region.latency + waits == latency and core < region.cores and belongs(region):
                    row = getattr(self, region.name)[core][bank].read.data
                    row = delay(m, row, int(waits), f"{name}_{region.name}_{bank}")
                    rows.append(Mux(targets[latency][place], row, 0))
            # An access has one target: what it does not read is zeros.
            joined = Signal(max((len(row) for row in rows), default=0), name=f"{name}_joined_{latency}")
            m.d.comb += joined.eq(or_tree(rows))
            found = joined
        return found


def _within(row, first, end):
    """Whether a row is one of a bank's. Bounds that every row keeps are not written: linters warn of them."""
    within = row < end if end < 1 << len(row) else Const(1)
    return within & (row >= first) if first else within


def _ask(m, port, access, here):
    """An access at the port of a memory, which takes it if ``here``; whether it must wait."""
    lanes = len(port.write.enable)
    writes = here & access.write
    m.d.comb += [
        port.index.eq(access.index),
        port.write.enable.eq(Mux(writes, 1 << access.part if lanes > 1 else 1, 0)),
        port.write.address.eq(access.row),
        port.write.data.eq(access.data[: len(port.write.data) // lanes].replicate(lanes)),
    ]
    if "read" not in port.signature.members:
        return writes & ~port.write_granted
    m.d.comb += [port.read.enable.eq(here & ~access.write), port.read.address.eq(access.row)]
    return here & ~Mux(access.write, port.write_granted, port.read_granted)
