"""A large design in blocks: modules that become models of their own, compiled once for all their instances.

A design compiled as a whole is program code as large as the design, which a processor has to read in every cycle and
its caches do not hold. In blocks, hundreds of equal units are one piece of code, and a block of which neither inputs
nor state change is left out (``block.h``): it would compute what it has computed. The bits of each signal in each cycle
are the same either way.

A block is called once a cycle, with the values before the clock rises. Outputs that depend on inputs without a register
between are asked for when these inputs change, those with the same inputs in one call.
"""

import functools
import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...hw.soc.limited_command import run_all, termination_raised
from .block_model import BlockModel, block_model, steps_of
from .cache import build_once, content_key
from .compiler import Compiler
from .netlist import Netlist
from .partition import Partition, choose_blocks

__all__ = ["DesignSize", "split_design"]

logger = logging.getLogger(__name__)

_HEADER = Path(__file__).with_name("block.h")
_SPLIT_FLAGS = ("--output-split", "200000", "--output-split-cfuncs", "2000")
# Lines from which on several files are worth it.
_LARGE = 8000


@dataclass(frozen=True)
class DesignSize:
    """How large a design is to the simulator.

    Parameters
    ----------
    lines : int
        Lines of Verilog, with those of each instance; 0: not known.
    kinds : int
        Blocks that differ.
    blocks : int
        Instances of blocks; 0: it is simulated as a whole.
    """

    lines: int
    kinds: int = 0
    blocks: int = 0


def split_design(text: str, top: str, partition: Partition, compiler: Compiler) -> tuple[str, list[Path], DesignSize]:
    """Split a design into the blocks that are compiled apart and what links them.

    Parameters
    ----------
    text : str
        From :func:`...hw.cores.verilog.emit.emit`.
    top : str
    partition : Partition
    compiler : Compiler
        For the blocks.

    Returns
    -------
    tuple of str, list of Path and DesignSize
        The design with a stub in the place of each block, and archives; the design itself where it is small, or is not
        understood.
    """
    models: dict[str, BlockModel] = {}
    try:
        netlist = Netlist(text, top)
    except ValueError as error:
        # Verilator will say it in its own words.
        logger.info("compiled as a whole: %s", error)
        return text, [], DesignSize(0)
    for module in choose_blocks(netlist, partition):
        models[module] = block_model(netlist, module, models)
    size = DesignSize(netlist.sizes[top], len(models), sum(netlist.counts[module] for module in models))
    if not models:
        return text, [], size
    archives = _compile_all(list({model.name: model for model in models.values()}.values()), compiler)
    for module, model in models.items():
        text = text.replace(netlist.modules[module].text, model.stub)
    return text, archives, size


def _compile_all(models: Sequence[BlockModel], compiler: Compiler) -> list[Path]:
    # The largest first: the last to end would otherwise run alone.
    ordered = sorted(models, key=lambda model: len(model.verilog), reverse=True)
    with termination_raised():
        compiled = run_all(os.cpu_count() or 1, [functools.partial(_compile, model, compiler) for model in ordered])
    functions, archives = zip(*compiled, strict=True)
    # A block's functions are called from the archives of others.
    return [*functions, *archives]


def _compile(model: BlockModel, compiler: Compiler) -> tuple[Path, Path]:
    """Functions and model of a block, in the cache."""
    prefix = f"V{model.name}"
    flags = _SPLIT_FLAGS if model.verilog.count("\n") > _LARGE else ()
    key = content_key(verilog=model.verilog, glue=model.glue, header=_HEADER.read_text(), flags=flags, **compiler.key)

    def compile_into(folder: Path) -> None:
        design, objects = folder / "design.v", folder / "objects"
        design.write_text(model.verilog)
        compiler.verilate(design, model.name, prefix, objects, *flags)
        generated = "".join(file.read_text() for file in sorted(objects.glob(f"{prefix}_*.cpp")))
        glue = [f'#include "{prefix}.h"', f'#include "{prefix}__Syms.h"', _HEADER.read_text()]
        (objects / "glue.cpp").write_text("\n".join([*glue, steps_of(prefix, generated), model.glue]))
        compiler.compile(objects, prefix, [f"{prefix}__ALL.a", "glue.o"], linked=False)
        shutil.move(objects / "glue.o", folder / "glue.o")
        shutil.move(objects / f"{prefix}__ALL.a", folder / "model.a")
        shutil.rmtree(objects)

    folder = build_once("blocks", key, compile_into)
    return folder / "glue.o", folder / "model.a"
