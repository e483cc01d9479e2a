"""The rule of streams, checked at every stream port of every component in a simulation, by gateware beside it.

Once valid, a payload stays valid and as it is until it is taken; and while whoever gives to the simulated component and
whoever takes from it are willing, something moves within a number of cycles. The checks run inside the compiled model:
no bench calls them, and they cost a few per cent.
"""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from amaranth.hdl import Cat, ClockSignal, Const, Elaboratable, Fragment, Instance, Module, ResetSignal, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Out

__all__ = [
    "PROGRESS_CYCLES",
    "RULES",
    "SEEN",
    "STREAM_RULES_VARIABLE",
    "broken_rules",
    "note_streams",
    "rules_are_on",
    "streams_of",
    "watched",
    "without_reports",
]

# Longer than any component of the suite works for a value while others wait.
PROGRESS_CYCLES = 10_000

# 0 leaves the checks out.
STREAM_RULES_VARIABLE = "REWARDWARE_STREAM_RULES"

# The streams that carried values in the simulations of this process, as "module:Class port", each with whether a value
# had to wait: who wants to know of one test clears it before.
SEEN: dict[str, bool] = {}

# Bits of a port's name in the simulation: 40 letters.
_NAME_BITS = 8 * 40

_BROKEN = "Stream rule broken: "
_SEEN = "Stream rule held: "

# Nothing is checked before the first reset: a bench may begin with noise.
RULES = f"""
module stream_rule #(parameter NAME = "", parameter COUNT = 1, parameter [COUNT*{_NAME_BITS}-1:0] PORTS = 0)
                   (input clk, input rst, input [COUNT-1:0] valid, input [COUNT-1:0] ready,
                    input [COUNT-1:0] withdrawn, input [COUNT-1:0] changed);
  reg armed = 1'b0;
  reg [COUNT-1:0] flowed = 0, waited = 0;
  integer port;
  always @(posedge clk) begin
    if (rst) armed <= 1'b1;
    else if (armed) begin
      flowed <= flowed | valid & ready;
      waited <= waited | valid & ~ready;
      if (|(withdrawn | changed)) begin
        for (port = 0; port < COUNT; port = port + 1)
          if (withdrawn[port] | changed[port])
            $display("{_BROKEN}%0s %0s: %0s", NAME, PORTS[port*{_NAME_BITS}+:{_NAME_BITS}], withdrawn[port]
                     ? "valid withdrawn before the value was accepted" : "payload changed while it waited");
        $finish;
      end
    end
  end
  final for (port = 0; port < COUNT; port = port + 1)
    if (flowed[port])
      $display("{_SEEN}%0s %0s %0s", NAME, PORTS[port*{_NAME_BITS}+:{_NAME_BITS}], waited[port] ? "waited" : "flowed");
endmodule

module progress_rule #(parameter NAME = "", parameter LIMIT = 0) (input clk, input rst, input willing, input moves);
  reg armed = 1'b0;
  reg [31:0] count = 32'd0;
  always @(posedge clk) begin
    if (rst) armed <= 1'b1;
    if (rst | moves) count <= 32'd0;
    else if (armed & willing) begin
      count <= count + 32'd1;
      if (count == LIMIT) begin
        $display("{_BROKEN}%0s: nothing moved in %0d cycles in which all were willing", NAME, LIMIT);
        $finish;
      end
    end
  end
endmodule
"""


def _changes_scale_or_state(m: Module, noise: Any) -> Value:
    before = Signal.like(noise.scale)
    m.d.sync += before.eq(noise.scale)
    return noise.load | (noise.scale != before)


# Components whose contract lets a value go that waits: on which stream, and when.
_LET_GO: dict[str, tuple[str, Callable[[Module, Any], Value]]] = {
    "hw.cores.random.gaussian:GaussianNoise": ("noise", _changes_scale_or_state),
    "hw.cores.stream.packet_buffer:PacketIntake": ("o", lambda m, intake: intake.clear),
    "hw.cores.stream.packet_buffer:PacketOutlet": ("i", lambda m, outlet: outlet.clear),
    "hw.soc.shell.shell:Shell": ("rows_in", lambda m, shell: shell.reset),
}


@contextlib.contextmanager
def watched(top: wiring.Component, progress_cycles: int = PROGRESS_CYCLES) -> Iterator[None]:
    """While it lasts, every component that is elaborated gets the checks of its streams.

    Streams that come out are checked everywhere, those that come in at the simulated component: inside, these came out
    of another, and a part between the two may hold them back.

    Parameters
    ----------
    top : wiring.Component
        The simulated one, whose progress is also checked.
    progress_cycles : int
        In so many cycles without a transfer, in which a value waits to come in and all that comes out would be taken,
        the rule is broken.
    """
    original = Fragment.get
    outermost = [top, *getattr(top, "passes_streams_of", ())]

    def get(part: Any, platform: Any) -> Any:
        fragment = original(part, platform)
        if isinstance(part, wiring.Component) and not isinstance(fragment, Instance):
            if streams := list(streams_of(part)):
                whole = any(part is one for one in outermost)
                rules = _Rules(part, streams, whole, progress_cycles if part is top else None)
                fragment.add_subfragment(original(rules, platform), "stream_rules")
        return fragment

    with mock.patch.object(Fragment, "get", staticmethod(get)):
        yield


def rules_are_on() -> bool:
    """Whether simulations check streams, as they do unless the environment says otherwise."""
    return os.environ.get(STREAM_RULES_VARIABLE) != "0"


def streams_of(component: wiring.Component) -> Iterator[tuple[str, bool, Any]]:
    """Name, whether it comes out, and interface of each stream among the ports of a component."""
    yield from _visit(component, component.signature, "")


def _visit(ports: Any, signature: wiring.Signature, prefix: str) -> Iterator[tuple[str, bool, Any]]:
    for name, member in signature.members.items():
        if not member.is_signature:
            continue
        for index, port in _elements(getattr(ports, name), len(member.dimensions)):
            if isinstance(member.signature, stream.Signature):
                yield f"{prefix}{name}{index}", member.flow == Out, port
            else:
                yield from _visit(port, member.signature, f"{prefix}{name}{index}.")


def _elements(ports: Any, dimensions: int) -> Iterator[tuple[str, Any]]:
    if not dimensions:
        yield "", ports
        return
    for index, part in enumerate(ports):
        yield from ((f"[{index}]{rest}", port) for rest, port in _elements(part, dimensions - 1))


class _Rules(Elaboratable):
    """The checks of a component's streams, in registers that are reset when the component is."""

    def __init__(
        self,
        component: wiring.Component,
        streams: list[tuple[str, bool, Any]],
        whole: bool,
        progress_cycles: int | None,
    ):
        self.kind = f"{type(component).__module__.removeprefix('rewardware.')}:{type(component).__qualname__}"
        self.component = component
        self.streams = streams
        # Whether incoming values are checked as well.
        self.whole = whole
        self.progress_cycles = progress_cycles

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        clock = {"i_clk": ClockSignal(), "i_rst": ResetSignal(allow_reset_less=True)}
        # A component that only passes on the streams of parts names them: the streams are checked there.
        if not hasattr(self.component, "passes_streams_of"):
            self._watch(m, clock)
        if self.progress_cycles is not None:
            come = [port for _, out, port in self.streams if not out]
            go = [port for _, out, port in self.streams if out]
            m.submodules += Instance(
                "progress_rule",
                p_NAME=self.kind,
                p_LIMIT=self.progress_cycles,
                **clock,
                i_willing=Cat(port.valid & ~port.ready for port in come).any() & Cat(port.ready for port in go).all(),
                i_moves=Cat(port.valid & port.ready for port in (*come, *go)).any(),
            )
        return m

    def _watch(self, m: Module, clock: dict[str, Value]) -> None:
        """All streams side by side, in as few registers as there can be: each is some time of the compiler's."""
        names, outs, ports = zip(*self.streams, strict=True)
        loose, lets_go = _LET_GO.get(self.kind, ("", None))
        gone = lets_go(m, self.component) if lets_go else Const(0)
        valid, ready = (Cat(getattr(port, part) for port in ports) for part in ("valid", "ready"))
        checked = [out or self.whole for out in outs]
        payloads = [
            Value.cast(port.payload).as_unsigned() if holds else Const(0, 0)
            for port, holds in zip(ports, checked, strict=True)
        ]
        offsets = [0, *itertools.accumulate(map(len, payloads))]
        before = Signal(offsets[-1], name="streams_before")
        differs = [
            payload != before[offset : offset + len(payload)] if len(payload) else Const(0, 1)
            for payload, offset in zip(payloads, offsets, strict=False)
        ]
        stays = [
            ~gone if holds and name == loose else Const(holds, 1) for name, holds in zip(names, checked, strict=True)
        ]
        waiting, withdrawn, changed = (
            Signal(len(ports), name=f"streams_{word}") for word in ("waiting", "withdrawn", "changed")
        )
        # One cycle later: a component that is reset may let go of what waits.
        m.d.sync += [
            before.eq(Cat(payloads)),
            waiting.eq(valid & ~ready & Cat(stays)),
            withdrawn.eq(waiting & ~valid),
            changed.eq(waiting & valid & Cat(differs)),
        ]
        m.submodules += Instance(
            "stream_rule",
            p_NAME=self.kind,
            p_COUNT=len(ports),
            p_PORTS=Const(
                sum(
                    int.from_bytes(name[-_NAME_BITS // 8 :].encode()) << _NAME_BITS * n for n, name in enumerate(names)
                ),
                _NAME_BITS * len(names),
            ),
            **clock,
            i_valid=valid,
            i_ready=ready,
            i_withdrawn=withdrawn,
            i_changed=changed,
        )


def broken_rules(log: str) -> list[str]:
    """Messages of a simulation about rules that were broken."""
    return [line[line.index(_BROKEN) :].strip() for line in log.splitlines() if _BROKEN in line]


def note_streams(log: str) -> None:
    """Add to :data:`SEEN` what a simulation says of its streams."""
    for line in log.splitlines():
        if _SEEN in line:
            name, _, word = line.partition(_SEEN)[2].strip().rpartition(" ")
            SEEN[name] = SEEN.get(name, False) or word == "waited"


def without_reports(log: str) -> list[str]:
    """The lines of a log without those on streams that were seen."""
    return [line for line in log.splitlines() if _SEEN not in line]
