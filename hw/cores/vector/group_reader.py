"""Commands to the groups of a layer."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .matrix_config import MatrixConfig
from .matrix_layouts import command_layout, group_layout, table_port

__all__ = ["GroupReader", "group_token_layout"]


def group_token_layout(config: MatrixConfig):
    """A group of a command; ``end`` instead says that all of them have come."""
    return data.StructLayout({"end": 1, "group": group_layout(config)})


class GroupReader(ConfiguredComponent):
    """Reads the group table of a command from its first entry to its last, or in reverse, and marks the end.

    Latency: two cycles from a command to its first group. A command without groups ends after one. Throughput: a group
    a cycle, and a cycle for the end. Back-pressure: a group waits as long as it takes.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    commands : In(stream.Signature(command_layout(config)))
    command : Out(command_layout(config))
        The command whose groups are given. It stays until its end has been taken.
    active : Out(1)
        There is one.
    read_tables : Out(ReadPort)
    groups : Out(stream.Signature(group_token_layout(config)))

    Source
    ------
    LearningGroup, section III-B.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(config))),
                "command": Out(command_layout(config)),
                "active": Out(1),
                "read_tables": Out(table_port(config)),
                "groups": Out(stream.Signature(group_token_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        command, groups, tables = self.command, self.groups, self.read_tables
        left = Signal.like(command.groups)
        # The group at the table's output has not been taken yet.
        found, ended = Signal(), Signal()
        m.d.comb += [
            tables.enable.eq(self.active & (left != 0) & (~found | groups.ready)),
            groups.payload.group.eq(tables.data),
            groups.payload.end.eq(~found),
            groups.valid.eq(found | self.active & (left == 0)),
            ended.eq(groups.valid & groups.payload.end & groups.ready),
            self.commands.ready.eq(~self.active | ended),
        ]
        m.d.sync += found.eq(tables.enable | found & ~groups.ready)
        with m.If(tables.enable):
            m.d.sync += [
                left.eq(left - 1),
                tables.address.eq(Mux(command.reversed, tables.address - 1, tables.address + 1)),
            ]
        with m.If(ended):
            m.d.sync += self.active.eq(0)
        with m.If(self.commands.valid & self.commands.ready):
            offered = self.commands.payload
            m.d.sync += [
                self.active.eq(1),
                command.eq(offered),
                left.eq(offered.groups),
                tables.address.eq(Mux(offered.reversed, offered.table + offered.groups - 1, offered.table)),
            ]
        return m
