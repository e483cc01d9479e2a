"""Files for boards with PYNQ: words, and a first program that drives the design with this project's driver. No Amaranth
here."""

from collections.abc import Mapping

from ..description import PackageDescription
from .block_design import buses_of

__all__ = ["files"]

_README = """\
# NAME on a board with PYNQ

The driver is that of every other link to the device (`rewardware`, `sw/device`), over PYNQ's MMIO and an AXI DMA: what
runs on the simulator runs here, given `pynq:NAME.bit` in the place of `rtl`.

1. `vivado/block_design.tcl` with `build=yes` makes `NAME.bit` and `NAME.hwh`. A block design of your own needs these
   names:

   - `rewardware_0`: this design. Its CONTROL is on a general-purpose port of the processing system.
   - `axi_dma_0`: an AXI DMA with both channels, without scatter-gather, on a high-performance port. Its length
     registers are as wide as they go (26 bits), its streams as wide as `STREAM_IN` and `STREAM_OUT` (WIDTH bits), or
     there are converters between them.

   The interrupt may stay open: the driver asks.
2. Copy both files and `first_run.py` into one folder of the board, and install the driver there:

       python -m pip install rewardware

3. As root, in PYNQ's environment: `python first_run.py`. It loads the bitstream, refuses one of another configuration
   (HASH), and runs a program of a wait and a halt.
4. Agents and commands take the board as a backend: `rewardware train SYSTEM --backend pynq:NAME.bit`. Options of
   `open_device`: `ip` and `dma` (other names), `download=False` (the fabric is configured already), `packet_rows`
   (rows of the longest packet that the device sends), `timeout` (seconds).

A DMA that counts fewer bytes limits packets; the driver says so when a packet does not fit. A program ended by Ctrl-C
leaves a device that `soft_reset()` makes usable again.

None of this has run on a board: the driver is tested against a stand-in of PYNQ's calls with the simulated design
behind it.
"""

_FIRST_RUN = '''\
"""Opens NAME in the fabric of this board and runs a first program."""

import sys

from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.device.open import open_device

# The preset that the design was made from, or the YAML file.
PRESET = "CONFIGURATION"


def main(bitstream="NAME.bit", preset=PRESET):
    """Open the device, run a wait and a halt, and say what it was."""
    config = find_design("DESIGN").configure(read_preset(preset, "DESIGN").hardware)
    instructions = config.shell.instruction_set
    with open_device(f"pynq:{bitstream}", config) as device:
        device.soft_reset()
        device.load_program([instructions.encode("wait", wait="all"), instructions.encode("halt")])
        report = device.run(cycle_limit=100_000)
        print(f"{device.transport.name}: {report.retired} instructions in {report.cycles} cycles")
    return report


if __name__ == "__main__":
    main(*sys.argv[1:])
'''


def files(description: PackageDescription) -> Mapping[str, str]:
    """``pynq/README.md`` and ``pynq/first_run.py``; none without a block design that has an AXI DMA."""
    buses = buses_of(description)
    if buses is None or buses.from_host is None or buses.to_host is None:
        return {}
    # Some systems' configurations hold the device and the sizes of its memories: then the device has the preset's name.
    configuration = description.configuration.get("device", description.configuration)
    words = {
        "NAME": description.name,
        "DESIGN": description.design,
        "SYSTEM": description.design,
        "CONFIGURATION": str(configuration["name"]),
        "HASH": f"{description.configuration_hash:#010x}",
        "CONTROL": f"`{buses.control.name}`",
        "STREAM_IN": buses.from_host.name,
        "STREAM_OUT": buses.to_host.name,
        "WIDTH": str(buses.from_host.data_width),
    }
    return {
        "pynq/README.md": _replaced(_README, words),
        "pynq/first_run.py": _replaced(_FIRST_RUN, words),
    }


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
