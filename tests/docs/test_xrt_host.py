"""The host program of docs/integration.md, compiled and run against a fake of the classes of XRT that it uses.

The fake's kernel takes rows by its first master and gives them back by its second one, as far as its registers say so,
and answers as the registers do. It tells every access; the addresses are compared with the map of the kernel.
"""

import re
import shutil
import subprocess

import numpy as np
import pytest

from rewardware.hw.soc.bus.kernel_registers import kernel_address_map
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.describe import describe
from rewardware.hw.soc.export.formats import c_header
from rewardware.hw.soc.presets import load_preset, read_preset
from tests.docs.test_snippets import ROOT, snippets

PAGE = ROOT / "docs/integration.md"
# Seconds of the compiler, and of a host that waits in vain.
LIMIT = 120
ROWS, ROW_BYTES = 8, 16

# What XRT's headers declare of these classes, and a kernel behind them.
FAKE = """
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE };

namespace fake {
inline std::map<uint64_t, std::vector<char>> memory;
inline std::map<uint32_t, uint32_t> registers;
inline std::ofstream log("log.txt");
inline bool reading = false, writing = false;
inline const bool broken = std::getenv("BROKEN") != nullptr;
// Reads of the status until the last rows are written, which the bus may refuse.
inline int behind = 0;

inline uint64_t pair(uint32_t low) { return registers[low] | uint64_t(registers[low + 4]) << 32; }

inline void work() {
    const auto& rows = memory.at(pair(SOURCE));
    auto& results = memory.at(pair(DESTINATION));
    const size_t bytes = 16 * registers[SOURCE + 8];
    if (reading && writing && bytes <= rows.size() && bytes <= results.size() &&
        registers[SOURCE + 8] == registers[DESTINATION + 8])
        std::memcpy(results.data(), rows.data(), bytes);
    registers[ROWS_WRITTEN] = registers[DESTINATION + 8];
    registers[STATUS] = broken ? 3 : 2;
    registers[ERRORS] = broken ? 8 : 0;
    reading = false;
    behind = 3;
}
}  // namespace fake

namespace xrt {
struct uuid {};

struct xclbin {
    explicit xclbin(const std::string& path) { fake::log << "xclbin " << path << "\\n"; }
    struct mem {
        int index;
        int32_t get_index() const { return index; }
    };
    struct arg {
        std::string name;
        int bank;
        std::string get_name() const { return name; }
        std::vector<mem> get_mems() const { return {mem{bank}}; }
    };
    struct ip {
        std::vector<arg> get_args() const { return {{"source_address_low", 3}, {"destination_address_low", 5}}; }
    };
    struct kernel {
        std::vector<ip> get_cus() const { return {ip{}}; }
    };
    std::vector<kernel> get_kernels() const { return {kernel{}}; }
};

struct device {
    explicit device(unsigned int) {}
    uuid load_xclbin(const xclbin&) { return {}; }
};

struct bo {
    std::vector<char> host;
    uint64_t place;
    bo(const device&, size_t size, uint32_t bank) : host(size), place(uint64_t(bank) << 33) {
        fake::memory[place].resize(size);
    }
    void write(const void* data) { std::memcpy(host.data(), data, host.size()); }
    void read(void* data) { std::memcpy(data, host.data(), host.size()); }
    void sync(xclBOSyncDirection direction) {
        if (direction == XCL_BO_SYNC_BO_TO_DEVICE) fake::memory[place] = host;
        else host = fake::memory[place];
    }
    uint64_t address() const { return place; }
};

struct ip {
    ip(const device&, const uuid&, const std::string& name) {
        fake::log << "kernel " << name << "\\n";
        fake::registers[HASH] = std::getenv("HASH_READ") ? 1 : HASH_VALUE;
    }
    void write_register(uint32_t address, uint32_t value) {
        fake::log << "write " << address << " " << value << "\\n";
        fake::registers[address] = value;
        if (address == MOVERS_CONTROL && value == 1) fake::reading = true;
        if (address == MOVERS_CONTROL && value == 4) fake::writing = true;
        if (address == CONTROL && value == 1) fake::work();
    }
    uint32_t read_register(uint32_t address) {
        if (address == MOVERS_STATUS && fake::behind && --fake::behind == 0) {
            fake::writing = false;
            fake::registers[MOVERS_ERRORS] = std::getenv("UNWRITTEN") ? 16 : 0;
        }
        if (address == MOVERS_STATUS) return uint32_t(fake::reading) | uint32_t(fake::writing) << 1;
        return fake::registers[address];
    }
};
}  // namespace xrt
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The host, compiled, and the files that the page's Python writes for it."""
    folder = tmp_path_factory.mktemp("host")
    (host,) = re.findall(r"^```cpp\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (folder / "host.cpp").write_text(host)
    design = find_design("fixar")
    configuration = design.configure(read_preset("small", "fixar").hardware)
    description = describe(design.top(configuration, kernel=True), "fixar", configuration=configuration)
    (folder / "fixar.h").write_text(c_header.files(description)["fixar.h"])
    addresses = kernel_address_map(configuration.shell.address_map)
    names = {
        "SOURCE": "source_address_low",
        "DESTINATION": "destination_address_low",
        "MOVERS_CONTROL": "movers_control",
        "MOVERS_STATUS": "movers_status",
        "MOVERS_ERRORS": "movers_errors",
        "ROWS_WRITTEN": "rows_written",
        "STATUS": "status",
        "CONTROL": "control",
        "ERRORS": "errors",
        "HASH": "configuration_hash",
    }
    defines = [f"-D{name}={addresses[register].address}" for name, register in names.items()]
    defines.append(f"-DHASH_VALUE={configuration.shell.configuration_hash}u")
    for header in ("experimental/xrt_ip.h", "experimental/xrt_xclbin.h", "xrt/xrt_bo.h", "xrt/xrt_device.h"):
        (folder / header).parent.mkdir(exist_ok=True)
        (folder / header).write_text('#pragma once\n#include "../fake.h"\n')
    (folder / "fake.h").write_text(FAKE)
    compiler = shutil.which("g++")
    assert compiler, "g++ is missing: install it (Debian: apt-get install g++)"
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I.", *defines, "-o", "host", "host.cpp"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def run(folder, tmp_path, **variables):
    files = [str(folder / name) for name in ("program.bin", "rows.bin")]
    (python,) = snippets(PAGE)[0]
    exec(python.replace('"program.bin"', repr(files[0])).replace('"rows.bin"', repr(files[1])), {})
    command = [str(folder / "host"), "fixar.xclbin", *files, str(ROWS), "results.bin"]
    return subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=LIMIT, check=False
    )


def test_the_host_runs_a_program(folder, tmp_path):
    assert run(folder, tmp_path).returncode == 0
    rows = np.fromfile(tmp_path / "results.bin", np.uint32)
    assert rows.tolist() == list(range(ROWS * 4))
    binary, kernel, *log = (tmp_path / "log.txt").read_text().splitlines()
    assert (binary, kernel) == ("xclbin fixar.xclbin", "kernel fixar")
    shell = load_preset("small").shell
    addresses = kernel_address_map(shell.address_map)
    written = [tuple(map(int, line.split()[1:])) for line in log]
    program = np.fromfile(folder / "program.bin", np.uint32)
    window = addresses["program"].address
    assert written[: len(program)] == [(window + 4 * index, word) for index, word in enumerate(program.tolist())]
    assert len(program) == 3 * shell.instruction_set.width // 32
    expected = [
        *(("source_address_low", 0), ("source_address_high", 6), ("source_rows", ROWS)),
        *(("destination_address_low", 0), ("destination_address_high", 10), ("destination_rows", ROWS)),
        *(("movers_control", 1), ("movers_control", 4), ("start_address", 0), ("control", 1)),
    ]
    assert written[len(program) :] == [(addresses[name].address, value) for name, value in expected]


@pytest.mark.parametrize(
    "variables, message",
    [
        ({"BROKEN": "1"}, "errors 8, of the movers 0\n"),
        ({"UNWRITTEN": "1"}, "errors 0, of the movers 16\n"),
        ({"HASH_READ": "1"}, "the device was made from another configuration than fixar.h\n"),
    ],
)
def test_the_host_tells_what_failed(folder, tmp_path, variables, message):
    result = run(folder, tmp_path, **variables)
    assert (result.returncode, result.stderr) == (1, message)
