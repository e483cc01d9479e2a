"""The description of a component: its signature says the ports, a top of a system says its buses."""

import dataclasses
import importlib.metadata
from collections.abc import Iterable
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..bus.interfaces import Reset
from .description import Clock, PackageDescription, Port

__all__ = ["describe"]


def describe(
    component: wiring.Component,
    name: str,
    *,
    design: str = "",
    description: str = "",
    configuration: Any = None,
    files: Iterable[str] = (),
    clocked: bool = True,
    frequency: float = 100.0,
) -> PackageDescription:
    """What the package of a component is made from.

    Parameters
    ----------
    component : wiring.Component
        A core, or a top with buses, which says them as ``interfaces``, ``clocks``, ``resets`` and ``interrupts``
        (:class:`~..bus.axi_top.AxiTop`). It is not elaborated.
    name : str
        The top module.
    design : str
        Name in the catalogue, if it is another one.
    description : str
        One line.
    configuration : dataclass instance or None
        What the component was made from. One with a ``shell`` has registers and instructions.
    files : iterable of str
        Verilog, relative to the package.
    clocked : bool
        A core has the ports ``clk`` and ``rst``, which are not in its signature.
    frequency : float
        MHz of its clocks' constraints.
    """
    ports = tuple(
        Port(
            name="__".join(map(str, path)),
            direction="in" if member.flow == In else "out",
            width=Shape.cast(member.shape).width,
        )
        for path, member, _ in component.signature.flatten(component)
    )
    if hasattr(component, "interfaces"):
        clocks, resets, interrupts = component.clocks, component.resets, component.interrupts
        interfaces = component.interfaces
    else:
        clocks, resets = (("clk",), (Reset(port="rst", active_low=False, clock="clk"),)) if clocked else ((), ())
        ports += tuple(Port(name=port, direction="in", width=1) for port in (*clocks, *(r.port for r in resets)))
        interfaces = interrupts = ()
    shell = getattr(configuration, "shell", None)
    return PackageDescription(
        name=name,
        design=design or name,
        description=description,
        version=importlib.metadata.version("rewardware"),
        ports=ports,
        files=tuple(files),
        interfaces=interfaces,
        clocks=tuple(
            Clock(
                port=clock,
                frequency_mhz=frequency,
                interfaces=tuple(interface.name for interface in interfaces if interface.clock == clock),
            )
            for clock in clocks
        ),
        resets=resets,
        interrupts=interrupts,
        configuration=dataclasses.asdict(configuration) if configuration is not None else {},
        configuration_hash=shell.configuration_hash if shell else None,
        address_map=shell.address_map if shell else None,
        instruction_set=shell.instruction_set if shell else None,
    )
