"""Bytes over two wires: eight data bits, no parity, one stop bit."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import stream
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent

__all__ = ["UartReceiver", "UartTransmitter"]


class UartReceiver(ConfiguredComponent):
    """Bytes from a wire. A byte whose stop bit is missing is dropped.

    Latency: a byte comes out in the middle of its stop bit, two cycles of synchronisation later. Back-pressure: none,
    the wire does not wait.

    Parameters
    ----------
    config : UartConfig

    Members
    -------
    rx : :py:`In(1)`
        The wire, asynchronous, idle at 1.
    o : :py:`Out(stream.Signature(8, always_ready=True))`
    """

    def __init__(self, config):
        super().__init__(config, {"rx": In(1, init=1), "o": Out(stream.Signature(8, always_ready=True))})

    @property
    def latency(self):
        """Cycles from the falling edge of the start bit to the byte."""
        return 2 + self.config.divisor // 2 + 9 * self.config.divisor

    def elaborate(self, platform):
        m = Module()
        divisor = self.config.divisor
        rx = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.rx, rx, init=1)
        wait = Signal(range(divisor))
        bits = Signal(range(10))
        received = Signal(8)
        m.d.comb += self.o.payload.eq(received)
        with m.FSM():
            with m.State("IDLE"), m.If(~rx):
                m.d.sync += [wait.eq(divisor // 2 - 1), bits.eq(0)]
                m.next = "BITS"
            with m.State("BITS"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.d.sync += [wait.eq(divisor - 1), bits.eq(bits + 1)]
                    with m.If(bits == 0):
                        # The start bit's middle: a glitch is over by now.
                        with m.If(rx):
                            m.next = "IDLE"
                    with m.Elif(bits == 9):
                        m.d.comb += self.o.valid.eq(rx)
                        m.next = "IDLE"
                        with m.If(~rx):
                            m.next = "RECOVER"
                    with m.Else():
                        m.d.sync += received.eq(Cat(received[1:], rx))
            with m.State("RECOVER"), m.If(rx):
                m.next = "IDLE"
        return m


class UartTransmitter(ConfiguredComponent):
    """Bytes to a wire.

    Latency: one cycle to the start bit. Throughput: a byte every ten bit times and a cycle. Back-pressure: ``i`` is
    ready when the byte before is through.

    Parameters
    ----------
    config : UartConfig

    Members
    -------
    i : :py:`In(stream.Signature(8))`
    tx : :py:`Out(1)`
        The wire, idle at 1.
    """

    def __init__(self, config):
        super().__init__(config, {"i": In(stream.Signature(8)), "tx": Out(1, init=1)})

    @property
    def latency(self):
        """Cycles from the transfer of a byte to its start bit."""
        return 1

    def elaborate(self, platform):
        m = Module()
        divisor = self.config.divisor
        wait = Signal(range(divisor))
        left = Signal(range(11))
        shifted = Signal(10)
        m.d.comb += self.i.ready.eq(left == 0)
        with m.If(left == 0):
            with m.If(self.i.valid):
                m.d.sync += [
                    self.tx.eq(0),
                    shifted.eq(Cat(self.i.payload, Const(0b11, 2))),
                    wait.eq(divisor - 1),
                    left.eq(10),
                ]
        with m.Elif(wait == 0):
            m.d.sync += [
                self.tx.eq(shifted[0]),
                shifted.eq(Cat(shifted[1:], 1)),
                wait.eq(divisor - 1),
                left.eq(left - 1),
            ]
        with m.Else():
            m.d.sync += wait.eq(wait - 1)
        return m
