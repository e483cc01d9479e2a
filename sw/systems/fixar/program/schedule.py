"""Order of the matrix instructions of a program, and which of them must wait for the drain."""

from collections.abc import Sequence
from dataclasses import dataclass

from .....hw.soc.fixar.config import FixarConfig
from .....hw.soc.fixar.instructions import Dataflow
from ....mapping.list_schedule import dependencies, list_order
from .cycles import slot_cycles, tiles

__all__ = ["SETTLE_CYCLES", "MatrixStep", "Scheduler"]

# From the end of a block's drain until its last result is in memory there are fewer cycles than this, and one more for
# every slot in which lanes are time-multiplexed.
SETTLE_CYCLES = 40


@dataclass
class MatrixStep:
    """A matrix instruction before it has a place in the program.

    Parameters
    ----------
    name : str
        For the listing.
    fields : dict
        Fields of the instruction, without ``hold``.
    reads, writes : tuple of str
        Names of the tensors.
    wait : tuple of str
        Engines that the sequencer waits for.
    hold : bool
        Wait until everything earlier is drained; the scheduler decides.
    follow : bool
        The wait comes only at the last tile of the first output block.
    """

    name: str
    fields: dict[str, int]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    wait: tuple[str, ...] = ()
    hold: bool = False
    follow: bool = False


class Scheduler:
    """Puts matrix instructions in an order in which few of them have to wait for the drain.

    The accumulators have two buffers: a block starts to stream only when the block before the last is drained. So
    after a result's last block, every block but the first that streams adds its cycles to the distance, and with
    enough distance the result is certainly in memory when the next instruction is reached.

    Parameters
    ----------
    config : FixarConfig
    """

    def __init__(self, config: FixarConfig):
        self.config = config
        # Cycles since each result that may not be in memory yet; None before the first later block.
        self.distance: dict[str, int | None] = {}
        self.last_slot = 0
        self.previous: MatrixStep | None = None

    @property
    def settle_cycles(self) -> int:
        """Cycles from the end of a block's drain at which its results are certainly in memory."""
        return SETTLE_CYCLES + self.config.lane_interval - 1

    def settled(self, step: MatrixStep) -> bool:
        """Whether everything that a step reads is certainly in memory."""
        return not self.unsettled(step)

    def unsettled(self, step: MatrixStep) -> list[str]:
        """Names of what a step reads that may not be in memory."""
        margin = self.settle_cycles
        if step.fields["dataflow"] == Dataflow.GRADIENT:
            margin += self.last_slot  # its stationary errors are loaded during the last tile before it
        return [name for name in step.reads if (self.distance.get(name, margin) or 0) < margin]

    def follows(self, step: MatrixStep) -> bool:
        """Whether a step may start before the one before it is drained.

        Its tiles read the blocks of that one's result in their order, so only the last tile of the first output block
        needs the last block. The others are in memory in time if neither step rushes through its blocks: the block
        before the last is drained when the step starts, and has the tiles before its own to reach the memory.
        """
        fields, previous = step.fields, self.previous
        if previous is None or fields["dataflow"] == Dataflow.GRADIENT or fields["intra_layer"]:
            return False
        if self.unsettled(step) != [step.reads[0]] or step.reads[0] not in previous.writes:
            return False
        if fields["inner_count"] != previous.fields["outer_count"]:
            return False
        slots = [slot_cycles(self.config, part) for part in (fields, previous.fields)]
        pace = min(slots[0], slots[1] * tiles(self.config, previous.fields))
        return (fields["inner_count"] - 2) * pace >= self.settle_cycles

    def add(self, step: MatrixStep) -> MatrixStep:
        """The step is next: sets its ``hold``, follows the distances."""
        step.hold = not self.settled(step)
        step.follow = step.hold and self.follows(step)
        if step.hold:
            self.distance.clear()
        slot = slot_cycles(self.config, step.fields)
        cycles = tiles(self.config, step.fields) * slot
        for name, distance in self.distance.items():
            start = -cycles if distance is None else distance
            self.distance[name] = start + step.fields["outer_count"] * cycles
        self.distance.update(dict.fromkeys(step.writes))
        self.last_slot = slot
        self.previous = step
        return step

    def order(self, steps: Sequence[MatrixStep]) -> list[MatrixStep]:
        """The steps, each after those it depends on.

        Takes the first (in the given order) whose inputs are certainly in memory; where there is none, the first
        whose producers are placed.
        """
        before = dependencies((step.reads, step.writes) for step in steps)

        def choose(ready: Sequence[int]) -> int:
            return next((index for index in ready if self.settled(steps[index])), ready[0])

        return [self.add(steps[index]) for index in list_order(before, choose)]
