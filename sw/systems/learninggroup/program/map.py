"""Where a LearningGroup network's data are in the memories of a device."""

from dataclasses import dataclass, replace

from .....hw.soc.learninggroup.config import HEADS, Network
from .....hw.soc.learninggroup.hardware import LearningGroupHardware

__all__ = ["GATES", "LayerPlace", "MemoryMap"]

GATES = 4
# Layers whose results are added to others'.
SECOND_HALF = ("communication", "input")


@dataclass(frozen=True)
class LayerPlace:
    """Where a layer's data are.

    Parameters
    ----------
    rows, columns : int
        Rows of the layer; columns of each core that has some.
    cores : tuple of int
        Cores that have columns.
    owned : int
        Rows in a bank of the activation memory.
    grouping, index, group, row, column, weight, parameter : int
        First addresses, as the sparse data engine has them.
    half, result : int
        Half of the result memory, and first word of its results in a batch's part of it. Results that are added up come
        from different halves.
    groups : int
        Groups of its rows and columns.
    weight_banks : int
        Numbers in a word of parameters, of compressed weights and of grouping matrices.
    """

    rows: int
    columns: int
    cores: tuple[int, ...]
    owned: int
    grouping: int
    index: int
    group: int
    row: int
    column: int
    weight: int
    parameter: int
    half: int
    result: int
    groups: int
    weight_banks: int

    @property
    def core_mask(self) -> int:
        """A bit for each core that has columns."""
        return sum(1 << core for core in self.cores)

    @property
    def row_words(self) -> int:
        """Words of the members of its rows' grouping matrix."""
        return -(-self.rows // self.weight_banks) * self.groups

    @property
    def column_words(self) -> int:
        """Words of the members of a core's columns' grouping matrix."""
        return -(-self.columns // self.weight_banks) * self.groups

    @property
    def weight_words(self) -> int:
        """Words of its weights in a core."""
        return self.rows * -(-self.columns // self.weight_banks)


class MemoryMap:
    """Places of a network's data in the memories of a device.

    Parameters
    ----------
    hardware : LearningGroupHardware
    network : Network
    batches : int
        Words that the vectors of an iteration fill.
    steps : int
        Steps of an iteration.

    Raises
    ------
    ValueError
        A memory is too small: which, what is needed and what there is.
    """

    def __init__(self, hardware: LearningGroupHardware, network: Network, batches: int, steps: int):
        self.hardware, self.network, self.batches, self.steps = hardware, network, batches, steps
        cores = hardware.device.cores
        self.units = units = -(-network.hidden_size // cores)
        self.inputs = -(-network.observation_size // cores)
        self.layers: dict[str, LayerPlace] = {}
        free = dict.fromkeys(("grouping", "index", "group", "row", "column", "weight", "parameter"), 0)
        results = [0, 0]

        def blocks(count: int) -> int:
            return -(-count // hardware.weight_banks)

        shapes = {name: (layer, network.groups) for name, layer in network.layers.items()}
        # Gradients of biases are those of weights from a row of ones.
        for name in network.biases:
            shapes[f"bias/{name}"] = (replace(network.layers[name], rows=1), 1)
        for key, (layer, groups) in shapes.items():
            name = layer.name
            mine = (HEADS.index(name) % cores,) if name in HEADS else tuple(range(cores))
            columns = layer.columns if name in HEADS else units * (layer.columns // network.hidden_size)
            self.layers[key] = LayerPlace(
                groups=groups,
                weight_banks=hardware.weight_banks,
                rows=layer.rows,
                columns=columns,
                cores=mine,
                owned=self.inputs if name == "encoder" else units,
                half=(half := int(name in SECOND_HALF)),
                result=results[half],
                **free,
            )
            words = blocks(layer.rows) + len(mine) * blocks(columns)
            free["grouping"] += words * groups
            free["index"] += words
            free["group"] += groups
            free["row"] += layer.rows
            free["column"] += columns
            # Every group's rows times its pitch: each row has a word less than full for each group, at most.
            free["weight"] += layer.rows * blocks(columns)
            free["parameter"] += layer.rows * blocks(columns)
            results[half] += columns
        # Backward, the products of the heads, of input, hidden and communication are there side by side. Heads of
        # different cores share a place: their aggregation is their sum, in the order of the cores, which is theirs.
        self.head_groups = {
            f"heads {first}": HEADS[first : first + cores] for first in range(0, len(HEADS), cores)
        }  # fmt: skip
        backward = (tuple(self.head_groups), ("input", "hidden", "communication"))
        self.half = 1 << max((hardware.result_rows - 1).bit_length() - 1, 0)
        self.backward = {
            name: half * self.half + index * units * cores
            for half, names in enumerate(backward)
            for index, name in enumerate(names)
        }
        self.results = max(*results, *(len(names) * units * cores for names in backward))
        self.aggregated = {name: index * units for index, name in enumerate(self.backward)}
        self.shared_value = len(self.backward) * units
        self.aggregates = self.shared_value + 1

        # Error memory: a frame for each step and batch.
        self.errors = {"encoder": 0, "communication": 0, "input": units, "hidden": units}
        place = (1 + GATES) * units
        for head in HEADS:
            self.errors[head] = place
            place += network.layers[head].columns
        self.error_frame = place

        # Activation memory of an owner: a frame for each step and batch.
        self.observation, self.heard = 0, self.inputs
        self.x, self.h = self.inputs + units, self.inputs + 2 * units
        self.activation_frame = self.inputs + 3 * units

        # State memories: a frame for each step and batch, then what passes by.
        self.in_state_0 = {"i": 0, "u": units, "h": 2 * units, "value": 3 * units}
        self.in_state_1 = {"f": 0, "g": units, "spoke": 2 * units}
        self.in_state_2 = {"c": 0, "o": units}
        choices = max(network.actions, 2)
        places = {"policy": 3 * units + 1, "gate": 3 * units + 1 + network.actions}
        self.probabilities = places
        self.chosen = {head: place - units for head, place in places.items()}
        self.state_frame = 3 * units + 1 + network.actions + choices
        frames = (steps + 1) * batches
        self.temporary = frames * self.state_frame
        # Temporary frames of a stream of operations; a batch has two streams.
        self.temporaries = max(units, choices)
        self.present = self.temporary + 2 * batches * self.temporaries
        # Backward, of each batch: dh, and dh and dc of the step after.
        self.passing = self.present + batches
        # From the host, a word a frame.
        self.returns = self.passing + 3 * batches * units
        self.scales = self.returns + frames

        # Scalars: biases, then what the mean needs.
        self.biases = {}
        place = 0
        for name in network.biases:
            self.biases[name] = place
            place += self.layers[name].columns
        self.share = place
        self.value_factor = place + 1

        depths = {
            "Activation rows": (frames * self.activation_frame, hardware.activation_rows),
            "Result rows": (2 * batches * self.results, 2 * min(self.half, hardware.result_rows - self.half)),
            "Error rows": (steps * batches * self.error_frame, hardware.error_rows),
            "Aggregate rows": (batches * self.aggregates, hardware.aggregate_rows),
            "State rows": (self.scales + frames, hardware.state_rows),
            "Scalar rows": (self.value_factor + 1, hardware.scalar_rows),
            "Weight rows": (free["weight"], hardware.weight_rows),
            "Parameter rows": (free["parameter"], hardware.parameter_rows),
            "Grouping rows": (free["grouping"], hardware.grouping_rows),
            "Index rows": (free["index"], hardware.index_rows),
            "List rows": (max(free["row"], free["column"]), hardware.list_rows),
            "Tuples": (free["group"], hardware.tuples),
            "Choices": (choices, hardware.choices),
        }
        for what, (needed, there) in depths.items():
            if needed > there:
                raise ValueError(f"{what} must be at least {needed} for this network and iteration, not {there}")

    def frame(self, step: int, batch: int) -> int:
        """Number of a frame."""
        return step * self.batches + batch
