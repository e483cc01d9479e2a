"""Map a convolutional network to a systolic array: choose an algorithm and a dataflow for each layer."""

import argparse
from time import perf_counter
from typing import TYPE_CHECKING

from ..systems.results import add_json_option, add_out_option, make_folder, show
from .convolutional_model import add_model_arguments, load_model, sizes

if TYPE_CHECKING:
    from ..mapping.convolution.cost_model_config import CostModelConfig

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...hw.soc.target.parts import load_parts
    from ..mapping.convolution.cost_model_config import CostModelConfig

    add_model_arguments(parser)
    parts = [part.name for part in load_parts().values() if part.holds is not None]
    arrays = parser.add_mutually_exclusive_group()
    arrays.add_argument("--array", type=sizes, metavar="ROWSxCOLUMNS", help="size of the systolic array, e.g. 92x66")
    arrays.add_argument(
        "--part", help=f"choose the array for a part, one multiplier for each DSP: one of {', '.join(parts)}"
    )
    arrays.add_argument("--multipliers", type=int, metavar="N", help="choose the array, of N multipliers at most")
    default = CostModelConfig(rows=1, columns=1)
    for name, value, unit, what in (
        ("frequency", default.frequency / 1e6, "MHZ", "clock"),
        ("bandwidth", default.bandwidth / 1e9, "GB/S", "bandwidth of the external memory"),
    ):
        parser.add_argument(f"--{name}", type=float, default=value, metavar=unit, help=f"{what} (default %(default)s)")
    parser.add_argument(
        "--burst-length", type=int, default=default.burst_length, metavar="N", help="elements (default %(default)s)"
    )
    about = "offer Winograd's algorithm F(M, R); may be repeated (default 2,3)"
    parser.add_argument("--winograd", type=_pair, action="append", metavar="M,R", help=about)
    parser.add_argument(
        "--drains",
        type=int,
        metavar="N",
        help="count layers by the exact cycles of the GEMM engine with N drain chains (default: equation 3.2); "
        "with --array",
    )
    add_out_option(parser, "mapping.json and mapping.png")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ..mapping.convolution.array_choice import choose_array
    from ..mapping.convolution.mapping_report import as_text, report
    from ..mapping.convolution.network_mapping import baseline_seconds, map_network

    if arguments.drains is not None and arguments.array is None:
        raise ValueError("--drains needs --array: other arrays are compared by equation 3.2")
    make_folder(arguments.out)
    multipliers, (network, _) = _multipliers(arguments), load_model(arguments)
    start, choice = perf_counter(), None
    array = arguments.array
    if array is None:
        choice = choose_array(network, multipliers, _config(arguments, (1, 1)))
        array = choice.by_latency
    config = _config(arguments, array)
    mapping = map_network(network, config)
    seconds = perf_counter() - start
    content = report(mapping, baseline_seconds(network, config), choice, seconds)
    show(arguments, content, lambda: as_text(content), "mapping.json")
    if arguments.out is not None:
        from ..mapping.convolution.mapping_plot import plot_mapping

        plot_mapping(arguments.out / "mapping.png", content)


def _multipliers(arguments: argparse.Namespace) -> int:
    """The largest number of multipliers; for a given array as many as it has."""
    from ...hw.cores.checks import require_integer
    from ...hw.soc.target.parts import find_part

    if arguments.array is not None:
        if len(arguments.array) != 2:
            raise ValueError(f"--array must be ROWSxCOLUMNS, not {'x'.join(map(str, arguments.array))}")
        return arguments.array[0] * arguments.array[1]
    if arguments.multipliers is not None:
        require_integer("--multipliers", arguments.multipliers, 1, 1 << 20)
        return arguments.multipliers
    if arguments.part is None:
        raise ValueError("--array, --part or --multipliers is needed")
    part = find_part(arguments.part)
    if part.holds is None:
        raise ValueError(f"--part must be a part, not the family {part.name}")
    return round(part.holds.dsp)


def _config(arguments: argparse.Namespace, array: tuple[int, int]) -> "CostModelConfig":
    from ..mapping.convolution.cost_model_config import CostModelConfig

    rows, columns = array
    return CostModelConfig(
        rows=rows,
        columns=columns,
        frequency=1e6 * arguments.frequency,
        bandwidth=1e9 * arguments.bandwidth,
        burst_length=arguments.burst_length,
        winograd=CostModelConfig.winograd if arguments.winograd is None else tuple(arguments.winograd),
        drains=arguments.drains,
    )


def _pair(text: str) -> tuple[int, int]:
    try:
        m, r = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not M,R, such as 2,3") from None
    return m, r
