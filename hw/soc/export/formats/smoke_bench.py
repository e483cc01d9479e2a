"""A first test bench without any library, for every simulator: does the design come out of reset? No Amaranth here."""

from ...bus.registers import Access, Register
from ..description import PackageDescription

__all__ = ["files"]

_RESET_CYCLES = 8
_CYCLES = 40
# A response takes a few cycles; a design that is silent for longer never answers.
_LIMIT_CYCLES = 100


def files(description: PackageDescription) -> dict[str, str]:
    """``sim/NAME_smoke.sv``.

    The bench of a system reads every register over AXI4-Lite and compares it with its reset value. The bench of a core
    requires that no handshake output is unknown after a reset with all inputs 0, and for a core without a clock that no
    output is.
    """
    name = f"{description.name}_smoke"
    body = _reads(description) if description.address_map is not None else _unknowns(description)
    lines = [
        f'// {description.name} comes out of reset. Ends with a line of its name and "passed", or fatally.',
        f"module {name};",
        *_ports(description),
        *(f"  {line}" if line else "" for line in body),
        "endmodule",
        "",
    ]
    return {f"sim/{name}.sv": "\n".join(lines)}


def _ports(description: PackageDescription) -> list[str]:
    """A variable of each port's name: inputs begin as 0."""
    lines = []
    for port in description.ports:
        width = f"[{port.width - 1}:0] " if port.width > 1 else ""
        lines.append(f"  reg {width}{port.name} = 0;" if port.direction == "in" else f"  wire {width}{port.name};")
    connections = ", ".join(f".{port.name}({port.name})" for port in description.ports)
    lines.append(f"  {description.name} dut ({connections});")
    lines += [f"  always #{round(500 * clock.period_ns)} {clock.port} = ~{clock.port};" for clock in description.clocks]
    return lines


def _reset(description: PackageDescription) -> list[str]:
    """Inputs change at the falling edge, so that no simulator sees them move with the clock."""
    if not description.clocks:
        return ["  #1;"]
    active = [f"  {reset.port} = 1'b{int(not reset.active_low)};" for reset in description.resets]
    idle = [f"  {reset.port} = 1'b{int(reset.active_low)};" for reset in description.resets]
    slowest = min(description.clocks, key=lambda clock: clock.frequency_mhz).port
    return [
        *active,
        f"  repeat ({_RESET_CYCLES}) @(negedge {slowest});",
        *idle,
        f"  repeat ({_CYCLES}) @(negedge {slowest});",
    ]


def _unknowns(description: PackageDescription) -> list[str]:
    outputs = [port.name for port in description.ports if port.direction == "out"]
    if description.clocks:
        outputs = [port for port in outputs if port.endswith(("valid", "ready", "idle", "busy"))]
    return [
        "initial begin",
        *_reset(description),
        *(f'  if (^{port} === 1\'bx) $fatal(1, "{port} is unknown");' for port in outputs),
        f'  $display("{description.name}: passed");',
        "  $finish;",
        "end",
    ]


def _reads(description: PackageDescription) -> list[str]:
    """Single reads, and no write before; counters stand still until a program runs."""
    assert description.address_map is not None
    control = description.control
    ports, clock, width = control.ports, control.clock, control.address_width
    response, data = ports["RRESP"], ports["RDATA"]
    reads = []
    for placed in description.address_map.placed:
        item = placed.item
        if isinstance(item, Register) and item.access is not Access.STROBE:
            for word in range(item.size // 4):
                value = item.reset >> 32 * word & 0xFFFF_FFFF
                reads.append(f"  expect_word({width}'h{placed.address + 4 * word:x}, 32'h{value:08x});")
    return [
        "integer cycle;",
        f"task expect_word(input [{width - 1}:0] address, input [31:0] value);",
        "  begin",
        f"    {ports['ARADDR']} = address;",
        f"    {ports['ARVALID']} = 1;",
        f"    {ports['RREADY']} = 1;",
        "    // The request is taken at the rising edge behind a falling one at which it is ready.",
        f"    while (!{ports['ARREADY']}) @(negedge {clock});",
        f"    @(negedge {clock});",
        f"    {ports['ARVALID']} = 0;",
        f"    while (!{ports['RVALID']}) @(negedge {clock});",
        f"    if ({response} !== 0 || {data} !== value)",
        f'      $fatal(1, "address %h: response %b, data %h, not %h", address, {response}, {data}, value);',
        f"    @(negedge {clock});",
        "  end",
        "endtask",
        "",
        "initial begin",
        *_reset(description),
        *reads,
        f'  $display("{description.name}: passed");',
        "  $finish;",
        "end",
        "",
        "// A design that does not answer must not let the simulation run for ever.",
        "initial begin",
        f"  repeat ({_RESET_CYCLES + _CYCLES + _LIMIT_CYCLES * len(reads)}) @(negedge {clock});",
        '  $fatal(1, "no answer");',
        "end",
    ]
