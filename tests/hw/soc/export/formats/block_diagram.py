"""Vivado's block designs as stubs: cells with the pins that their manuals give them, and checked connections."""

import dataclasses
from pathlib import Path

from .interpreter import Command, ScriptError

__all__ = ["BlockDiagram", "Cell"]

POWERS = {str(1 << power) for power in range(3, 11)}


@dataclasses.dataclass(eq=False)
class Cell:
    """A cell.

    Parameters
    ----------
    name, ip : str
    settings : dict
        Properties that were set, by name without ``CONFIG.``.
    """

    name: str
    ip: str
    settings: dict[str, str] = dataclasses.field(default_factory=dict)

    def number(self, setting, default):
        """A setting as a number."""
        return int(self.settings.get(setting, default))


@dataclasses.dataclass(frozen=True)
class Pins:
    """Pins of a cell that can be connected.

    Parameters
    ----------
    inputs, outputs : set of str
        Names of its pins; those inputs need a driver.
    optional : set of str
        Inputs that need none.
    masters, slaves : dict
        ``"aximm"`` or ``"axis"`` by interface, and of a stream its bits where the cell says them.
    """

    inputs: set[str] = dataclasses.field(default_factory=set)
    outputs: set[str] = dataclasses.field(default_factory=set)
    optional: set[str] = dataclasses.field(default_factory=set)
    masters: dict[str, tuple[str, int | None]] = dataclasses.field(default_factory=dict)
    slaves: dict[str, tuple[str, int | None]] = dataclasses.field(default_factory=dict)


MEMORY = ("aximm", None)


def _smartconnect(cell):
    return Pins(
        inputs={"aclk", "aresetn"},
        slaves={f"S{number:02}_AXI": MEMORY for number in range(cell.number("NUM_SI", 2))},
        masters={f"M{number:02}_AXI": MEMORY for number in range(cell.number("NUM_MI", 1))},
    )


def _axi_dma(cell):
    """PG021. Without scatter and gather; its memory side is at least as wide as its stream."""
    stream, memory, written = (
        cell.settings[name]
        for name in ("c_m_axis_mm2s_tdata_width", "c_m_axi_mm2s_data_width", "c_m_axi_s2mm_data_width")
    )
    if cell.settings["c_include_sg"] != "0" or stream not in POWERS or not {memory, written} <= POWERS - {"8", "16"}:
        raise ScriptError(f"an AXI DMA is not configured so: {cell.settings}")
    if int(memory) < int(stream) or not 8 <= cell.number("c_sg_length_width", 14) <= 26:
        raise ScriptError(f"an AXI DMA is not configured so: {cell.settings}")
    return Pins(
        inputs={"s_axi_lite_aclk", "m_axi_mm2s_aclk", "m_axi_s2mm_aclk", "axi_resetn"},
        outputs={"mm2s_introut", "s2mm_introut", "mm2s_prmry_reset_out_n", "s2mm_prmry_reset_out_n"},
        slaves={"S_AXI_LITE": MEMORY, "S_AXIS_S2MM": ("axis", None)},
        masters={"M_AXI_MM2S": MEMORY, "M_AXI_S2MM": MEMORY, "M_AXIS_MM2S": ("axis", int(stream))},
    )


def _axis_dwidth_converter(cell):
    """PG085."""
    slave, master = cell.number("S_TDATA_NUM_BYTES", 1), cell.number("M_TDATA_NUM_BYTES", 1)
    if not 1 <= min(slave, master) <= max(slave, master) <= 512:
        raise ScriptError(f"a converter of widths is not configured so: {cell.settings}")
    return Pins(
        inputs={"aclk", "aresetn"},
        slaves={"S_AXIS": ("axis", 8 * slave)},
        masters={"M_AXIS": ("axis", 8 * master)},
    )


def _axi_intc(cell):
    """PG099. One line out instead of a bus."""
    assert cell.settings["C_IRQ_CONNECTION"] == "1"
    return Pins(inputs={"s_axi_aclk", "s_axi_aresetn", "intr"}, outputs={"irq"}, slaves={"s_axi": MEMORY})


def _xlconcat(cell):
    return Pins(inputs={f"In{number}" for number in range(cell.number("NUM_PORTS", 2))}, outputs={"dout"})


def _proc_sys_reset(cell):
    """PG164."""
    return Pins(
        inputs={"slowest_sync_clk", "ext_reset_in"},
        optional={"aux_reset_in", "mb_debug_sys_rst", "dcm_locked"},
        outputs={
            *("mb_reset", "bus_struct_reset", "peripheral_reset"),
            *("interconnect_aresetn", "peripheral_aresetn"),
        },
    )


def _processing_system7(cell):
    """PG082."""
    on = {name for name, value in cell.settings.items() if value == "1"}
    return Pins(
        inputs={
            *(["M_AXI_GP0_ACLK"] if "PCW_USE_M_AXI_GP0" in on else []),
            *(["S_AXI_HP0_ACLK"] if "PCW_USE_S_AXI_HP0" in on else []),
            *(["IRQ_F2P"] if {"PCW_USE_FABRIC_INTERRUPT", "PCW_IRQ_F2P_INTR"} <= on else []),
        },
        outputs={"FCLK_RESET0_N", *(f"FCLK_CLK{n}" for n in range(4) if f"PCW_EN_CLK{n}_PORT" in on)},
        masters={"M_AXI_GP0": MEMORY} if "PCW_USE_M_AXI_GP0" in on else {},
        slaves={"S_AXI_HP0": MEMORY} if "PCW_USE_S_AXI_HP0" in on else {},
    )


def _zynq_ultra_ps_e(cell):
    """PG201. The ports GP0 and GP1 to the fabric are those to the full power domain, and there by default."""
    on = {name for name, value in cell.settings.items() if value == "1"}
    off = {name for name, value in cell.settings.items() if value == "0"}
    masters = {"M_AXI_HPM0_FPD": "GP0", "M_AXI_HPM1_FPD": "GP1", "M_AXI_HPM0_LPD": "GP2"}
    masters = {name: MEMORY for name, port in masters.items() if f"PSU__USE__M_AXI_{port}" not in off}
    slaves = {"S_AXI_HP0_FPD": MEMORY} if "PSU__USE__S_AXI_GP2" in on else {}
    return Pins(
        inputs={
            *(f"maxi{name.removeprefix('M_AXI_').lower()}_aclk" for name in masters),
            *(f"saxi{name.removeprefix('S_AXI_').lower()}_aclk" for name in slaves),
            *(["pl_ps_irq0"] if "PSU__USE__IRQ0" in on else []),
        },
        outputs={"pl_resetn0", *(f"pl_clk{n}" for n in range(4) if f"PSU__FPGA_PL{n}_ENABLE" in on)},
        masters=masters,
        slaves=slaves,
    )


CATALOGUE = {
    "smartconnect": _smartconnect,
    "axi_dma": _axi_dma,
    "axis_dwidth_converter": _axis_dwidth_converter,
    "axi_intc": _axi_intc,
    "xlconcat": _xlconcat,
    "proc_sys_reset": _proc_sys_reset,
    "processing_system7": _processing_system7,
    "zynq_ultra_ps_e": _zynq_ultra_ps_e,
}

# Settings of cells, and what those of the processing systems begin with.
SETTINGS = {
    "smartconnect": "NUM_SI NUM_MI",
    "axi_dma": "c_include_sg c_sg_length_width c_addr_width c_m_axis_mm2s_tdata_width c_m_axi_mm2s_data_width "
    "c_m_axi_s2mm_data_width",
    "axis_dwidth_converter": "S_TDATA_NUM_BYTES M_TDATA_NUM_BYTES",
    "axi_intc": "C_IRQ_CONNECTION",
    "xlconcat": "NUM_PORTS",
    "processing_system7": "PCW_",
    "zynq_ultra_ps_e": "PSU__",
}


class BlockDiagram:
    """A block design.

    Parameters
    ----------
    session : Vivado
        Knows the project and the cores that were packaged.
    name : str

    Attributes
    ----------
    cells : dict of Cell by name
    wires, buses : dict
        Driver or master of each input and slave, as ``"cell/pin"``.
    done : list of str
        Commands that were done with the whole of it.
    """

    def __init__(self, session, name):
        self.session = session
        self.name = name
        self.cells: dict[str, Cell] = {}
        self.wires: dict[str, str] = {}
        self.buses: dict[str, str] = {}
        self.done: list[str] = []
        self.automation: dict[str, str] = {}

    @staticmethod
    def commands(session):
        """The commands of block designs."""

        def on_diagram(method):
            return lambda call: getattr(session.diagram, method)(call)

        def create(call):
            session.diagram = BlockDiagram(session, *call.words)

        def step(call):
            session.diagram.done.append(call.name)

        return {
            "create_bd_design": Command(range(1, 2), run=create),
            "create_bd_cell": Command(range(1, 2), options="type vlnv", run=on_diagram("create_cell")),
            "get_bd_cells": Command(range(1, 2), run=on_diagram("get_cell")),
            "get_bd_pins": Command(range(1, 2), run=lambda call: call.words[0]),
            "get_bd_intf_pins": Command(range(1, 2), run=lambda call: call.words[0]),
            "connect_bd_net": Command(range(2, 3), run=on_diagram("connect")),
            "connect_bd_intf_net": Command(range(2, 3), run=on_diagram("connect_bus")),
            "apply_bd_automation": Command(range(1, 2), options="rule config", run=on_diagram("automate")),
            "assign_bd_address": Command(range(1), run=step),
            "validate_bd_design": Command(range(1), run=lambda call: (session.diagram.check(), step(call))[0]),
            "save_bd_design": Command(range(1), run=step),
            "get_files": Command(range(1, 2), run=on_diagram("file")),
            "generate_target": Command(range(2, 3), run=on_diagram("generate")),
            "make_wrapper": Command(range(1), "top", "files", on_diagram("wrapper")),
            "launch_runs": Command(range(1, 2), options="to_step jobs", run=on_diagram("launch")),
            "wait_on_run": Command(range(1, 2)),
            "get_runs": Command(range(1, 2), run=on_diagram("runs")),
            "open_run": Command(range(1, 2)),
            "write_hw_platform": Command(range(1), "fixed include_bit force", "file", step),
        }

    def create_cell(self, call):
        (name,) = call.words
        if name in self.cells or call.options["type"] != "ip":
            raise ScriptError(f"cell {name} cannot be created")
        *_, ip = call.options["vlnv"].split(":")[:3]
        if ip not in CATALOGUE and call.options["vlnv"] not in self._cores():
            raise ScriptError(f"the catalogue has no {call.options['vlnv']}")
        self.cells[name] = Cell(name, ip if ip in CATALOGUE else call.options["vlnv"])

    def _cores(self):
        """Cores in the folders that the project takes some from."""
        folder = Path(self.session.project.properties["ip_repo_paths"])
        return {name: core for name, (core, place) in self.session.cores.items() if place == folder}

    def get_cell(self, call):
        cell = self.cells[call.words[0]]
        return self.session.settings_of(cell)

    def pins(self, cell):
        """Pins of a cell that can be connected."""
        known = SETTINGS.get(cell.ip, "").split()
        for name in cell.settings:
            if not (name in known or any(part.endswith("_") and name.startswith(part) for part in known)):
                raise ScriptError(f"{cell.ip} has no setting {name}")
        if cell.ip in CATALOGUE:
            return CATALOGUE[cell.ip](cell)
        pins = Pins()
        core = self._cores()[cell.ip]
        for name, interface in core.all("bus_interface").items():
            kind = interface.properties["bus_type_vlnv"].split(":")[2]
            mapped = {logical: part.properties["physical_name"] for logical, part in interface.all("port_map").items()}
            if kind in ("aximm", "axis"):
                width = core.ports[mapped["TDATA"]][1] if kind == "axis" else None
                ends = {"master": pins.masters, "slave": pins.slaves}[interface.properties["interface_mode"]]
                ends[name] = (kind, width)
            else:
                (port,) = mapped.values()
                {"in": pins.inputs, "out": pins.outputs}[core.ports[port][0]].add(port)
        return pins

    def _end(self, place):
        name, _, pin = place.partition("/")
        if name not in self.cells:
            raise ScriptError(f"there is no cell {name}")
        return self.pins(self.cells[name]), pin

    def connect(self, call):
        (driver, sink) = call.words
        (from_pins, source), (to_pins, pin) = self._end(driver), self._end(sink)
        if source not in from_pins.outputs or pin not in to_pins.inputs | to_pins.optional:
            raise ScriptError(f"there is no wire from {driver} to {sink}")
        if sink in self.wires:
            raise ScriptError(f"{sink} has two drivers")
        self.wires[sink] = driver

    def connect_bus(self, call):
        (master, slave) = call.words
        (from_pins, source), (to_pins, pin) = self._end(master), self._end(slave)
        if source not in from_pins.masters or pin not in to_pins.slaves:
            raise ScriptError(f"there is no bus from {master} to {slave}")
        if slave in self.buses or master in self.buses.values():
            raise ScriptError(f"{master} or {slave} is connected twice")
        self.buses[slave] = master

    def automate(self, call):
        self.automation = {"rule": call.options["rule"], **self.session.pairs(call.options["config"])}

    def file(self, call):
        if call.words != (f"{self.name}.bd",) or "save_bd_design" not in self.done:
            raise ScriptError(f"there is no file {call.words}")
        return call.words[0]

    def wrapper(self, call):
        return self._write(f"{self.name}_wrapper.v", "")

    def _write(self, path, text):
        """A file in the folder of the project."""
        file = Path(self.session.project.properties["folder"]) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return str(file)

    def generate(self, call):
        self.done.append(call.name)
        self._write(f"{self.name}.gen/sources_1/bd/{self.name}/hw_handoff/{self.name}.hwh", "handoff")

    def launch(self, call):
        self.done.append(call.name)
        self._write(f"{self.name}.runs/{call.words[0]}/{self.name}_wrapper.bit", "bitstream")

    def runs(self, call):
        return self.session.run_of(call.words[0])

    def check(self):
        """Nothing lacks a driver, every bus has its two ends, of one kind and width, on the clock of its cell."""
        masters, slaves = {}, {}
        for name, cell in self.cells.items():
            pins = self.pins(cell)
            masters |= {f"{name}/{pin}": kind for pin, kind in pins.masters.items()}
            slaves |= {f"{name}/{pin}": kind for pin, kind in pins.slaves.items()}
            undriven = [pin for pin in sorted(pins.inputs) if f"{name}/{pin}" not in self.wires]
            if undriven:
                raise ScriptError(f"inputs of {name} have no driver: {undriven}")
        if set(self.buses) != set(slaves) or set(self.buses.values()) != set(masters):
            alone = (set(slaves) - set(self.buses)) | (set(masters) - set(self.buses.values()))
            raise ScriptError(f"interfaces are not connected: {sorted(alone)}")
        for slave, master in self.buses.items():
            (kind, width), (other, other_width) = slaves[slave], masters[master]
            if kind != other or (width and other_width and width != other_width):
                raise ScriptError(
                    f"{master}, {other} of {other_width} bits, is no master of {slave}, {kind} of {width}"
                )
