"""Registers as the SystemRDL compiler has them, by its own rules."""

from systemrdl.node import RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

from rewardware.hw.soc.bus.registers import Access


def registers_of(root):
    """Address and access of each register, and (name, lowest bit, width, reset value) of its fields."""
    return {
        node.inst_name: (
            node.absolute_address,
            access_of(node),
            [(field.inst_name, field.low, field.width, field.get_property("reset")) for field in node.fields()],
        )
        for node in root.descendants()
        if isinstance(node, RegNode)
    }


def access_of(register):
    """Access of a register, that of all of its fields; a constant register is read-only to software."""
    (kind,) = {(field.get_property("sw"), field.get_property("onwrite")) for field in register.fields()}
    return {
        (AccessType.r, None): Access.READ_ONLY,
        (AccessType.rw, None): Access.READ_WRITE,
        (AccessType.rw, OnWriteType.woclr): Access.WRITE_ONE_TO_CLEAR,
        (AccessType.w, None): Access.STROBE,
    }[kind]
