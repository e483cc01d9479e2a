"""Which tests speak for which core."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Core:
    """A core and its tests.

    Parameters
    ----------
    room : str
        Folder below ``hw/cores`` or ``hw/soc``.
    name : str
        Class of the core.
    tests : tuple of str
        As pytest takes them, below the folder of tests of that room. Those that build no simulator, proofs for
        instance, see no mutants.
    select : str
        Expression of pytest's ``-k`` that leaves tests out.
    """

    room: str
    name: str
    tests: tuple[str, ...]
    select: str = ""

    @property
    def paths(self) -> list[str]:
        """The tests, from the root of the repository."""
        return [f"tests/hw/{self.room}/{test}" for test in self.tests]


CORES = (
    Core(room="cores/stream", name="SkidBuffer", tests=("test_skid_buffer.py",)),
    Core(room="cores/stream", name="StreamBuffer", tests=("test_buffer.py",)),
    Core(room="cores/stream", name="StreamFork", tests=("test_fork.py",)),
    Core(room="cores/stream", name="StreamConcatenation, StreamTail", tests=("test_concatenation.py",)),
    Core(room="cores/stream", name="PacketReader", tests=("test_packet.py::test_packets",)),
    Core(room="cores/stream", name="PacketIntake, PacketOutlet", tests=("test_packet_buffer.py::test_packets",)),
    Core(room="cores/stream", name="StreamPipeline", tests=("test_pipeline.py::test_pipelines",)),
)
