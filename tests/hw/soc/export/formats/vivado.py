"""Vivado's commands as stubs: projects and IP cores, as far as its manuals (UG835, UG1118) say what they do."""

import dataclasses
from pathlib import Path

from .block_diagram import BlockDiagram
from .interpreter import Command, Interpreter, ScriptError
from .verilog import ports_in

__all__ = ["Thing", "Vivado"]

# The kind of thing to which a script adds each kind of a core's parts.
PARENTS = {
    "bus_interface": "core",
    "port_map": "bus_interface",
    "bus_parameter": "bus_interface",
    "memory_map": "core",
    "address_space": "core",
    "address_block": "memory_map",
    "register": "address_block",
    "register_parameter": "register",
}
# Properties that a script may set.
PROPERTIES = {
    "project": "board_part ip_repo_paths",
    "fileset": "top",
    "core": "name version display_name description vendor_display_name supported_families "
    "auto_family_support_level core_revision sdx_kernel sdx_kernel_type vitis_drc ipi_drc",
    "bus_interface": "bus_type_vlnv abstraction_type_vlnv interface_mode slave_memory_map_ref master_address_space_ref",
    "port_map": "physical_name",
    "bus_parameter": "value",
    "address_space": "range width",
    "address_block": "usage base_address range width",
    "register": "address_offset size access description",
    "register_parameter": "value",
}


@dataclasses.dataclass(eq=False)
class Thing:
    """An object of Vivado's.

    Parameters
    ----------
    kind, name : str
    properties : dict
    parts : list of Thing
    ports : dict
        Direction and bits of the top module's ports, of a core.
    """

    kind: str
    name: str
    properties: dict[str, str] = dataclasses.field(default_factory=dict)
    parts: list["Thing"] = dataclasses.field(default_factory=list)
    ports: dict[str, tuple[str, int]] = dataclasses.field(default_factory=dict)

    def all(self, kind):
        """Its parts of a kind, by name."""
        return {part.name: part for part in self.parts if part.kind == kind}

    def values(self, kind):
        """The property ``value`` of its parts of a kind, by name."""
        return {name: part.properties["value"] for name, part in self.all(kind).items()}


class Settings(dict):
    """Properties of a cell of a block design: ``CONFIG.NAME`` is its setting NAME."""

    def __init__(self, cell):
        super().__init__()
        self._settings = cell.settings

    def __setitem__(self, name, value):
        before, _, setting = name.partition(".")
        if before != "CONFIG":
            raise ScriptError(f"a cell has no property {name}")
        self._settings[setting] = value


class Vivado(Interpreter):
    """A session: what scripts made is in its attributes.

    Attributes
    ----------
    files : list of Path
        Sources of the project, or of the design without one.
    core : Thing or None
        The core that is packaged.
    cores : dict
        Saved cores with the folders of them, by name.
    diagram : BlockDiagram or None
    progress : str
        What runs come to.
    """

    def __init__(self):
        self.files: list[Path] = []
        self.project: Thing | None = None
        self.core: Thing | None = None
        self.cores: dict[str, tuple[Thing, Path]] = {}
        self.diagram: BlockDiagram | None = None
        self.progress = "100%"
        self._things: dict[str, Thing] = {}
        commands = {
            "create_project": Command(range(1, 3), "force in_memory", "part", self._create_project),
            "close_project": Command(range(1), "delete", run=self._close_project),
            "current_project": Command(range(1), run=lambda call: self._handle(self._open_project())),
            "current_fileset": Command(range(1), run=lambda call: self._handle(self._open_project().parts[0])),
            "add_files": Command(range(1, 2), "norecurse", "fileset", self._add_files),
            "update_compile_order": Command(range(1), options="fileset"),
            "update_ip_catalog": Command(range(1), "rebuild", run=self._update_ip_catalog),
            "set_property": Command(range(1, 4), options="dict", run=self._set_property),
            "get_property": Command(range(2, 3), run=self._get_property),
            "get_parts": Command(range(1, 2), run=self._get_parts),
            "ipx::package_project": Command(
                range(1),
                "import_files force",
                "root_dir vendor library taxonomy set_current",
                self._package_project,
            ),
            "ipx::current_core": Command(range(1), run=lambda call: self._handle(self.core)),
            "ipx::associate_bus_interfaces": Command(range(1, 2), options="busif clock reset", run=self._associate),
            "ipx::create_xgui_files": Command(range(1, 2)),
            "ipx::update_checksums": Command(range(1, 2)),
            "ipx::check_integrity": Command(range(1, 2), "kernel quiet"),
            "ipx::save_core": Command(range(1, 2), run=self._save_core),
            "package_xo": Command(
                range(1), "force", "xo_path kernel_name ctrl_protocol ip_directory kernel_xml", self._package_xo
            ),
            "read_verilog": Command(range(1, 2), run=self._add_files),
            "read_xdc": Command(range(1, 2), options="mode", run=self._existing),
            "synth_design": Command(range(1), options="top part mode"),
            **{name: Command(range(1)) for name in ("opt_design", "place_design", "phys_opt_design", "route_design")},
            "report_utilization": Command(range(1), options="file", run=self._report),
            "report_timing_summary": Command(range(1), options="file", run=self._report),
            "write_checkpoint": Command(range(1, 2), "force"),
        }
        for kind in PARENTS:
            commands[f"ipx::add_{kind}"] = Command(range(2, 3), run=lambda call, kind=kind: self._add(kind, call))
            plural = f"ipx::get_{kind}s"
            commands[plural] = Command(
                range(1, 2), "quiet", "of_objects", lambda call, kind=kind: self._get(kind, call)
            )
        for kind in ("bus_interface", "memory_map", "address_space"):
            name = f"ipx::remove_all_{kind}"
            commands[name] = Command(range(1, 2), run=lambda call, kind=kind: self._remove_all(kind, call))
        super().__init__(commands | BlockDiagram.commands(self))

    def _handle(self, thing):
        """The word that stands for a thing in a script."""
        if thing is None:
            raise ScriptError("nothing is open")
        self._things[handle := f"{thing.kind}@{id(thing)}"] = thing
        return handle

    def thing(self, handle):
        """The object that a word stands for."""
        if handle not in self._things:
            raise ScriptError(f"{handle!r} is no object")
        return self._things[handle]

    def _open_project(self):
        if self.project is None:
            raise ScriptError("no project is open")
        return self.project

    def _create_project(self, call):
        if self.project is not None:
            raise ScriptError("a project is open")
        name, folder = call.words
        properties = {"PART": call.options.get("part", "xc7vx485tffg1157-1"), "folder": folder}
        self.project = Thing("project", name, properties, [Thing("fileset", "sources_1")])
        self.files = []

    def _close_project(self, call):
        self._open_project()
        self.project = None

    def _existing(self, call):
        for word in call.words:
            if not Path(word).is_file():
                raise ScriptError(f"there is no file {word}")

    def _add_files(self, call):
        self._existing(call)
        self.files += [Path(word) for word in call.words]

    def _report(self, call):
        Path(call.options["file"]).write_text("")

    def _set_property(self, call):
        thing = self.thing(call.words[-1])
        given = self.pairs(call.options["dict"]) if "dict" in call.options else dict([call.words[:2]])
        if len(call.words) != (1 if "dict" in call.options else 3):
            raise ScriptError(f"set_property takes a name, a value and an object, not {call.words}")
        for name, value in given.items():
            if thing.kind in PROPERTIES and name not in PROPERTIES[thing.kind].split():
                raise ScriptError(f"a {thing.kind} has no property {name} to set")
            if name == "board_part":
                # The part comes from the board.
                thing.properties["PART"] = {"zynq_board": "xc7z020clg400-1", "ultra_board": "xczu3eg-sbva484-1-e"}[
                    value
                ]
            thing.properties[name] = value

    def _get_property(self, call):
        name, handle = call.words
        return self.thing(handle).properties[name]

    def _get_parts(self, call):
        (name,) = call.words
        families = {"xc7z": "zynq", "xczu": "zynquplus", "xc7a": "artix7"}
        return self._handle(Thing("part", name, {"FAMILY": families[name[:4]]}))

    def _package_project(self, call):
        # It guesses interfaces.
        guessed = [Thing(kind, "guessed") for kind in ("bus_interface", "memory_map", "address_space")]
        top = self._open_project().parts[0].properties["top"]
        self.core = Thing("core", "", {"top": top, **call.options}, guessed, ports_in(self.files, top))

    def _add(self, kind, call):
        name, parent = call.words[0], self.thing(call.words[1])
        if parent.kind != PARENTS[kind]:
            raise ScriptError(f"a {kind} belongs to a {PARENTS[kind]}, not a {parent.kind}")
        if name in parent.all(kind):
            raise ScriptError(f"{parent.name} has a {kind} {name} already")
        parent.parts.append(Thing(kind, name))
        return self._handle(parent.parts[-1])

    def _get(self, kind, call):
        parent, (name,) = self.thing(call.options["of_objects"]), call.words
        if name not in parent.all(kind):
            raise ScriptError(f"{parent.name} has no {kind} {name}")
        return self._handle(parent.all(kind)[name])

    def _remove_all(self, kind, call):
        core = self.thing(*call.words)
        core.parts = [part for part in core.parts if part.kind != kind]

    def _associate(self, call):
        interfaces = self.thing(*call.words).all("bus_interface")
        clock = interfaces[call.options["clock"]]
        for option, parameter in (("busif", "ASSOCIATED_BUSIF"), ("reset", "ASSOCIATED_RESET")):
            if option in call.options:
                for name in call.options[option].split(":"):
                    if name not in interfaces:
                        raise ScriptError(f"there is no interface {name}")
                clock.parts.append(Thing("bus_parameter", parameter, {"value": call.options[option]}))

    def _save_core(self, call):
        core = self.thing(*call.words)
        folder = Path(core.properties["root_dir"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "component.xml").write_text("")
        name = ":".join(core.properties[part] for part in ("vendor", "library", "name", "version"))
        self.cores[name] = (core, folder)

    def _package_xo(self, call):
        for file in (Path(call.options["ip_directory"], "component.xml"), Path(call.options["kernel_xml"])):
            if not file.is_file():
                raise ScriptError(f"there is no file {file}")

    def _update_ip_catalog(self, call):
        self._open_project()

    def settings_of(self, cell):
        """The object of a cell of a block design, whose properties are its settings."""
        return self._handle(Thing("bd_cell", cell.name, Settings(cell)))

    def run_of(self, name):
        """The object of a run, which went well."""
        folder = f"{self.project.properties['folder']}/{self.project.name}.runs/{name}"
        about = {"PROGRESS": self.progress, "STATUS": "route_design ERROR", "DIRECTORY": folder}
        return self._handle(Thing("run", name, about))
