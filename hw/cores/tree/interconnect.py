"""Between the stages of the search and the banks of nodes: requests there, responses back."""

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from ..stream.connect import connect_bits, connect_handshake
from ..stream.skid_buffer import SkidBuffer
from .butterfly import Butterfly
from .config import turns_are_long
from .interconnect_config import ButterflyConfig, InterconnectConfig, SwitchConfig
from .switch import Switch

__all__ = ["StageBankInterconnect"]


class StageBankInterconnect(ConfiguredComponent):
    """Carries requests from D stages to Y banks, and responses from the banks to the stages.

    With a butterfly of P ports, the power of two that is not below D, requests of stage s enter at row s, and bank b is
    joined to row b mod P after the last layer, without a register: one-to-ceil(Y/P) connections. Responses
    of the banks of a row take turns at a register, then pass the same layers. With a ``concentration`` of c there are
    P/c ports, and stages share rows as banks do: requests of those of a row take turns at a register, responses are
    told apart after the last layer. A crossbar is one switch each way, with a register for each bank or stage.

    Nothing is lost, duplicated or delivered elsewhere. What goes from one stage to one bank, or from one bank to one
    stage, keeps its order; what goes different ways does not. Arbitration is in turns: at a switch with r inputs a
    value waits for r - 1 others at most. There is no deadlock as long as stages take their responses: the two
    directions share nothing, and no path in them comes back.

    Latency: ``request_latency`` and ``response_latency`` of the configuration. Throughput: a value a cycle at each
    port. Back-pressure: a combinational path leads from ``ready`` of the banks to ``ready`` of the stages, and the
    other way for responses, one LUT for each layer of 2 x 2 switches; so banks and stages had better
    make their ``ready`` of registers. Where four stages or more share a port, the paths end at skid buffers behind
    the registers of those that take turns and after the last layer; the turns themselves at skid buffers of the stages,
    so that ``ready`` of a stage is a register; and switches choose by single bits. Else ``ready`` of an input depends
    on its ``valid``: a source must not wait for it.

    Parameters
    ----------
    config : InterconnectConfig
    request_shape, response_shape : shape-like
        Shapes of what is carried.

    Members
    -------
    stage_requests : array of D streams, in
        ``bank`` to go to, and the ``body``.
    bank_requests : array of Y streams, out
        ``stage`` it comes from, and the ``body``.
    bank_responses : array of Y streams, in
        ``stage`` to go to, and the ``body``.
    stage_responses : array of D streams, out
        The body.
    idle : out
        Nothing is on its way.

    Source
    ------
    Meng's dissertation, section 3.3.2, Fig. 3.25.
    """

    def __init__(self, config: InterconnectConfig, request_shape, response_shape):
        self.request_shape = request_shape
        self.response_shape = response_shape
        stage = range(config.stages)
        request = data.StructLayout({"bank": range(config.banks), "body": request_shape})
        delivered = data.StructLayout({"stage": stage, "body": request_shape})
        response = data.StructLayout({"stage": stage, "body": response_shape})
        super().__init__(
            config,
            {
                "stage_requests": In(stream.Signature(request)).array(config.stages),
                "bank_requests": Out(stream.Signature(delivered)).array(config.banks),
                "bank_responses": In(stream.Signature(response)).array(config.banks),
                "stage_responses": Out(stream.Signature(response_shape)).array(config.stages),
                "idle": Out(1),
            },
        )
        width = config.bank_width + delivered.size
        # By what they are after: stages, concentrators of requests and of responses, and last layers of both.
        self.skid_buffers: dict[str, list[SkidBuffer]] = {}
        if config.interconnect == "crossbar":
            switches = (
                SwitchConfig(inputs=config.stages, outputs=config.banks, width=width),
                SwitchConfig(inputs=config.banks, outputs=config.stages, width=response.size),
            )
            self.requests, self.responses = (replicated(Switch(switch)) for switch in switches)
            self.concentrators = []
            self.stage_concentrators = []
        else:
            shared = turns_are_long(config.concentration)
            self.requests, self.responses = (
                Butterfly(ButterflyConfig(radices=config.radices, width=bits, one_hot=shared))
                for bits in (width, response.size)
            )
            self.concentrators = [
                replicated(Switch(self._concentrator(self._banks(port), response.size, shared)))
                for port in range(min(config.ports, config.banks))
            ]
            self.stage_concentrators = [
                replicated(Switch(self._concentrator(self._stages(port), width, shared)))
                for port in range(config.ports if config.concentration > 1 else 0)
            ]
            if shared:
                sources = {
                    "stage": [width] * config.stages,
                    "request": [len(row.payload) for row in self.requests.i],
                    "response": [len(row.payload) for row in self.responses.i],
                    "bank_delivery": [len(row.payload) for row in self.requests.o],
                    "stage_delivery": [len(row.payload) for row in self.responses.o],
                }
                self.skid_buffers = {name: [SkidBuffer(bits) for bits in widths] for name, widths in sources.items()}

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests, m.submodules.responses = self.requests, self.responses
        entrances = dict(enumerate(self.requests.i))
        for number, concentrator in enumerate(self.stage_concentrators):
            m.submodules[f"stage_concentrator_{number}"] = concentrator
            entrances |= dict(zip(self._stages(number), concentrator.i, strict=True))
            wiring.connect(m, self._after(m, concentrator.o[0], "request", number), self.requests.i[number])
        for number, skid_buffer in enumerate(self.skid_buffers.get("stage", ())):
            m.submodules[f"stage_skid_buffer_{number}"] = skid_buffer
            wiring.connect(m, skid_buffer.o, entrances[number])
            entrances[number] = skid_buffer.i
        for number, port in enumerate(self.stage_requests):
            stage = Const(number, self._config.stage_width)
            m.d.comb += entrances[number].payload.eq(Cat(port.payload.bank, stage, port.payload.body))
            connect_handshake(m, port, entrances[number])
        for number, row in enumerate(self.responses.o):
            row = self._after(m, row, "stage_delivery", number)
            self._distribute(m, row, [self.stage_responses[stage] for stage in self._stages(number)])
        if self._config.interconnect == "crossbar":
            for row, port in zip(self.requests.o, self.bank_requests, strict=True):
                connect_bits(m, row, port)
            for port, row in zip(self.bank_responses, self.responses.i, strict=True):
                connect_bits(m, port, row)
        else:
            for number, row in enumerate(self.requests.o):
                row = self._after(m, row, "bank_delivery", number)
                self._distribute(m, row, [self.bank_requests[bank] for bank in self._banks(number)])
            for number, concentrator in enumerate(self.concentrators):
                m.submodules[f"concentrator_{number}"] = concentrator
                for bank, row in zip(self._banks(number), concentrator.i, strict=True):
                    connect_bits(m, self.bank_responses[bank], row)
                wiring.connect(m, self._after(m, concentrator.o[0], "response", number), self.responses.i[number])
        m.d.comb += self.idle.eq(~Cat(register.valid for register in self._registers()).any())
        return m

    def _registers(self):
        """Streams behind all registers."""
        if self._config.interconnect == "crossbar":
            return [*self.requests.o, *self.responses.o]
        rows = [row for network in (self.requests, self.responses) for layer in network.rows for row in layer.values()]
        concentrators = [*self.concentrators, *self.stage_concentrators]
        held = [skid_buffer.held for skid_buffers in self.skid_buffers.values() for skid_buffer in skid_buffers]
        return [*rows, *(concentrator.o[0] for concentrator in concentrators), *held]

    def _after(self, m, source, name, number):
        """The stream after its skid buffer, where there is one."""
        if name not in self.skid_buffers:
            return source
        m.submodules[f"{name}_skid_buffer_{number}"] = skid_buffer = self.skid_buffers[name][number]
        wiring.connect(m, source, skid_buffer.i)
        return skid_buffer.o

    @staticmethod
    def _concentrator(sources, width, one_hot):
        """Shape of the switch by which sources take turns at a port."""
        return SwitchConfig(inputs=len(sources), outputs=1, width=width, one_hot=one_hot)

    def _banks(self, port):
        """Banks at a port of the butterfly."""
        return range(port, self._config.banks, self._config.ports)

    def _stages(self, port):
        """Stages at a port of the butterfly, or of the crossbar."""
        return range(port, self._config.stages, self._config.ports)

    def _distribute(self, m, row, ports):
        """Join a row of the butterfly to its banks or stages; what is left of their number chooses among them."""
        if not ports:
            return
        digit_width = len(row.payload) - len(Value.cast(ports[0].payload))
        digit = row.payload[:digit_width]
        for number, port in enumerate(ports):
            # A single port takes all that comes.
            chosen = digit == number if len(ports) > 1 else Const(1)
            m.d.comb += [Value.cast(port.payload).eq(row.payload[digit_width:]), port.valid.eq(row.valid & chosen)]
            with m.If(chosen):
                m.d.comb += row.ready.eq(port.ready)
