"""The one place that knows how families of FPGAs differ: how Yosys synthesises for them and what its cells cost.

No core uses a vendor primitive; what a family's synthesis makes of the portable description is counted here. No
Amaranth in this module.
"""

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, fields

__all__ = ["TARGETS", "Resources", "Target"]


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Resources of a design, in the units of its family.

    Parameters
    ----------
    lut : float
        LUTs, those used as memory, as shift register and for carries included.
    ff : float
        Flip-flops.
    dsp : float
        Multiplier blocks.
    bram : float
        Block memories; half a block counts as 0.5.
    uram : float
        Larger memory blocks, of families that have them.
    """

    lut: float = 0
    ff: float = 0
    dsp: float = 0
    bram: float = 0
    uram: float = 0

    def __add__(self, other: "Resources") -> "Resources":
        return Resources(**{name: value + getattr(other, name) for name, value in self.items()})

    def __mul__(self, factor: float) -> "Resources":
        return Resources(**{name: value * factor for name, value in self.items()})

    def __sub__(self, other: "Resources") -> "Resources":
        return self + other * -1

    def items(self) -> list[tuple[str, float]]:
        """Names and values, in the order of the table."""
        return [(field.name, getattr(self, field.name)) for field in fields(self)]


@dataclass(frozen=True, kw_only=True)
class Target:
    """One family of FPGAs.

    Parameters
    ----------
    name : str
        Its name on the command line.
    description : str
        A few words for people.
    synthesis : str
        The Yosys command, ``{top}`` stands for the top module.
    preparation : tuple of str
        Yosys commands before it.
    cells : Mapping
        Patterns of cell names, each with the :class:`Resources` of one such cell; the first pattern that fits
        counts, a cell that fits none is free (buffers, wide multiplexers, carry chains beside their LUTs).
    units : Mapping
        What the family calls each resource that it has.
    logic : tuple of str
        Patterns of the cells that a path between registers goes through: LUTs, carries, wide multiplexers.
    large_memories : str
        Option of the synthesis command that lets memories be ``uram``.
    """

    name: str
    description: str
    synthesis: str
    cells: Mapping[str, Resources]
    units: Mapping[str, str]
    logic: tuple[str, ...]
    preparation: tuple[str, ...] = ()
    large_memories: str = ""

    def cost(self, cell: str) -> Resources:
        """Resources of one cell of the type ``cell``."""
        for pattern, resources in self.cells.items():
            if fnmatch.fnmatchcase(cell, pattern):
                return resources
        return Resources()

    def count(self, cells: Mapping[str, int]) -> Resources:
        """Resources of all the cells of a module; ``cells`` is a count by type."""
        total = Resources()
        for cell, number in cells.items():
            total += self.cost(cell) * number
        return total


_XILINX_CELLS = {
    "LUT[1-6]": Resources(lut=1),
    "INV": Resources(lut=1),
    "SRL*": Resources(lut=1),
    "RAM32X1D": Resources(lut=2),
    "RAM64X1D": Resources(lut=2),
    "RAM128X1D": Resources(lut=4),
    "RAM32M": Resources(lut=4),
    "RAM64M": Resources(lut=4),
    "RAM32M16": Resources(lut=8),
    "RAM64M8": Resources(lut=8),
    "FD[RSCP]E*": Resources(ff=1),
    "DSP48E*": Resources(dsp=1),
    "RAMB36E*": Resources(bram=1),
    "RAMB18E*": Resources(bram=0.5),
    "FIFO36E*": Resources(bram=1),
    "URAM288*": Resources(uram=1),
}

_ECP5_CELLS = {
    "LUT4": Resources(lut=1),
    "CCU2C": Resources(lut=2),
    "TRELLIS_DPR16X4": Resources(lut=6),  # four LUT4s of data, and a slice of two for its write port
    "TRELLIS_FF": Resources(ff=1),
    "MULT18X18D": Resources(dsp=1),
    "DP16KD": Resources(bram=1),
    "PDPW16KD": Resources(bram=1),
}

_INTEL_CELLS = {
    "MISTRAL_ALUT*": Resources(lut=1),
    "MISTRAL_NOT": Resources(lut=1),
    "MISTRAL_MLAB": Resources(lut=2),
    "MISTRAL_FF": Resources(ff=1),
    "MISTRAL_MUL27X27": Resources(dsp=1),
    "MISTRAL_MUL18X18": Resources(dsp=0.5),
    "MISTRAL_MUL9X9": Resources(dsp=1 / 3),
    "MISTRAL_M10K": Resources(bram=1),
}

_ICE40_CELLS = {
    "SB_LUT4": Resources(lut=1),
    "SB_DFF*": Resources(ff=1),
    "SB_MAC16": Resources(dsp=1),
    "SB_RAM40_4K*": Resources(bram=1),
}

# Cells of Yosys itself: two-input gates, so that a design can be compared without any family.
_GENERIC_CELLS = {"$_DFF*": Resources(ff=1), "$_SDFF*": Resources(ff=1), "$lut": Resources(lut=1)}


def _xilinx(name: str, description: str, units: Mapping[str, str], large_memories: str = "") -> Target:
    return Target(
        name=name,
        description=description,
        synthesis=f"synth_xilinx -family {name} -flatten -noiopad -noclkbuf -top {{top}}",
        cells=_XILINX_CELLS,
        units={"lut": "LUT6", "ff": "flip-flop", "bram": "RAMB36", **units},
        logic=("LUT*", "INV", "MUXF*", "CARRY*"),
        large_memories=large_memories,
    )


TARGETS = {
    target.name: target
    for target in (
        Target(
            name="generic",
            description="no family: LUT4s and flip-flops, multipliers and memories in logic",
            synthesis="synth -top {top} -flatten -lut 4",
            cells=_GENERIC_CELLS,
            units={"lut": "LUT4", "ff": "flip-flop", "dsp": "-", "bram": "-"},
            logic=("$lut",),
        ),
        _xilinx("xcup", "AMD UltraScale+ (Alveo, Zynq UltraScale+)", {"dsp": "DSP48E2", "uram": "URAM288"}, "-uram"),
        _xilinx("xc7", "AMD 7 series (Artix, Kintex, Zynq 7000)", {"dsp": "DSP48E1"}),
        Target(
            name="ecp5",
            description="Lattice ECP5",
            synthesis="synth_ecp5 -top {top}",
            preparation=(
                # Without two steps of the usual script: the last, "&mfs", which makes our arithmetic 10 to 40 % larger,
                # and "&dc2", after which a count of leading zeros is two to six LUTs longer.
                'scratchpad -set abc9.script "+&scorr;&sweep;&dch,-f,-r;&ps;&if,{C},{W},{D},{R},-v;&ps"',
                # Multipliers before the usual script takes them: it spends a whole block on the few bits by which
                # an operand is wider than 18. Up to four of them go into LUTs, and products of up to 12 bits: the least
                # of the four parts of a product of two significands of 24 bits.
                "proc",
                "flatten",
                "opt",
                "wreduce",
                "peepopt",
                "opt_clean",
                "techmap -map +/mul2dsp.v -map +/lattice/dsp_map_18x18.v -D DSP_NAME=$__MUL18X18 "
                "-D DSP_A_MAXWIDTH=18 -D DSP_B_MAXWIDTH=18 -D DSP_A_MINWIDTH=5 -D DSP_B_MINWIDTH=5 "
                "-D DSP_Y_MINWIDTH=13",
                "chtype -set $mul t:$__soft_mul",
                "alumacc",
            ),
            cells=_ECP5_CELLS,
            units={"lut": "LUT4", "ff": "flip-flop", "dsp": "MULT18X18D", "bram": "DP16KD"},
            logic=("LUT4", "CCU2C", "PFUMX", "L6MUX21", "MULT18X18D"),
        ),
        Target(
            name="intel",
            description="Intel Cyclone V",
            synthesis="synth_intel_alm -family cyclonev -noiopad -noclkbuf -top {top}",
            cells=_INTEL_CELLS,
            units={"lut": "ALUT", "ff": "flip-flop", "dsp": "DSP block", "bram": "M10K"},
            logic=("MISTRAL_ALUT*", "MISTRAL_NOT"),
        ),
        Target(
            name="ice40",
            description="Lattice iCE40 UltraPlus",
            synthesis="synth_ice40 -device u -dsp -top {top}",
            cells=_ICE40_CELLS,
            units={"lut": "LUT4", "ff": "flip-flop", "dsp": "SB_MAC16", "bram": "SB_RAM40"},
            logic=("SB_LUT4", "SB_CARRY"),
        ),
    )
}
