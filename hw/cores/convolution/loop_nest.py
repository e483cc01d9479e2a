"""The finite-state machine that goes over a tensor: nested loops, an address a cycle."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from .loop_nest_config import LoopNestConfig

__all__ = ["LoopNest", "nest_command", "nest_values"]


def nest_values(config: LoopNestConfig) -> data.StructLayout:
    """A number of each field."""
    return data.StructLayout({field.name: field.width for field in config.fields})


def nest_command(config: LoopNestConfig) -> data.StructLayout:
    """Layout of a command: the loops of a nest.

    ``first``: the first values. ``counts``: iterations of each loop, the outermost first, at least 1. ``jumps``: what
    is added where a loop goes on, by :func:`.loop_nest_config.jumps`.
    """
    values = nest_values(config)
    return data.StructLayout(
        {
            "first": values,
            "counts": data.ArrayLayout(config.count_width, config.levels),
            "jumps": data.ArrayLayout(values, config.levels),
        }
    )


class LoopNest(ConfiguredComponent):
    """Steps through the values of nested loops, the innermost first.

    Where the innermost loop that is not over goes on, its jump is added to all fields: no loop keeps where it began. A
    digit carries into the field after it.

    Latency: a cycle from a command to its first values. Throughput: values a cycle, the next command's after the last
    of the one before without a gap. Back-pressure: that of ``o``.

    Parameters
    ----------
    config : LoopNestConfig

    Members
    -------
    commands : :py:`In(stream.Signature(nest_command(config)))`
    o : :py:`Out(stream.Signature(data.StructLayout({"values": nest_values(config), "ends": levels})))`
        ``ends`` has a bit for each loop, the outermost first: it, and all inside it, end with these values.

    Source
    ------
    DYNAMAP, Fig. 3.4 and Table 3.1: three loops with steps of a source and a destination address.
    """

    def __init__(self, config: LoopNestConfig):
        made = data.StructLayout({"values": nest_values(config), "ends": config.levels})
        super().__init__(
            config,
            {"commands": In(stream.Signature(nest_command(config))), "o": Out(stream.Signature(made))},
        )

    def elaborate(self, platform):
        m = Module()
        levels = self._config.levels
        active = Signal()
        command = Signal(layout_of_fields(nest_command(self._config), ("counts", "jumps")), reset_less=True)
        values = Signal(nest_values(self._config), reset_less=True)
        # Iterations that are done.
        done = [Signal(self._config.count_width, name=f"done_{level}") for level in range(levels)]
        over, ends = (Signal(levels, name=name) for name in ("over", "ends"))
        m.d.comb += over.eq(Cat(number + 1 == count for number, count in zip(done, command.counts, strict=True)))
        m.d.comb += ends.eq(Cat(over[level:].all() for level in range(levels)))

        jump = Signal(nest_values(self._config))
        m.d.comb += jump.eq(command.jumps[0])
        for level in range(1, levels):
            with m.If(~ends[level]):
                m.d.comb += jump.eq(command.jumps[level])

        m.d.comb += [
            self.o.valid.eq(active),
            self.o.payload.values.eq(values),
            self.o.payload.ends.eq(ends),
            self.commands.ready.eq(~active | self.o.ready & ends[0]),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += active.eq(~ends[0])
            m.d.sync += Cat(values[field.name] for field in self._config.fields).eq(self._sums(m, values, jump))
            for level in range(levels):
                # A loop goes on where all loops inside it are over, and begins again where it is over itself.
                inside = ends[level + 1] if level + 1 < levels else 1
                with m.If(inside):
                    m.d.sync += done[level].eq(Mux(over[level], 0, done[level] + 1))
        with m.If(self.commands.valid & self.commands.ready):
            payload = self.commands.payload
            m.d.sync += [active.eq(1), values.eq(payload.first), *take_fields(command, payload)]
        return m

    def _sums(self, m, values, jump):
        """The values after a jump."""
        sums, carry = [], 0
        for field in self._config.fields:
            total = Signal(field.width + 1, name=f"{field.name}_sum")
            m.d.comb += total.eq(values[field.name] + jump[field.name] + carry)
            if field.radix is None:
                sums.append(total[: field.width])
                carry = 0
                continue
            carries = Signal(name=f"{field.name}_carries")
            digit = Signal(field.width, name=f"{field.name}_digit")
            m.d.comb += [
                carries.eq(total >= field.radix),
                digit.eq(Mux(carries, total - field.radix, total)),
            ]
            sums.append(digit)
            carry = carries
        return Cat(sums)
