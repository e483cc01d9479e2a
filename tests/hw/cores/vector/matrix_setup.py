"""Layers in the memories of a matrix core: lists, group tables and compressed weights, made from the masks."""

from dataclasses import dataclass

import numpy as np

from rewardware.hw.cores.vector.matrix_config import Product


@dataclass
class Layer:
    """A core's part of a layer.

    ``row_groups`` and ``column_groups`` say the groups of all rows and of the own columns, ``weights`` is a dense array
    of bit patterns (rows, own columns).
    """

    row_groups: np.ndarray
    column_groups: np.ndarray
    weights: np.ndarray
    tables: tuple[int, int] = (0, 0)
    weights_base: int = 0


class Setup:
    """Fills the memories of a core: ``loads`` maps a port to its (address, data) pairs."""

    def __init__(self, config):
        self.config = config
        self.loads = {}
        self.commands = []
        self.results = {}
        self.gradients = {}
        self.rows = self.columns = self.entries = self.weight_rows = 0

    def load(self, port, address, data):
        self.loads.setdefault(port, []).append((int(address), data))

    def word(self, values):
        """Numbers (blocks, lanes) as one word."""
        width = self.config.format.width
        return sum(int(value) << width * place for place, value in enumerate(np.asarray(values).reshape(-1)))

    def add_layer(self, layer, keep_empty=False):
        """Puts a layer's lists, tables and weights after those that are there."""
        groups = sorted(set(layer.row_groups) | set(layer.column_groups))
        if keep_empty:
            groups = range(max(groups) + 2)
        forward, backward = [], []
        layer.weights_base = self.weight_rows
        for group in groups:
            rows, columns = np.flatnonzero(layer.row_groups == group), np.flatnonzero(layer.column_groups == group)
            pitch = -(-len(columns) // self.config.weight_banks)
            for r, row in enumerate(rows):
                for p, column in enumerate(columns):
                    address = self.weight_rows + r * pitch + p // self.config.weight_banks
                    bank = (r + p) % self.config.weight_banks
                    self.load(f"write_weights__{bank}", address, int(layer.weights[row, column]))
            places = {"weights_base": self.weight_rows, "pitch": pitch}
            row_part, column_part = (self.rows, len(rows)), (self.columns, len(columns))
            for table, inner, outer in ((forward, row_part, column_part), (backward, column_part, row_part)):
                if outer[1] or keep_empty:
                    starts = {"inner_start": inner[0], "inner_count": inner[1]}
                    table.append(starts | {"outer_start": outer[0], "outer_count": outer[1]} | places)
            for row in rows:
                self.load("write_row_list", self.rows, int(row))
                self.rows += 1
            for column in columns:
                self.load("write_column_list", self.columns, int(column))
                self.columns += 1
            self.weight_rows += len(rows) * pitch
        layer.tables = ()
        for table in (forward, backward):
            table.sort(key=lambda entry: -entry["inner_count"])
            layer.tables += ((self.entries, len(table)),)
            for entry in table:
                self.load("write_tables", self.entries, entry)
                self.entries += 1
        return layer

    def add_activations(self, base, values, owned):
        """Words (rows, blocks, lanes) by owner: feature f in bank f div owned."""
        for feature, value in enumerate(values):
            bank, place = divmod(feature, owned)
            self.load(f"write_activations__{bank}", base + place, self.word(value))

    def add_errors(self, base, values):
        for feature, value in enumerate(values):
            self.load("write_errors", base + feature, self.word(value))

    def command(self, layer, product, blocks=None, **fields):
        """A command of a layer; what is not given is 0."""
        table, groups = layer.tables[product == Product.BACKWARD]
        blocks = self.config.blocks if blocks is None else blocks
        names = ("reversed", "skip_empty", "ones", "owned", "operands", "errors", "results", "steps")
        names += ("operand_stride", "error_stride", "result_stride")
        command = dict.fromkeys(names, 0) | {"product": int(product), "blocks": blocks.bit_length() - 1}
        self.commands.append(command | {"table": table, "groups": groups} | fields)

    def expect(self, base, values, blocks=None):
        """Results (features, blocks, lanes) from a row on; of the blocks in use."""
        for feature, value in enumerate(values):
            self.results[base + feature] = np.asarray(value)[: blocks or self.config.blocks]

    def expect_gradients(self, layer, values):
        """Weight gradients (rows, own columns) at the addresses of the weights."""
        base = layer.weights_base
        for group in sorted(set(layer.row_groups) | set(layer.column_groups)):
            rows, columns = np.flatnonzero(layer.row_groups == group), np.flatnonzero(layer.column_groups == group)
            pitch = -(-len(columns) // self.config.weight_banks)
            for r, row in enumerate(rows):
                for p, column in enumerate(columns):
                    place = (r + p) % self.config.weight_banks, base + r * pitch + p // self.config.weight_banks
                    self.gradients[place] = int(values[row, column])
            base += len(rows) * pitch

    def parameters(self, **others):
        names = ("config", "loads", "results", "gradients")
        return {"runs": [(self.commands, None)]} | {name: getattr(self, name) for name in names} | others
