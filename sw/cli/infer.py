"""Run pictures through a quantised convolutional network, and compare its outputs with float64."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..systems.options import add_threads_option
from ..systems.results import add_json_option, add_out_option, make_folder, show
from .convolutional_model import add_model_arguments, load_model

if TYPE_CHECKING:
    from ..networks.convolution.convolutional_network import ConvolutionalNetwork
    from ..networks.convolution.parameters import Parameters

__all__ = ["add_arguments", "run"]

# Where parameters come from, if from nowhere else.
RANDOM = "random"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    about = "pictures as .npy, (rows, columns, channels) with or without a batch in front, or a picture, as .png"
    parser.add_argument("--input", type=Path, required=True, metavar="FILE", help=about)
    parser.add_argument(
        "--parameters",
        type=Path,
        metavar="FILE",
        help=".npz with NODE.kernels and NODE.bias of each convolution (default: the module's, else random ones)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of random parameters (default %(default)s)")
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="pictures whose activations set the scales (default: --input)"
    )
    parser.add_argument(
        "--width", type=int, choices=(8, 16), default=8, help="bits of weights and activations (default %(default)s)"
    )
    parser.add_argument(
        "--backend",
        default="reference",
        help="reference (bit-exact NumPy), rtl (Verilated), lockstep (both, compared), or a device, e.g. "
        "uart:/dev/ttyUSB0 (default %(default)s)",
    )
    parser.add_argument("--config", metavar="PRESET", help="preset or YAML file of the device (default small)")
    add_threads_option(parser)
    add_out_option(parser, "outputs.npz and infer.json")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ..networks.convolution.quantized_model import quantize_model
    from ..systems.dynamap.backends import network_on
    from ..systems.dynamap.inference import as_text, infer_pictures, report, save_outputs
    from ..systems.dynamap.picture_file import read_pictures

    make_folder(arguments.out)
    opening = network_on(arguments.backend, _hardware(arguments))
    network, imported = load_model(arguments)
    given = next(network.feature_maps[node.name] for node in network.nodes if not node.sources)
    pictures = read_pictures(arguments.input, given)
    calibration = pictures if arguments.calibration is None else read_pictures(arguments.calibration, given)
    parameters, origin = _parameters(arguments, network, imported)
    model = quantize_model(network, parameters, list(calibration), arguments.width)
    with closing(opening(model.network)) as running:
        results = infer_pictures(model, running, pictures)
        counters = running.counters()
    content = {
        "network": network.name,
        "parameter_count": network.parameters,
        "parameters": origin,
        "seed": arguments.seed if origin == RANDOM else None,
        "width": model.network.width,
        "accumulator_width": model.network.accumulator_width,
        "backend": arguments.backend,
        "calibration": {"file": str(arguments.calibration or arguments.input), "pictures": len(calibration)},
        **report(results, counters),
    }
    show(arguments, content, lambda: as_text(content), "infer.json")
    if arguments.out is not None:
        save_outputs(arguments.out / "outputs.npz", results)


def _hardware(arguments: argparse.Namespace) -> Any:
    """The device that was asked for, if one was."""
    from ..core.hardware import resolve_hardware

    if arguments.config is None:
        return None
    if arguments.backend == "reference":
        raise ValueError("--config is for a device: omit it, or give --backend rtl or lockstep")
    return resolve_hardware(arguments.config, "dynamap")


def _parameters(
    arguments: argparse.Namespace, network: "ConvolutionalNetwork", imported: "dict[str, Parameters] | None"
) -> "tuple[dict[str, Parameters], str]":
    """The parameters of the network, and where they come from: a file before the module."""
    from ..networks.convolution.parameters import load_parameters, random_parameters

    if arguments.parameters is not None:
        return load_parameters(arguments.parameters, network), str(arguments.parameters)
    if imported is not None:
        return imported, "those of the module"
    return random_parameters(network, arguments.seed), RANDOM
