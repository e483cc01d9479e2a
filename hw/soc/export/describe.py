"""The description of a component: its signature says the ports, a top of a system says its buses."""

import dataclasses
import importlib.metadata
from collections.abc import Collection, Iterable
from typing import Any

from amaranth.hdl import Const, Shape, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..bus.interfaces import Reset
from ..target.clocks import ANY_CLOCK, DefaultClock
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
    domain: Collection[str] = ("clk", "rst"),
    clock: DefaultClock = ANY_CLOCK,
) -> PackageDescription:
    """The description that the package of a component is made from.

    Parameters
    ----------
    component : wiring.Component
        A core, or a top with buses, which says them as ``interfaces``, ``clocks``, ``resets`` and ``interrupts``
        (:class:`~..bus.axi_top.AxiTop`), and as ``address_map`` its registers where there are more than the system's
        (:class:`~..bus.kernel_top.KernelTop`). It is not elaborated.
    name : str
        The top module.
    design : str
        Name in the catalogue, if it is another one.
    description : str
        One line.
    configuration : dataclass instance or None
        Configuration that the component was made from. One with a ``shell`` has registers and instructions.
    files : iterable of str
        Verilog, relative to the package.
    domain : collection of str
        Which of ``clk`` and ``rst`` a core's module has besides the ports of its signature.
    clock : DefaultClock
        Clock of the constraints.
    """
    ports = tuple(
        Port(
            name="__".join(map(str, path)),
            direction="in" if member.flow == In else "out",
            width=Shape.cast(member.shape).width,
        )
        for path, member, value in component.signature.flatten(component)
        # A constant port, such as ``ready`` of a stream that always is, is none of the module.
        if not isinstance(Value.cast(value), Const)
    )
    if hasattr(component, "interfaces"):
        clocks, resets, interrupts = component.clocks, component.resets, component.interrupts
        interfaces = component.interfaces
    else:
        clocks = ("clk",) if "clk" in domain else ()
        resets = (Reset(port="rst", active_low=False, clock="clk"),) if "rst" in domain else ()
        ports += tuple(Port(name=port, direction="in", width=1) for port in domain)
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
                port=port,
                frequency_mhz=clock.mhz,
                interfaces=tuple(interface.name for interface in interfaces if interface.clock == port),
                source=clock.source,
            )
            for port in clocks
        ),
        resets=resets,
        interrupts=interrupts,
        configuration=dataclasses.asdict(configuration) if configuration is not None else {},
        configuration_hash=shell.configuration_hash if shell else None,
        address_map=getattr(component, "address_map", shell.address_map if shell else None),
        instruction_set=shell.instruction_set if shell else None,
        rows=shell.rows if shell else (),
    )
