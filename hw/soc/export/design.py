"""Designs that can be exported: where they are, how they are configured. No Amaranth here; creating one imports it."""

import ast
import dataclasses
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...cores.checks import nearest
from ..devices import load_object

__all__ = ["Design"]


@dataclass(frozen=True, kw_only=True)
class Design:
    """A core or system that stands in the catalogue.

    Parameters
    ----------
    name : str
        Its name on the command line.
    component : str
        ``"module:class"``.
    configuration : str
        ``"module:class"`` of its configuration, or empty: the component has no parameters.
    defaults : Mapping
        Settings where the configuration has no default of its own.
    of_preset : callable or None
        Makes the settings of this core from a system's configuration.
    system : bool
        A whole device: it is exported within its AXI top.
    default_preset : str
        Preset whose settings are the defaults, or empty.
    preset_system : str
        System that the presets are of.
    arguments : Mapping
        Further arguments of the component.
    """

    name: str
    component: str
    configuration: str = ""
    defaults: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    of_preset: Callable[[Any], Mapping[str, Any]] | None = None
    system: bool = False
    default_preset: str = ""
    preset_system: str = "fixar"
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def kind(self) -> str:
        """``"system"`` or ``"core"``."""
        return "system" if self.system else "core"

    @property
    def description(self) -> str:
        """First line of the component's documentation, read from its file: importing every component takes seconds."""
        module, _, name = self.component.partition(":")
        found_module = importlib.util.find_spec(module)
        assert found_module is not None and found_module.origin is not None
        tree = ast.parse(Path(found_module.origin).read_text(encoding="utf-8"))
        (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
        return (ast.get_docstring(found) or "").partition("\n")[0]

    def parameters(self) -> dict[str, Any]:
        """Names of the settings with their defaults; ``None`` where there is none."""
        if not self.configuration:
            return {}
        found = {}
        for field in dataclasses.fields(load_object(self.configuration)):
            if field.init:
                default = None if field.default is dataclasses.MISSING else field.default
                found[field.name] = self.defaults.get(field.name, default)
        return found

    def configure(self, preset: Any = None, settings: Mapping[str, Any] | None = None) -> Any:
        """The configuration: defaults, over them what the preset says, over them ``settings``.

        Raises
        ------
        ValueError
            A setting that the design does not have, or a value that the configuration refuses.
        """
        settings = dict(settings or {})
        known = self.parameters()
        for name in settings:
            if name not in known:
                allowed = ", ".join(known) or "none: it has no parameters"
                hint = nearest(name, known)
                raise ValueError(f"Parameter of {self.name} must be one of {allowed}, not {name!r}{hint}")
        if not self.configuration:
            return None
        given = dict(self.defaults)
        if preset is not None:
            if self.system:
                given = {name: getattr(preset, name) for name in known}
            elif self.of_preset is not None:
                given |= self.of_preset(preset)
        return load_object(self.configuration)(**given | settings)

    def create(self, configuration: Any) -> Any:
        """The component of a configuration made by :meth:`configure`."""
        component = load_object(self.component)
        return component() if configuration is None else component(configuration, **self.arguments)

    def top(self, configuration: Any, *, kernel: bool = False, core_clock: bool = False) -> Any:
        """The component that is exported: a system within its AXI top or as a kernel of Vitis, a core as it is.

        Raises
        ------
        ValueError
            A core is to be a kernel or to have a second clock, or a system's registers are none of a kernel.
        """
        component = self.create(configuration)
        if not self.system:
            for asked, what in ((kernel, "A kernel"), (core_clock, "What has a clock for its core")):
                if asked:
                    raise ValueError(f"{what} must be a system, not the core {self.name}")
            return component
        from ..bus.axi_top import AxiTop
        from ..bus.kernel_top import KernelTop

        return (KernelTop if kernel else AxiTop)(component, core_clock=core_clock)
