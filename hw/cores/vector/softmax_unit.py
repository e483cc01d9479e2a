"""The softmax unit: probabilities of choices, and choices drawn from them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..random.generator import following_state
from ..random.xorshift import NUMBERS_A_STATE, STATE_WIDTH, SUBSTITUTE_FOR_ZERO, UNIFORM_BITS
from ..replicated import replicated
from .softmax_config import SoftmaxConfig
from .softmax_lane import SoftmaxLane

__all__ = ["SoftmaxUnit", "softmax_command"]


def softmax_command(config):
    """Layout of a command: how many alternatives, and the blocks in use."""
    return data.StructLayout({"choices": range(config.choices + 1), "blocks": range(config.blocks + 1)})


class SoftmaxUnit(wiring.Component):
    """Turns logits, a word for each alternative, into probabilities and a choice for each vector::

        maximum = the largest logit;  e_i = exp(logit_i + (-maximum));  p_i = e_i * reciprocal((e_0 + e_1) + ...)
        choice = how many of p_0, p_0 + p_1, ... (all but the last) are <= uniform / 2048

    Sums are taken in order. Uniform numbers are the upper 11 bits of each quarter of the states of a 64-bit xorshift
    generator, lower quarters first, one for each lane of the blocks in use, in order.

    Logits are written before a command, and read by it; probabilities, and 1 for the alternative that was chosen and 0
    for the others, are read after it, the latter from address ``choices`` on. The blocks of a word take turns, a choice
    every ``slots`` cycles, which hides the latency of the adder that sums them up.

    Number format: the configuration's; every operation is rounded.

    Latency: ``latency(choices, blocks)`` cycles a command. One command at a time. No back-pressure.

    Parameters
    ----------
    config : SoftmaxConfig

    Members
    -------
    commands : stream, in
        ``softmax_command(config)``; at least two choices, at least one block.
    completions : stream, out
        One for each command; ready must be 1.
    busy : Out(1)
    errors : Out
        ``nonfinite``: a probability is infinite or NaN.
    write_blocks, write_address, write_word : In
        Logits: an enable for each block.
    read_address : In
        Of probabilities, or from ``choices`` on of the chosen alternatives.
    read_word : Out(blocks * block_bits)
        In the next cycle.
    seed, load : In(64), In(1)
        Takes ``seed`` as the state of the generator; zero is replaced by a constant.
    state : Out(64)
        Before the next number.

    Source
    ------
    IC3Net's heads; LearningGroup, section IV. G. Marsaglia, "Xorshift RNGs", 2003.
    """

    def __init__(self, config: SoftmaxConfig):
        self._config = config
        self._lanes = [replicated(SoftmaxLane(config), name="softmax_lane") for _ in range(config.lanes)]
        word = config.blocks * config.block_bits
        super().__init__(
            {
                "commands": In(stream.Signature(softmax_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
                "write_blocks": In(config.blocks),
                "write_address": In(range(config.choices)),
                "write_word": In(word),
                "read_address": In(range(2 * config.choices)),
                "read_word": Out(word),
                "seed": In(STATE_WIDTH),
                "load": In(1),
                "state": Out(STATE_WIDTH, init=SUBSTITUTE_FOR_ZERO),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def latency(self, choices, blocks):
        """Cycles from taking a command until its completion."""
        lane, slots = self._lanes[0], self._config.slots
        walk = choices * slots
        inverted = 2 * walk + slots + lane.power_latency + lane.sum_latency + lane.invert_latency + 4
        draw = blocks * self._config.lanes // NUMBERS_A_STATE + 1
        return max(inverted, draw) + walk + lane.scale_latency + lane.sum_latency + 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        lane = self._lanes[0]
        command = Signal(softmax_command(config))
        choice = Signal(range(config.choices))
        slot = Signal(range(config.slots))
        settling = Signal(8)
        last = Signal()
        m.d.comb += last.eq((slot == config.slots - 1) & (choice + 1 == command.choices))

        drawn = self._draw(m, command)

        # What the lanes are told comes a cycle after the address, with the word.
        present = Signal()
        m.d.comb += present.eq(slot < command.blocks)
        orders = {name: Signal(name=f"order_{name}") for name in ("seek", "power", "invert", "scale")}
        running = Signal()
        m.d.sync += [order.eq(0) for order in orders.values()]

        def walk(order, following, wait):
            """Every choice and block in turn; then until everything is where it belongs."""
            m.d.comb += running.eq(1)
            m.d.sync += [orders[order].eq(present), slot.eq(slot + 1)]
            with m.If(slot == config.slots - 1):
                m.d.sync += [slot.eq(0), choice.eq(choice + 1)]
            with m.If(last):
                m.d.sync += [choice.eq(0), settling.eq(wait)]
                m.next = following

        def settle(following, ready=1):
            with m.If(settling != 0):
                m.d.sync += settling.eq(settling - 1)
            with m.Elif(ready):
                m.next = following

        with m.FSM(name="phase"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [choice.eq(0), slot.eq(0)]
                with m.If(self.commands.valid):
                    m.d.sync += command.eq(self.commands.payload)
                    m.next = "SEEK"
            with m.State("SEEK"):
                walk("seek", "SOUGHT", 1)
            with m.State("SOUGHT"):
                settle("POWER")
            with m.State("POWER"):
                walk("power", "RAISED", lane.power_latency + lane.sum_latency)
            with m.State("RAISED"):
                settle("INVERT")
            with m.State("INVERT"):
                m.d.comb += running.eq(1)
                m.d.sync += [orders["invert"].eq(present), slot.eq(slot + 1)]
                with m.If(slot == config.slots - 1):
                    m.d.sync += [slot.eq(0), settling.eq(lane.invert_latency)]
                    m.next = "INVERTED"
            with m.State("INVERTED"):
                settle("SCALE", drawn)
            with m.State("SCALE"):
                walk("scale", "SCALED", lane.scale_latency + lane.sum_latency)
            with m.State("SCALED"):
                settle("COMPLETE")
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                m.next = "IDLE"
        m.d.comb += self.busy.eq(~self.commands.ready)

        late_slot, begin, count = Signal.like(slot), Signal(), Signal()
        late_choice = Signal.like(choice)
        m.d.sync += [
            late_slot.eq(slot),
            late_choice.eq(choice),
            begin.eq(choice == 0),
            count.eq(choice + 1 != command.choices),
        ]
        numbers = self._memories(m, choice, late_slot, late_choice, orders, running)
        for index, unit in enumerate(self._lanes):
            m.submodules[f"lane_{index}"] = unit
            m.d.comb += [
                unit.number.eq(numbers.word_select(index, config.format.width)),
                unit.slot.eq(late_slot),
                unit.begin.eq(begin),
                unit.count.eq(count),
                *(getattr(unit, name).eq(order) for name, order in orders.items()),
            ]
        return m

    def _draw(self, m, command):
        """Uniform numbers for every lane, four a cycle, into the lanes; returns whether all are there."""
        config = self._config
        steps = config.lanes // NUMBERS_A_STATE
        state = following_state(m, self.state)
        block, step = Signal(range(config.blocks + 1)), Signal(range(max(steps, 2)))
        drawn = Signal()
        m.d.comb += drawn.eq(block == command.blocks)
        numbers = Signal(NUMBERS_A_STATE * UNIFORM_BITS)
        quarter = STATE_WIDTH // NUMBERS_A_STATE
        m.d.comb += numbers.eq(
            Cat(state[quarter * (index + 1) - UNIFORM_BITS : quarter * (index + 1)] for index in range(NUMBERS_A_STATE))
        )
        uniform = [Signal(UNIFORM_BITS * config.lanes, name=f"uniform_{index}") for index in range(config.blocks)]
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [block.eq(0), step.eq(0)]
        with m.Elif(self.busy & ~drawn):
            m.d.sync += [self.state.eq(state), step.eq(step + 1)]
            with m.If(step == steps - 1):
                m.d.sync += [step.eq(0), block.eq(block + 1)]
            for index in range(config.blocks):
                with m.If(block == index):
                    m.d.sync += uniform[index].eq(Cat(uniform[index][len(numbers) :], numbers))
        with m.If(self.load):
            m.d.sync += self.state.eq(Mux(self.seed == 0, SUBSTITUTE_FOR_ZERO, self.seed))
        for lane, unit in enumerate(self._lanes):
            m.d.comb += [
                unit.uniform[index].eq(uniform[index].word_select(lane, UNIFORM_BITS)) for index in range(config.blocks)
            ]
        return drawn

    def _memories(self, m, choice, late_slot, late_choice, orders, running):
        """Logits and probabilities, a bank for each block; returns the numbers for the lanes."""
        config = self._config
        lane, block_bits = self._lanes[0], config.block_bits
        power, scale = orders["power"], orders["scale"]
        powers, scales = lane.power_latency, lane.scale_latency
        written = Signal()
        m.d.comb += written.eq(delay(m, power, powers, "power_leaves") | delay(m, scale, scales, "scale_leaves"))
        from_power = delay(m, power, powers, "from_power")

        def leaving(value, name):
            return Mux(from_power, delay(m, value, powers, f"power_{name}"), delay(m, value, scales, f"scale_{name}"))

        written_slot, written_choice = Signal.like(late_slot), Signal.like(late_choice)
        m.d.comb += [written_slot.eq(leaving(late_slot, "slot")), written_choice.eq(leaving(late_choice, "choice"))]
        results = Signal(block_bits)
        m.d.comb += results.eq(Cat(unit.result for unit in self._lanes))

        chosen_address = Signal(range(2 * config.choices))
        m.d.sync += chosen_address.eq(self.read_address)
        numbers = Signal(block_bits)
        for block in range(config.blocks):
            logits = memory.Memory(shape=block_bits, depth=config.choices, init=[])
            probabilities = memory.Memory(shape=block_bits, depth=config.choices, init=[])
            m.submodules[f"logits_{block}"] = logits
            m.submodules[f"probabilities_{block}"] = probabilities
            logits_write, logits_read = logits.write_port(), logits.read_port()
            write, read = probabilities.write_port(), probabilities.read_port()
            m.d.comb += [
                logits_write.en.eq(self.write_blocks[block]),
                logits_write.addr.eq(self.write_address),
                logits_write.data.eq(self.write_word.word_select(block, block_bits)),
                logits_read.en.eq(1),
                logits_read.addr.eq(choice),
                write.en.eq(written & (written_slot == block)),
                write.addr.eq(written_choice),
                write.data.eq(results),
                read.en.eq(1),
                read.addr.eq(Mux(running, choice, self.read_address)),
            ]
            with m.If(late_slot == block):
                m.d.comb += numbers.eq(Mux(scale, read.data, logits_read.data))
            one = Const(config.format.one, config.format.width)
            chosen = Cat(Mux(unit.choice[block] + config.choices == chosen_address, one, 0) for unit in self._lanes)
            m.d.comb += self.read_word.word_select(block, block_bits).eq(
                Mux(chosen_address >= config.choices, chosen, read.data)
            )
        fraction_bits = config.format.fraction_bits
        m.d.sync += self.errors.nonfinite.eq(
            written & Cat(unit.result[fraction_bits:-1].all() for unit in self._lanes).any()
        )
        return numbers
