"""The contract between the shell and an engine."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .config import ERROR_FLAGS

__all__ = ["EngineSignature", "connect_engine", "error_layout"]

# One bit a flag, in the order of the errors register.
error_layout = data.StructLayout({flag.name: 1 for flag in ERROR_FLAGS})


class EngineSignature(wiring.Signature):
    """The ports between the shell and one engine, seen from the shell.

    Parameters
    ----------
    command : layout
        Payload of a command; see :func:`..sequencer.layouts.command_layout`.

    Members
    -------
    commands : :py:`Out(stream.Signature(command))`
        Commands in the order of the program.
    completions : :py:`In(stream.Signature(1))`
        One transfer for each command that is complete, in order; the payload means nothing, ready is always 1.
    busy : :py:`In(1)`
        Whether the engine works in this cycle: what its busy counter counts.
    errors : :py:`In(error_layout)`
        Flags raised in this cycle.
    """

    def __init__(self, command):
        super().__init__(
            {
                "commands": Out(stream.Signature(command)),
                "completions": In(stream.Signature(1)),
                "busy": In(1),
                "errors": In(error_layout),
            }
        )


def connect_engine(m, port, engine):
    """Connects an engine to the shell.

    Parameters
    ----------
    m : Module
    port : interface of EngineSignature
        The shell's side, ``shell.engines.<name>``.
    engine : component
        Has ``commands`` (stream of the same layout), ``completions`` (stream), ``busy``, and optionally ``errors``, a
        view with any of the flags of ``error_layout``.
    """
    wiring.connect(m, port.commands, engine.commands)
    m.d.comb += [
        port.completions.valid.eq(engine.completions.valid),
        engine.completions.ready.eq(port.completions.ready),
        port.busy.eq(engine.busy),
    ]
    if hasattr(engine, "errors"):
        for name, _ in engine.errors.shape():
            m.d.comb += port.errors[name].eq(engine.errors[name])
