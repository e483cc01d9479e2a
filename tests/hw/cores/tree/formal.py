"""Properties of the interconnect, for proof by induction."""

from amaranth.hdl import Assert, Assume, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.stream.arbiter import RoundRobinArbiter
from rewardware.hw.cores.tree.interconnect import StageBankInterconnect
from tests.hw.formal import stays

# Modulo 4, more than the 3 values there is room for on a path of 3 registers: equal numbers are the same value.
NUMBER_WIDTH = 2


class FairnessProperties(wiring.Component):
    """Requests that stay until they are served wait for ``count - 1`` others at most."""

    def __init__(self, count):
        self.arbiter = RoundRobinArbiter(count, one_hot=True)
        super().__init__({"requests": In(count), "enable": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.arbiter = arbiter = self.arbiter
        count = arbiter.count
        m.d.comb += [arbiter.requests.eq(self.requests), arbiter.take.eq(self.enable & self.requests.any())]
        m.d.comb += Assert(arbiter.last < count)
        with m.If(self.requests.any()):
            m.d.comb += Assert(self.requests.bit_select(arbiter.index, 1))
            m.d.comb += Assert(arbiter.grants == 1 << arbiter.index)
        with m.Else():
            m.d.comb += Assert(arbiter.grants == 0)
        for number in range(count):
            served = Signal(name=f"served_{number}")
            waiting = Signal(name=f"waiting_{number}")
            others = Signal(range(count + 1), name=f"others_{number}")
            m.d.comb += served.eq(arbiter.take & (arbiter.index == number))
            m.d.sync += waiting.eq(self.requests[number] & ~served)
            with m.If(waiting):
                m.d.comb += Assume(self.requests[number])
            with m.If(~self.requests[number] | served):
                m.d.sync += others.eq(0)
            with m.Elif(arbiter.take):
                m.d.sync += others.eq(others + 1)
            # Those in front of it in the order of turns: so many can come before it.
            in_front = Signal(range(count), name=f"in_front_{number}")
            m.d.comb += in_front.eq(
                Mux(arbiter.last < number, number - 1 - arbiter.last, count + number - 1 - arbiter.last)
            )
            m.d.comb += Assert(others + Mux(waiting, in_front, 0) <= count - 1)
        return m


def body_layout(config):
    """A value that knows where it comes from and goes to, and the how manieth on this way it is."""
    return data.StructLayout({"stage": config.stage_width, "bank": config.bank_width, "number": NUMBER_WIDTH})


class RoutingProperties(wiring.Component):
    """Nothing is lost, duplicated, misrouted or overtaken between any stage and any bank, one way or the other.

    The solver chooses a stage and a bank. The source numbers its values for the target, which counts them. Beyond what
    the ports show, the registers between them are said to hold the values between the two counts, in order, and every
    register only what is on its way there: that makes it inductive.

    Parameters
    ----------
    config : InterconnectConfig
    way : str
        ``"requests"`` or ``"responses"``.
    network : callable
        Makes the interconnect; another one to see proofs fail.
    """

    def __init__(self, config, way, network=StageBankInterconnect):
        self.config = config
        self.way = way
        self.layout = body_layout(config)
        self.network = network(config, self.layout, self.layout)
        members = self.network.signature.members
        names = ("stage_requests", "bank_requests") if way == "requests" else ("bank_responses", "stage_responses")
        counts = (config.stages, config.banks) if way == "requests" else (config.banks, config.stages)
        self.entrances, self.exits = (getattr(self.network, name) for name in names)
        self.sources, self.targets = counts
        super().__init__(
            {
                "i": members[names[0]],
                "o": members[names[1]],
                "chosen": In(data.StructLayout({"source": range(self.sources), "target": range(self.targets)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.network = self.network
        for outside, inside in zip(self.i, self.entrances, strict=True):
            wiring.connect(m, wiring.flipped(outside), inside)
        for inside, outside in zip(self.exits, self.o, strict=True):
            wiring.connect(m, inside, wiring.flipped(outside))

        later, before = Signal(), Signal.like(self.chosen)
        m.d.sync += [later.eq(1), before.eq(self.chosen)]
        m.d.comb += [
            Assume(~later | (self.chosen == before)),
            Assume((self.chosen.source < self.sources) & (self.chosen.target < self.targets)),
        ]
        sent, received = Signal(NUMBER_WIDTH), Signal(NUMBER_WIDTH)
        for number, port in enumerate(self.i):
            body = port.payload.body
            source, target = self._way_of(body)
            m.d.comb += [Assume(source == number), Assume(target < self.targets)]
            m.d.comb += Assume(target == (port.payload.bank if self.way == "requests" else port.payload.stage))
            with m.If(port.valid & self._is_chosen(body)):
                m.d.comb += Assume(body.number == sent)
                with m.If(port.ready):
                    m.d.sync += sent.eq(sent + 1)
        for number, port in enumerate(self.o):
            stays(m, port, f"o_{number}", Assert)
            body = port.payload.body if self.way == "requests" else port.payload
            with m.If(port.valid):
                m.d.comb += Assert(self._way_of(body)[1] == number)
                if self.way == "requests":
                    m.d.comb += Assert(port.payload.stage == body.stage)
            with m.If(port.valid & self._is_chosen(body)):
                m.d.comb += Assert(body.number == received)
                with m.If(port.ready):
                    m.d.sync += received.eq(received + 1)
        self._check_registers(m, sent, received)
        return m

    def _way_of(self, body):
        return (body.stage, body.bank) if self.way == "requests" else (body.bank, body.stage)

    def _is_chosen(self, body):
        source, target = self._way_of(body)
        return (source == self.chosen.source) & (target == self.chosen.target)

    def _check_registers(self, m, sent, received):
        """Layer by layer, from the targets to the sources."""
        ahead = received
        for layer, (rows, from_target, mask) in reversed(list(enumerate(self._layers()))):
            here, number = Signal(name=f"here_{layer}"), Signal(NUMBER_WIDTH, name=f"number_{layer}")
            for row, port in rows.items():
                bits = Value.cast(port.payload)
                body = data.View(self.layout, bits[-self.layout.size :])
                source, target = self._way_of(body)
                rest = len(bits) - self.layout.size
                with m.If(port.valid):
                    m.d.comb += [
                        Assert((source < self.sources) & (target < self.targets)),
                        Assert(((source & ~from_target) | (target & from_target)) & mask == row),
                        Assert(bits[:rest] == self._front(body, rest)),
                    ]
                with m.If(port.valid & self._is_chosen(body)):
                    m.d.comb += [here.eq(1), number.eq(body.number)]
            m.d.comb += Assert(~here | (number == ahead))
            following = Signal(NUMBER_WIDTH, name=f"ahead_{layer}")
            m.d.comb += following.eq(ahead + here)
            ahead = following
        m.d.comb += Assert(sent == ahead)

    def _layers(self):
        """Registers of each layer by their row, which bits of a row are those of the target, and which bits count."""
        network, config = getattr(self.network, self.way), self.config
        mask = self._row_mask()
        if config.interconnect == "crossbar":
            return [(dict(enumerate(network.o)), mask, mask)]
        layers = []
        held = {
            name: {number: skid_buffer.held for number, skid_buffer in enumerate(skid_buffers)}
            for name, skid_buffers in self.network.skid_buffers.items()
        }
        if self.way == "requests" and held:
            layers.append((held["stage"], 0, (1 << config.stage_width) - 1))
        concentrators = self.network.concentrators if self.way == "responses" else self.network.stage_concentrators
        if concentrators:
            layers.append(({port: switch.o[0] for port, switch in enumerate(concentrators)}, 0, mask))
        if held:
            layers.append((held["request" if self.way == "requests" else "response"], 0, mask))
        from_target = 0
        for rows, radix in zip(network.rows, config.radices, strict=True):
            from_target = (from_target + 1) * radix - 1
            layers.append((rows, from_target, mask))
        if held:
            layers.append((held["bank_delivery" if self.way == "requests" else "stage_delivery"], from_target, mask))
        return layers

    def _row_mask(self):
        """All bits of a row's number."""
        if self.config.interconnect == "crossbar":
            return (1 << (self.targets - 1).bit_length()) - 1
        return self.config.ports - 1

    def _front(self, body, width):
        """Bits before the body in a register: the rest of the destination, then the stage of a request."""
        if self.way == "responses":
            return body.stage[len(body.stage) - width :]
        return Cat(body.bank[len(body.bank) + len(body.stage) - width :], body.stage)
