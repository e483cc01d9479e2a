"""A core and the tests that speak for it."""

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
    beside : tuple of str
        Instances in what the tests simulate that are no part of the core and whose class has no row of its own, each by
        the beginning of its path.
    component : str
        The class, as ``package.module:Class``, where the tests simulate it with Amaranth or prove it: they build no
        simulator, so it is elaborated with its mutants.
    """

    room: str
    name: str
    tests: tuple[str, ...]
    beside: tuple[str, ...] = ()
    component: str = ""

    @property
    def classes(self) -> set[str]:
        """Names of its classes."""
        return set(self.name.split(", "))

    @property
    def paths(self) -> list[str]:
        """The tests, from the root of the repository."""
        return [f"tests/hw/{self.room}/{test}" for test in self.tests]
