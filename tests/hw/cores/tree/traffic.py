"""Stages and banks that keep an interconnect busy and check what comes, as gateware: millions of requests."""

from amaranth.hdl import Cat, Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.tree.interconnect import StageBankInterconnect

NUMBER_WIDTH = 16
CHANCE_WIDTH = 8
TOTAL_WIDTH = 32


class Traffic(wiring.Component):
    """An interconnect between stages that request of random banks, and banks that answer.

    Each stage numbers its requests to each bank, and looks for the numbers in the answers, in order.

    Parameters
    ----------
    config : InterconnectConfig

    Members
    -------
    load, bank_stall, stage_stall : in
        In 256ths, the chances that a stage with nothing to send requests, that a bank and that a stage do not take
        what comes.
    sent, received : out
        Requests that went in and answers that came out, of all stages.
    failed : out
        An answer came to another stage, from another bank, or not in order.
    """

    def __init__(self, config):
        self.config = config
        self.latency = 0
        chance = unsigned(CHANCE_WIDTH)
        super().__init__(
            {
                "load": In(chance),
                "bank_stall": In(chance),
                "stage_stall": In(chance),
                "sent": Out(TOTAL_WIDTH),
                "received": Out(TOTAL_WIDTH),
                "failed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        body = data.StructLayout({"stage": config.stage_width, "bank": config.bank_width, "number": NUMBER_WIDTH})
        m.submodules.network = network = StageBankInterconnect(config, body, body)
        wrong = [self._bank(m, network, bank) for bank in range(config.banks)]
        sent, received = [], []
        for stage in range(config.stages):
            requested = self._request(m, network.stage_requests[stage], stage)
            answered, unexpected = self._check(m, network.stage_responses[stage], stage)
            sent.append(requested)
            received.append(answered)
            wrong.append(unexpected)
        m.d.sync += [
            self.sent.eq(self.sent + sum(sent)),
            self.received.eq(self.received + sum(received)),
            self.failed.eq(self.failed | Cat(wrong).any()),
        ]
        return m

    def _request(self, m, port, stage):
        random = _random(m, f"stage_{stage}", 2 * stage + 1)
        target = Signal(self.config.bank_width, name=f"target_{stage}")
        m.d.comb += target.eq((random[:16] * self.config.banks) >> 16)
        number, count = _counters(m, f"sent_{stage}", target, self.config.banks)
        fired = Signal(name=f"fired_{stage}")
        m.d.comb += fired.eq(port.valid & port.ready)
        with m.If(~port.valid | port.ready):
            m.d.sync += port.valid.eq(random[16 : 16 + CHANCE_WIDTH] < self.load)
            with m.If(random[16 : 16 + CHANCE_WIDTH] < self.load):
                m.d.comb += count.eq(1)
                m.d.sync += [
                    port.payload.bank.eq(target),
                    port.payload.body.stage.eq(stage),
                    port.payload.body.bank.eq(target),
                    port.payload.body.number.eq(number),
                ]
        return fired

    def _check(self, m, port, stage):
        random = _random(m, f"answers_{stage}", 3 * stage + 1)
        bank = port.payload.bank
        number, count = _counters(m, f"received_{stage}", bank, self.config.banks)
        fired = Signal(name=f"answered_{stage}")
        m.d.sync += port.ready.eq(random[:CHANCE_WIDTH] >= self.stage_stall)
        m.d.comb += [fired.eq(port.valid & port.ready), count.eq(fired)]
        return fired, fired & ((port.payload.stage != stage) | (port.payload.number != number))

    def _bank(self, m, network, bank):
        """Answers a request with the same in the next cycle."""
        request, answer = network.bank_requests[bank], network.bank_responses[bank]
        random = _random(m, f"bank_{bank}", 5 * bank + 1)
        willing = Signal(name=f"willing_{bank}")
        m.d.sync += willing.eq(random[:CHANCE_WIDTH] >= self.bank_stall)
        m.d.comb += request.ready.eq(willing & (~answer.valid | answer.ready))
        with m.If(~answer.valid | answer.ready):
            m.d.sync += [answer.valid.eq(request.valid & willing), answer.payload.eq(request.payload)]
        body = request.payload.body
        return request.valid & ((body.bank != bank) | (body.stage != request.payload.stage))


def _random(m, name, seed):
    """A xorshift generator of 32 bits."""
    state = Signal(32, name=f"random_{name}", init=seed * 0x9E37_79B9 & 0xFFFF_FFFF or 1)
    value = state
    for number, (left, shift) in enumerate(((True, 13), (False, 17), (True, 5))):
        shifted = Signal(32, name=f"random_{name}_{number}")
        m.d.comb += shifted.eq(value ^ (value << shift if left else value >> shift))
        value = shifted
    m.d.sync += state.eq(value)
    return state


def _counters(m, name, address, depth):
    """How often an address was counted so far, and the bit that counts it."""
    memory = m.submodules[name] = Memory(shape=NUMBER_WIDTH, depth=depth, init=[])
    read, write = memory.read_port(domain="comb"), memory.write_port()
    count = Signal(name=f"count_{name}")
    m.d.comb += [
        read.addr.eq(address),
        write.addr.eq(address),
        write.data.eq(read.data + 1),
        write.en.eq(count),
    ]
    return read.data, count
