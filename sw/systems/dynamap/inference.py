"""Pictures through a network on integers, and how far its outputs are from those in real numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....hw.soc.written_file import writing
from ...core.tables import aligned
from ...networks.convolution.quantized_model import QuantizedModel
from ...networks.convolution.running_network import RunningNetwork
from ...reference.arrays import IntegerArray, RealArray
from ..options import lockstep_rows

__all__ = ["PictureInference", "as_text", "infer_pictures", "report", "save_outputs"]

# Elements of a vector that are printed, the largest ones.
TOLD = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureInference:
    """The outputs of a picture, by their names.

    Parameters
    ----------
    words : dict of str to array (rows, columns, channels)
        On integers.
    numbers : dict of str to array
        What the words mean.
    real : dict of str to array
        Outputs of the network in float64.
    saturated : int or None
        Words of all layers that were clamped; None where the backend does not count them.
    """

    words: dict[str, IntegerArray]
    numbers: dict[str, RealArray]
    real: dict[str, RealArray]
    saturated: int | None


def infer_pictures(
    model: QuantizedModel, running: RunningNetwork, pictures: Iterable[RealArray]
) -> list[PictureInference]:
    """The outputs of each picture (rows, columns, channels).

    Raises
    ------
    ValueError
        A picture that is not finite, or sums that do not fit the accumulators.
    LockstepError
        Two backends that differ.
    """
    results = []
    for picture in pictures:
        before = running.counters().get("saturated", 0)
        found = running.infer(model.network.to_words(picture))
        after = running.counters().get("saturated")
        words = {name: found[name] for name in model.network.outputs}
        results.append(
            PictureInference(
                words=words,
                numbers={name: model.network.to_numbers(name, each) for name, each in words.items()},
                real=model.real_outputs(picture),
                saturated=None if after is None else after - before,
            )
        )
    return results


def report(results: Sequence[PictureInference], counters: Mapping[str, Any]) -> dict[str, Any]:
    """The results as plain data: what of each output is told, and its distance from float64."""
    pictures = [
        {
            "saturated": result.saturated,
            "outputs": {name: _about(each, result.real[name]) for name, each in result.numbers.items()},
        }
        for result in results
    ]
    return {"pictures": pictures, "counters": dict(counters)}


def _about(numbers: RealArray, real: RealArray) -> dict[str, Any]:
    apart = np.abs(numbers - real)
    found: dict[str, Any] = {
        "shape": list(numbers.shape),
        "least": float(numbers.min()),
        "largest": float(numbers.max()),
        "largest_difference": float(apart.max()),
        "mean_difference": float(apart.mean()),
    }
    if numbers.shape[:2] == (1, 1):
        vector = numbers.reshape(-1)
        order = np.argsort(-vector, kind="stable")[:TOLD]
        found["top"] = [{"element": int(element), "number": float(vector[element])} for element in order]
        found["same_argmax"] = bool(vector.argmax() == real.argmax())
    return found


def as_text(content: Mapping[str, Any]) -> str:
    """A report for people, with what the command says about the network."""
    seed = "" if content["seed"] is None else f", seed {content['seed']}"
    calibration = content["calibration"]
    rows = [
        ("network", f"{content['network']}, {content['parameter_count']} parameters: {content['parameters']}{seed}"),
        ("integers", f"{content['width']} bits, sums of {content['accumulator_width']}, on {content['backend']}"),
        ("scales", f"by the pictures of {calibration['file']} ({calibration['pictures']})"),
    ]
    for index, picture in enumerate(content["pictures"]):
        saturated = "" if picture["saturated"] is None else f"saturated words: {picture['saturated']}"
        rows.append((f"picture {index}", saturated))
        for name, output in picture["outputs"].items():
            rows += [(f"  {name}", _told(output)), ("", _apart(output))]
    return "\n".join(aligned([*rows, *lockstep_rows(content["counters"], "pictures on", "words")], left=(0, 1)))


def _told(output: Mapping[str, Any]) -> str:
    if "top" in output:
        return ", ".join(f"{each['element']}: {each['number']:.4g}" for each in output["top"])
    size = " x ".join(map(str, output["shape"]))
    return f"{size}, from {output['least']:.4g} to {output['largest']:.4g}"


def _apart(output: Mapping[str, Any]) -> str:
    argmax = {True: ", the same argmax", False: ", another argmax", None: ""}[output.get("same_argmax")]
    return (
        f"from float64 {output['largest_difference']:.4g} at most, {output['mean_difference']:.4g} on average{argmax}"
    )


def save_outputs(path: Path, results: Sequence[PictureInference]) -> None:
    """Write ``OUTPUT.words`` and ``OUTPUT.numbers`` (pictures, rows, columns, channels) of each output as ``.npz``.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    arrays: dict[str, Any] = {}
    for name in results[0].words:
        arrays[f"{name}.words"] = np.stack([result.words[name] for result in results])
        arrays[f"{name}.numbers"] = np.stack([result.numbers[name] for result in results])
    with writing(path):
        np.savez(path, **arrays)
