"""Signals by the specifications of AXI (IHI 0022) and AXI4-Stream (IHI 0051): who drives them, how wide."""

__all__ = ["check_bus"]

DRIVEN_BY_MASTER = {
    "aximm": {
        *("AWID", "AWADDR", "AWLEN", "AWSIZE", "AWBURST", "AWLOCK", "AWCACHE", "AWPROT", "AWQOS", "AWREGION"),
        *("ARID", "ARADDR", "ARLEN", "ARSIZE", "ARBURST", "ARLOCK", "ARCACHE", "ARPROT", "ARQOS", "ARREGION"),
        *("AWVALID", "ARVALID", "WDATA", "WSTRB", "WLAST", "WVALID", "BREADY", "RREADY"),
    },
    "axis": {"TDATA", "TKEEP", "TSTRB", "TLAST", "TVALID", "TID", "TDEST", "TUSER"},
}
DRIVEN_BY_SLAVE = {
    "aximm": {"AWREADY", "ARREADY", "WREADY", "BID", "BRESP", "BVALID", "RID", "RDATA", "RRESP", "RLAST", "RVALID"},
    "axis": {"TREADY"},
}
WRITE = {"AWADDR", "AWVALID", "AWREADY", "WDATA", "WSTRB", "WVALID", "WREADY", "BRESP", "BVALID", "BREADY"}
READ = {"ARADDR", "ARVALID", "ARREADY", "RDATA", "RRESP", "RVALID", "RREADY"}
# A bus has all signals of one of these sets; a master of AXI4 may only read or only write.
NEEDED = {
    "axi4lite": [WRITE | READ | {"AWPROT", "ARPROT"}],
    "axi4": [
        *(WRITE | READ | {"AWLEN", "ARLEN", "AWSIZE", "ARSIZE", "AWBURST", "ARBURST", "WLAST", "RLAST"},),
        *(READ | {"ARLEN", "ARSIZE", "ARBURST", "RLAST"}, WRITE | {"AWLEN", "AWSIZE", "AWBURST", "WLAST"}),
    ],
    "axi4stream": [{"TDATA", "TVALID", "TREADY", "TLAST"}],
}
WIDTHS = {
    **{f"{channel}LEN": 8 for channel in ("AW", "AR")},
    **{f"{channel}SIZE": 3 for channel in ("AW", "AR")},
    **{f"{channel}BURST": 2 for channel in ("AW", "AR")},
    **{f"{channel}PROT": 3 for channel in ("AW", "AR")},
    **{f"{channel}CACHE": 4 for channel in ("AW", "AR")},
    **{f"{channel}QOS": 4 for channel in ("AW", "AR")},
    **{f"{channel}RESP": 2 for channel in ("B", "R")},
}


def check_bus(protocol, mode, ports, module):
    """Ports of a module are a bus: none is missing, each has the direction and the bits of its role.

    Parameters
    ----------
    protocol, mode : str
        ``"axi4lite"``, ``"axi4"`` or ``"axi4stream"``; ``"slave"`` or ``"master"``.
    ports : dict
        Port by the name that the specification gives it.
    module : dict
        Direction and bits of every port of the module.
    """
    kind = "axis" if protocol == "axi4stream" else "aximm"
    assert set(ports) <= DRIVEN_BY_MASTER[kind] | DRIVEN_BY_SLAVE[kind]
    assert any(needed <= set(ports) for needed in NEEDED[protocol]), f"{protocol} lacks signals: {sorted(ports)}"
    widths = {role: module[port][1] for role, port in ports.items()}
    for role, port in ports.items():
        driven = role in (DRIVEN_BY_MASTER if mode == "master" else DRIVEN_BY_SLAVE)[kind]
        assert module[port][0] == ("out" if driven else "in"), f"{port} is no {role} of a {mode}"
        single = role.endswith(("VALID", "READY", "LAST"))
        expected = 1 if single else WIDTHS.get(role, widths[role])
        assert widths[role] == expected, f"{port} has {widths[role]} bits, {role} has {expected}"
    for strobe, data in (("WSTRB", "WDATA"), ("TKEEP", "TDATA")):
        if strobe in ports:
            assert 8 * widths[strobe] == widths[data]
    for read, written in (("RDATA", "WDATA"), ("ARADDR", "AWADDR")):
        if {read, written} <= set(ports):
            assert widths[read] == widths[written]
