"""Internals of Amaranth on which the emitter relies: a new version that breaks one fails here, and says with what."""

import warnings

import pytest
from amaranth.hdl import Elaboratable, EnableInserter, Fragment, Instance, Module, ResetInserter, Signal
from amaranth.lib.memory import Memory

from rewardware.hw.cores.verilog.amaranth_internals import carry_reset, check_version, mark_used


class Holder(Elaboratable):
    """Holds an instance, with whatever is around it."""

    def __init__(self, around=lambda instance: instance):
        self.around = around

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = self.around(carry_reset(Instance("unit", i_x=Signal())))
        return m


def instance_of(holder):
    ((part, _, _),) = Fragment.get(holder, None).subfragments
    return part


def test_the_installed_version_is_one_that_is_known():
    check_version()


@pytest.mark.parametrize("version", ["0.4.5", "0.6.0", "1.0"])
def test_other_versions_are_refused(version):
    with pytest.raises(RuntimeError, match=f"Amaranth must be 0.5 for a conversion to Verilog, not {version}"):
        check_version(version)


def test_an_instance_holds_its_statements_by_domain():
    part = instance_of(Holder())
    assert isinstance(part, Instance), "Fragment.subfragments must be (fragment, name, location)"
    ((domain, statements),) = part.statements.items()
    assert (domain, len(statements)) == ("sync", 1), "Instance.statements must be {domain: [statement]}"
    assert hasattr(statements[0], "lhs"), "An assignment must have its target as `lhs`"


def test_a_reset_inserter_adds_its_reset_behind_the_statements():
    reset = Signal()
    (statements,) = instance_of(Holder(ResetInserter(reset))).statements.values()
    assert len(statements) == 2, "ResetInserter must add one statement"
    assert hasattr(statements[0], "lhs") and not hasattr(statements[1], "lhs"), "ResetInserter must add it at the end"


def test_an_enable_inserter_puts_the_statements_inside_its_own():
    enable = Signal()
    (statements,) = instance_of(Holder(EnableInserter(enable))).statements.values()
    assert not hasattr(statements[0], "lhs"), "EnableInserter must be told from what it stands around"


def test_unused_components_are_marked_as_used_with_what_they_hold():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        holder = Holder()
        holder.parts = [(Holder(),)]
        mark_used(holder)
        del holder


def test_a_platform_is_asked_for_memories():
    class Platform:
        def get_memory(self, memory):
            return Instance("memory", o_data=memory.read_ports[0].data)

    memory = Memory(shape=8, depth=4, init=[])
    memory.read_port()
    assert isinstance(Fragment.get(memory, Platform()), Instance)
