"""The contract between an engine and whoever gives it commands."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .error_flags import ERROR_FLAGS

__all__ = ["EngineSignature", "connect_engine", "error_layout"]

# One bit a flag, in the order of the errors register.
error_layout = data.StructLayout({flag.name: 1 for flag in ERROR_FLAGS})


class EngineSignature(wiring.Signature):
    """The ports between a shell and one engine, seen from the shell.

    Parameters
    ----------
    command : layout
        Payload of a command: the engine's own, or one made from an instruction set.

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


def connect_engine(m, port, engine, command=None):
    """Connects an engine to the shell.

    Parameters
    ----------
    m : Module
    port : interface of EngineSignature
        The shell's side, ``shell.engines.<name>``.
    engine : component
        Has ``commands`` (stream of the same layout), ``completions`` (stream), ``busy``, and optionally ``errors``, a
        view with any of the flags of ``error_layout``.
    command : dict of str to Value
        Where the engine has a command layout of its own: what its fields get, from the payload of the shell's command.
    """
    if command is None:
        wiring.connect(m, port.commands, engine.commands)
    else:
        m.d.comb += [
            engine.commands.valid.eq(port.commands.valid),
            port.commands.ready.eq(engine.commands.ready),
            *(engine.commands.payload[name].eq(value) for name, value in command.items()),
        ]
    m.d.comb += [port.completions.valid.eq(engine.completions.valid), port.busy.eq(engine.busy)]
    if not engine.completions.signature.always_ready:
        m.d.comb += engine.completions.ready.eq(port.completions.ready)
    if hasattr(engine, "errors"):
        for name, _ in engine.errors.shape():
            m.d.comb += port.errors[name].eq(engine.errors[name])
