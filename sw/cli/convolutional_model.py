"""Arguments that name a convolutional network, and what is loaded by them."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..networks.convolution.convolutional_network import ConvolutionalNetwork
    from ..networks.convolution.parameters import Parameters

__all__ = ["add_model_arguments", "load_model", "sizes"]


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """The network, and the picture that it takes."""
    from ..networks.convolution.network_file import list_networks

    names = ", ".join(list_networks())
    about = f"{names}, a YAML file, or MODULE:NAME of a module of PyTorch or of what makes one"
    parser.add_argument("model", metavar="MODEL", help=about)
    parser.add_argument(
        "--picture",
        type=sizes,
        metavar="CxROWSxCOLUMNS",
        help="size of the pictures that a PyTorch module takes, e.g. 3x224x224",
    )


def load_model(arguments: argparse.Namespace) -> tuple["ConvolutionalNetwork", "dict[str, Parameters] | None"]:
    """The network of the package, a file or a module of PyTorch, and the parameters of a module.

    Modules are also looked for in the current folder.

    Raises
    ------
    TypeError, ValueError
        There is none, what is wrong with it, or ``--picture`` is missing or is one too many.
    """
    from ..networks.convolution.network_file import list_networks, load_network

    named = arguments.model in list_networks() or Path(arguments.model).is_file()
    if named or ":" not in arguments.model:
        if arguments.picture is not None:
            raise ValueError(f"{arguments.model} has a picture of its own: omit --picture")
        return load_network(arguments.model), None
    if arguments.picture is None or len(arguments.picture) != 3:
        raise ValueError("--picture CxROWSxCOLUMNS is needed: what the module takes")
    from ..networks.convolution.torch_import import import_module

    channels, *picture = arguments.picture
    imported = import_module(_module(arguments.model), channels, tuple(picture))
    return imported.network, imported.parameters


def sizes(text: str) -> tuple[int, ...]:
    """Whole numbers with x between them, as an option gives them."""
    try:
        return tuple(int(part) for part in text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers, such as 92x66") from None


def _module(place: str) -> Any:
    from torch import nn

    from ...hw.soc.devices import load_object

    if "" not in sys.path:
        sys.path.append("")
    try:
        found = load_object(place)
        return found if isinstance(found, nn.Module) else found()
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise ValueError(f"{place!r} gives no module of PyTorch: {error}") from error
