"""A kernel that does nothing, with the ports and registers of one that moves rows from and to memory."""

import dataclasses
from types import SimpleNamespace

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.soc.bus.interfaces import BusInterface, Interrupt, Reset
from rewardware.hw.soc.bus.registers import Access, AddressMap, Register

__all__ = ["KernelConfig", "KernelTop"]

CONTROL = {
    "aw": {"addr": 12, "prot": 3, "valid": 1, "ready": -1},
    "w": {"data": 32, "strb": 4, "valid": 1, "ready": -1},
    "b": {"resp": -2, "valid": -1, "ready": 1},
    "ar": {"addr": 12, "prot": 3, "valid": 1, "ready": -1},
    "r": {"data": -32, "resp": -2, "valid": -1, "ready": 1},
}
BURST = {"addr": -64, "len": -8, "size": -3, "burst": -2, "valid": -1, "ready": 1}
READ = {"ar": BURST, "r": {"data": 512, "resp": 2, "last": 1, "valid": 1, "ready": -1}}
WRITE = {
    "aw": BURST,
    "w": {"data": -512, "strb": -64, "last": -1, "valid": -1, "ready": 1},
    "b": {"resp": 2, "valid": 1, "ready": -1},
}


@dataclasses.dataclass(frozen=True)
class KernelConfig:
    """Without parameters: its registers are always the same."""

    @property
    def shell(self):
        """What the description of a package reads: the registers."""
        words = ("rows_in_low", "rows_in_high", "rows", "rows_out_low", "rows_out_high")
        first = Register(name="identification", access=Access.CONSTANT, reset=1)
        registers = (Register(name=name, access=Access.READ_WRITE, description=f"Word {name}.") for name in words)
        return SimpleNamespace(
            address_map=AddressMap(name="kernel", items=(first, *registers)),
            configuration_hash=1,
            instruction_set=None,
            rows=(),
        )


class KernelTop(wiring.Component):
    """The ports."""

    clocks = ("ap_clk",)
    resets = (Reset(port="ap_rst_n", active_low=True, clock="ap_clk"),)
    interrupts = (Interrupt(port="interrupt", clock="ap_clk", reset="ap_rst_n"),)

    def __init__(self):
        members, interfaces = {"ap_clk": In(1), "ap_rst_n": In(1), "interrupt": Out(1)}, []
        for name, protocol, mode, channels, widths, pointers in (
            ("s_axi_control", "axi4lite", "slave", CONTROL, (32, 12), ()),
            ("m_axi_read", "axi4", "master", READ, (512, 64), ("rows_in_low",)),
            ("m_axi_write", "axi4", "master", WRITE, (512, 64), ("rows_out_low",)),
        ):
            ports = {}
            for channel, parts in channels.items():
                for part, width in parts.items():
                    ports[f"{channel}{part}".upper()] = f"{name}_{channel}{part}"
                    members[f"{name}_{channel}{part}"] = Out(-width) if width < 0 else In(width)
            interfaces.append(
                BusInterface(
                    name=name,
                    protocol=protocol,
                    mode=mode,
                    ports=ports,
                    clock="ap_clk",
                    reset="ap_rst_n",
                    data_width=widths[0],
                    address_width=widths[1],
                    pointers=pointers,
                )
            )
        self.interfaces = tuple(interfaces)
        super().__init__(members)

    def elaborate(self, platform):
        return Module()
