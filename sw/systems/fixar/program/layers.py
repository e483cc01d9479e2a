"""Matrix instructions of single layers: every field from the layout and the number formats."""

from .....hw.soc.fixar.config import BANKS, FixarConfig, Networks
from .....hw.soc.fixar.instructions import Dataflow, Destination, Operation
from .memory import Tensor
from .schedule import MatrixStep
from .weights import WeightLayout

__all__ = ["Blocks", "LayerCompiler"]

# Output blocks of a layer: the first, and the one after the last.
Blocks = tuple[int, int]


class LayerCompiler:
    """Makes forward, backward and gradient steps.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    bits : int or None
        n of the codes; None: full precision.
    intra_layer : bool
        One sample, its input blocks dealt to the cores.
    monitor : bool
        Record ranges (in full precision only).
    """

    def __init__(
        self,
        config: FixarConfig,
        networks: Networks,
        *,
        bits: int | None = None,
        intra_layer: bool = False,
        monitor: bool = False,
    ):
        self.config = config
        self.networks = networks
        self.bits = bits
        self.half = bits is not None
        self.intra_layer = intra_layer
        self.monitor = monitor and not self.half
        self.layouts = {name: WeightLayout(config, networks, name) for name in ("actor", "critic")}
        needed = 1 + 2 * len(networks.hidden_sizes)
        if needed > config.slots:
            raise ValueError(
                f"Hidden layers need {needed} range slots (one for the inputs, one per layer and network), "
                f"configuration {config.name} has {config.slots}"
            )
        deepest = max(networks.input_size, *networks.hidden_sizes) + 1
        if deepest > config.accumulator_depth:
            raise ValueError(
                f"Widest layer needs {deepest} accumulator entries, "
                f"configuration {config.name} has {config.accumulator_depth}"
            )

    def layout(self, network: str) -> WeightLayout:
        return self.layouts[network.removeprefix("target_")]

    def slot(self, network: str, index: int) -> int:
        """Slot of the input of layer ``index``: a target network shares those of its original."""
        if index == 0:
            return 0
        hidden = len(self.networks.hidden_sizes)
        return index + (hidden if network.endswith("critic") else 0)

    def shift(self, stationary_fraction: int, streamed_fraction: int, result_fraction: int, bits: int | None) -> int:
        """Bits that rescaling drops from sums; ``bits`` of streamed codes, None of words."""
        if bits is not None:
            return stationary_fraction + streamed_fraction + bits - 26 - result_fraction
        return stationary_fraction + streamed_fraction - 16 - result_fraction

    def last_lanes(self, size: int) -> int:
        return size - (-(-size // self.config.lanes) - 1) * self.config.lanes

    def common(self, size: int) -> dict[str, int]:
        samples, full_cores = self.config.core_samples(size)
        if self.intra_layer:
            samples, full_cores = 1, self.config.cores
        return {"samples": samples, "full_cores": full_cores, "intra_layer": int(self.intra_layer)}

    def forward(
        self,
        network: str,
        index: int,
        size: int,
        source: Tensor,
        target: Tensor,
        operation: Operation,
        *,
        auxiliary: Tensor | None = None,
        to_error: bool = False,
    ) -> MatrixStep:
        """``target = operation(W source + b)`` for ``size`` samples; an activation is merged into wider tensors."""
        config = self.config
        layer = self.layout(network).layers[index]
        fraction = config.activation_fraction
        shift = self.shift(config.weight_fraction, fraction, fraction, self.bits)
        fields: dict[str, int] = {
            **self.common(size),
            "dataflow": Dataflow.FORWARD,
            "half": int(self.half),
            "bank": BANKS.index(network),
            "weight_base": layer.base,
            "outer_count": layer.output_blocks,
            "inner_count": layer.input_blocks,
            "outer_stride": layer.output_stride,
            "inner_stride": config.lanes,
            "bias": 1,
            "bias_base": layer.bias_base,
            "stream_base": source.base,
            "stream_stride": source.stride,
            "destination": Destination.ERROR if to_error else Destination.ACTIVATION,
            "destination_base": target.base,
            "destination_stride": target.stride,
            "lanes": self.last_lanes(layer.outputs),
            "merge": int(not to_error and target.size > layer.outputs),
            "operation": operation,
            "shift": shift,
            "bias_shift": fraction + shift - config.weight_fraction,
            "input_slot": self.slot(network, index),
        }
        if auxiliary is not None:
            fields.update(auxiliary_base=auxiliary.base, auxiliary_stride=auxiliary.stride)
        if not to_error:
            last = index == len(self.networks.hidden_sizes)
            fields.update(
                output_slot=0 if last else self.slot(network, index + 1),
                monitor=int(self.monitor),
                quantize=int(self.half),
            )
        reads = (source.name, *([auxiliary.name] if auxiliary else ()), *([target.name] if fields["merge"] else ()))
        return MatrixStep(f"{network} {index} forward", fields, reads, (target.name,))

    def backward(
        self,
        network: str,
        index: int,
        size: int,
        source: Tensor,
        target: Tensor,
        operation: Operation,
        auxiliary: Tensor,
        outputs: int | None = None,
    ) -> MatrixStep:
        """``target = W^T source * f'``: errors at the first ``outputs`` inputs of layer ``index``."""
        config = self.config
        layer = self.layout(network).layers[index]
        outputs = outputs or layer.inputs
        shift = self.shift(config.weight_fraction, config.error_fraction, config.error_fraction, None)
        fields: dict[str, int] = {
            **self.common(size),
            "dataflow": Dataflow.BACKWARD,
            "half": 0,
            "bank": BANKS.index(network),
            "weight_base": layer.base,
            "outer_count": -(-outputs // config.lanes),
            "inner_count": layer.output_blocks,
            "outer_stride": config.lanes,
            "inner_stride": layer.output_stride,
            "bias": 0,
            "stream_base": source.base,
            "stream_stride": source.stride,
            "destination": Destination.ERROR,
            "destination_base": target.base,
            "destination_stride": target.stride,
            "lanes": self.last_lanes(outputs),
            "operation": operation,
            "shift": shift,
            "auxiliary_base": auxiliary.base,
            "auxiliary_stride": auxiliary.stride,
            "packed_auxiliary": int(self.half),
            "input_slot": self.slot(network, index),
        }
        return MatrixStep(f"{network} {index} backward", fields, (source.name, auxiliary.name), (target.name,))

    def gradient(
        self,
        network: str,
        index: int,
        size: int,
        source: Tensor,
        errors: Tensor,
        accumulate: bool,
        blocks: Blocks | None = None,
    ) -> MatrixStep:
        """Gradient of layer ``index`` from its input and the errors of its output, or of a range of output blocks."""
        config = self.config
        lanes = config.lanes
        layer = self.layout(network).layers[index]
        start, stop = blocks or (0, layer.output_blocks)
        skipped = layer.first // lanes  # whole blocks of inputs without a gradient
        common = self.common(size)
        pairs = -(-common["samples"] // (2 * lanes))
        shift = self.shift(config.error_fraction, config.activation_fraction, config.gradient_fraction, self.bits)
        bias_shift = self.shift(config.error_fraction, config.activation_fraction, config.gradient_fraction, None)
        fields: dict[str, int] = {
            **common,
            "dataflow": Dataflow.GRADIENT,
            "half": int(self.half),
            "bank": BANKS.index(network),
            "weight_base": layer.base + start * layer.output_stride + skipped * lanes,
            "outer_count": stop - start,
            "inner_count": 2 * pairs if self.half else -(-common["samples"] // lanes),
            "outer_stride": layer.output_stride,
            "inner_stride": lanes,
            "bias": 1,
            "bias_base": layer.bias_base + start,
            "destination_stride": (layer.bias_base + start) % lanes,
            "stream_base": source.base + skipped * source.stride,
            "stream_stride": source.stride,
            "first": layer.first - skipped * lanes,
            "last": layer.inputs - skipped * lanes,
            "lanes": self.last_lanes(layer.outputs) if stop == layer.output_blocks else lanes,
            "shift": shift,
            "bias_shift": bias_shift,
            "auxiliary_base": errors.base + start * errors.stride,
            "auxiliary_stride": errors.stride,
            "input_slot": self.slot(network, index),
            "accumulate": int(accumulate),
        }
        rows = tuple(f"gradient {network} {index} block {block}" for block in range(start, stop))
        reads = (source.name, errors.name, *(rows if accumulate else ()))
        return MatrixStep(f"{network} {index} gradient", fields, reads, rows)
