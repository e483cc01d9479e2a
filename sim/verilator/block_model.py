"""A module of a design as a model of its own: its Verilog, what stands for it in the design, and the C++ between."""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .netlist import CLOCK, Netlist, Port, escape

__all__ = ["BlockModel", "block_model", "steps_of"]

# The name of a module, or of one inside it.
_MODULE_NAME = re.compile(r"^(module\s+|  )(\\\S+\s|\w+\b ?)", re.MULTILINE)
# Types of a number on both sides of a call from Verilog to C, by the bits that fit.
_TYPES = {
    8: ("byte unsigned", "unsigned char"),
    16: ("shortint unsigned", "unsigned short"),
    32: ("int unsigned", "unsigned int"),
    64: ("longint unsigned", "unsigned long long"),
}


@dataclass(frozen=True)
class BlockModel:
    """Texts of a block.

    Parameters
    ----------
    name : str
        Name of its functions and of its top module; the same for equal blocks.
    verilog : str
        Its design, for Verilator.
    stub : str
        The module that stands for it where it has instances: it calls the functions.
    glue : str
        The functions, in C++.
    """

    name: str
    verilog: str
    stub: str
    glue: str


@dataclass(frozen=True)
class _Argument:
    """A port as an argument of a function."""

    name: str
    port: Port

    @property
    def verilog(self) -> str:
        kind = self._kind[0] if self._kind else f"bit [{self.port.width - 1}:0]"
        return f"{'output' if self.port.output else 'input'} {kind} {self.name}"

    @property
    def variable(self) -> str:
        """Declared in a stub: what a function writes into."""
        return f"{self._kind[0] if self._kind else f'bit [{self.port.width - 1}:0]'} block$new_{self.name};"

    @property
    def c(self) -> str:
        if not self._kind:
            return f"{'' if self.port.output else 'const '}uint32_t *{self.name}"
        return f"{self._kind[1]} {'*' if self.port.output else ''}{self.name}"

    @property
    def range(self) -> str:
        return f"[{self.port.width - 1}:0] " if self.port.width > 1 else ""

    @property
    def value(self) -> str:
        """Value of the variable, in the port's bits."""
        return f"block$new_{self.name}" + (f"[{self.port.width - 1}:0]" if self._kind else "")

    @property
    def _kind(self) -> tuple[str, str] | None:
        return next((kind for bits, kind in _TYPES.items() if self.port.width <= bits), None)


def block_model(netlist: Netlist, module: str, stubs: Mapping[str, BlockModel]) -> BlockModel:
    """The texts of a module as a block.

    Parameters
    ----------
    netlist : Netlist
    module : str
        Its registers have one clock, port ``clk``.
    stubs : mapping of BlockModel by module
        Blocks inside it, or elsewhere.
    """
    below = netlist.below(module, stubs)
    # Numbers in the place of names: equal units of other designs are the same text.
    names = {name: f"module_{index}" for index, name in enumerate(below)}

    def renamed(match: re.Match[str]) -> str:
        name = names.get(match[2].strip().removeprefix("\\"))
        return f"{match[1]}{name} " if name else match[0]

    inner = "".join(
        _MODULE_NAME.sub(renamed, f"{stubs[name].stub if name in stubs else netlist.modules[name].text}\n")
        for name in below
    )
    digest = hashlib.sha256(inner.encode()).hexdigest()[:12]
    readable = re.sub(r"[^a-zA-Z0-9]+", "_", module.removeprefix(netlist.top)).strip("_")[-40:]
    writer = _Writer(f"{readable}_{digest}", module, netlist.modules[module].ports, netlist.dependences[module])
    return writer.model(inner, names[module])


class _Writer:
    def __init__(self, name: str, module: str, ports: Mapping[str, Port], dependences: Mapping[str, Collection[str]]):
        self.name, self.module, self.ports = name, module, ports
        arguments = {port: _Argument(f"p{index}", kind) for index, (port, kind) in enumerate(ports.items())}
        self.arguments = arguments
        self.inputs = [arguments[port] for port, kind in ports.items() if not kind.output and port != CLOCK]
        self.registered = [arguments[port] for port, kind in ports.items() if kind.output and not dependences[port]]
        # Outputs by the inputs that they wait for: more in one call would be loops that are none.
        waiting: dict[frozenset[str], list[_Argument]] = {}
        for port, kind in ports.items():
            if kind.output and dependences[port]:
                waiting.setdefault(frozenset(dependences[port]), []).append(arguments[port])
        self.settled = [([arguments[port] for port in ports if port in group], outs) for group, outs in waiting.items()]

    def model(self, inner: str, body: str) -> BlockModel:
        """With what is inside, and the name that the module has there."""
        return BlockModel(self.name, f"{inner}{self._wrapper(body)}", self._stub(), self._glue())

    def _wrapper(self, body: str) -> str:
        """A module around the block whose ports have plain names."""
        named = {port: CLOCK if port == CLOCK else argument.name for port, argument in self.arguments.items()}
        declared = [
            f"{'output' if argument.port.output else 'input'} {argument.range}{named[port]}"
            for port, argument in self.arguments.items()
        ]
        connected = ", ".join(f".{escape(port)}({name})" for port, name in named.items())
        return f"module {self.name}({', '.join(declared)});\n  {body} body ({connected});\nendmodule\n"

    def _functions(self) -> list[tuple[str, str, list[_Argument]]]:
        """Result, name and arguments of each function but the first, which takes none."""
        return [
            ("void", "close", []),
            ("void", "begin", self.registered),
            ("byte unsigned", "clock", [*self.inputs, *self.registered]),
            *(("void", f"settle_{index}", [*ins, *outs]) for index, (ins, outs) in enumerate(self.settled)),
        ]

    def _stub(self) -> str:
        named = {argument.name: escape(port) for port, argument in self.arguments.items()}
        lines = [f"module {escape(self.module)}({', '.join(map(escape, self.ports))});"]
        for port, argument in self.arguments.items():
            lines.append(f"  {'output' if argument.port.output else 'input'} {argument.range}{escape(port)};")
        lines.append(f'  import "DPI-C" function chandle {self.name}_open();')
        for result, name, arguments in self._functions():
            extra = ["input byte unsigned state"] if name == "clock" or name.startswith("settle") else []
            listed = ", ".join(["input chandle block", *extra, *(argument.verilog for argument in arguments)])
            lines.append(f'  import "DPI-C" function {result} {self.name}_{name}({listed});')
        # `state` changes with that of the block: it wakes what waits for the block, and its own surroundings.
        lines += ["  chandle block$handle;", "  byte unsigned block$state, block$changed;"]
        for argument in (*self.registered, *(argument for _, outs in self.settled for argument in outs)):
            lines.append(f"  {argument.variable}")
        for argument in self.registered:
            lines += [
                f"  reg {argument.range}block$now_{argument.name};",
                f"  assign {named[argument.name]} = block$now_{argument.name};",
            ]

        def call(name: str, arguments: list[_Argument], *extra: str) -> str:
            given = (f"block$new_{one.name}" if one.port.output else named[one.name] for one in arguments)
            return f"{self.name}_{name}({', '.join(['block$handle', *extra, *given])})"

        lines += ["  initial begin", "    block$state = 0;", f"    block$handle = {self.name}_open();"]
        lines.append(f"    {call('begin', self.registered)};")
        lines += [f"    block$now_{argument.name} = {argument.value};" for argument in self.registered]
        lines += ["  end", f"  final {call('close', [])};", f"  always @(posedge {CLOCK}) begin"]
        lines.append(f"    block$changed = {call('clock', [*self.inputs, *self.registered], 'block$state')};")
        lines += ["    if (block$changed[0]) begin", "      block$state <= block$state + 8'd1;"]
        lines += [f"      block$now_{argument.name} <= {argument.value};" for argument in self.registered]
        lines += ["    end", "  end"]
        for index, (ins, outs) in enumerate(self.settled):
            lines += [f"  assign {named[argument.name]} = {argument.value};" for argument in outs]
            lines.append(f"  always_comb {call(f'settle_{index}', [*ins, *outs], 'block$state')};")
        return "\n".join([*lines, "endmodule", ""])

    def _glue(self) -> str:
        lines = [f"using Unit = rewardware::Block<V{self.name}, V{self.name}__Syms, Steps>;", 'extern "C" {']
        lines.append(f"void *{self.name}_open() {{ return new Unit; }}")
        for result, name, arguments in self._functions():
            kind = "unsigned char" if result != "void" else result
            extra = ["unsigned char"] if name == "clock" or name.startswith("settle") else []
            listed = ", ".join(["void *block", *extra, *(argument.c for argument in arguments)])
            lines.append(f"{kind} {self.name}_{name}({listed}) {{")
            lines.append("    Unit &unit = *static_cast<Unit *>(block);")
            ins = [argument for argument in arguments if not argument.port.output]
            if name == "clock" or name.startswith("settle"):
                lines.append("    bool changed = false;")
                lines += [f"    changed |= rewardware::put(unit.ports().{one.name}, {one.name});" for one in ins]
            if name == "close":
                lines.append("    delete &unit;")
            elif name == "clock":
                lines.append("    if (!unit.clock(changed)) return 0;")
            elif name != "begin":
                lines.append("    unit.settle(changed);")
            lines += [
                f"    rewardware::get(unit.ports().{one.name}, {one.name});" for one in arguments if one.port.output
            ]
            lines += ["    return 1;"] if name == "clock" else []
            lines.append("}")
        return "\n".join([*lines, "}", ""])


def steps_of(prefix: str, generated: str) -> str:
    """The C++ that steps a model, without what Verilator does around: which clock has risen, and again until all rests.

    Parameters
    ----------
    prefix : str
        Prefix of what Verilator made.
    generated : str
        All of it.

    Returns
    -------
    str
        Defines ``Steps``. If the model is not made as is expected here, it evaluates the whole of it.
    """
    root = f"{prefix}___024root"
    risen = re.search(
        rf"void {root}___eval_triggers_vec__act\({root}\* vlSelf\) \{{(.*?)^\}}", generated, re.MULTILINE | re.DOTALL
    )
    one_clock = (
        r"__VactTriggered\[0U\] = \(QData\)\(\(IData\)\( *\(\(IData\)\(vlSelfRef\.clk\) *"
        r"& \(~ \(IData\)\(vlSelfRef\.(\w+clk\w*)\)\)\)\)\); *vlSelfRef\.\1 = vlSelfRef\.clk;"
    )
    if not risen or not re.search(one_clock, re.sub(r"\s+", " ", risen[1])) or risen[1].count("Triggered[") != 1:
        return "using Steps = rewardware::WholeSteps;\n"
    settles = f"void {root}___eval_ico({root}* vlSelf) {{" in generated
    declared = [f"void {root}___eval_nba({root} *);", *([f"void {root}___eval_ico({root} *);"] * settles)]
    settle = f"root.__VicoTriggered[0] = 1; {root}___eval_ico(&root);" if settles else ""
    return "\n".join(
        [
            *declared,
            "struct Steps {",
            f"    static void clock(V &model) {{ {root} &root = *model.rootp; settle(model); "
            f"root.__VnbaTriggered[0] = 1; {root}___eval_nba(&root); root.__VnbaTriggered[0] = 0; }}",
            f"    static void settle(V &model) {{ {root} &root = *model.rootp; (void)root; {settle} }}",
            "};",
            "",
        ]
    ).replace("V &model", f"{prefix} &model")
