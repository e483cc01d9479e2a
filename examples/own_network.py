"""A convolutional network of your own, quantised to 8 bits and computed by DYNAMAP's engine, whose RTL is simulated.

The network may come from PyTorch, as here, or from a YAML file: `rewardware infer FILE --input PICTURES --backend rtl`.
"""

from contextlib import closing

import numpy as np
from torch import nn

from rewardware.sw.networks.convolution.quantized_model import quantize_model
from rewardware.sw.networks.convolution.torch_import import import_module
from rewardware.sw.systems.dynamap.inference import infer_pictures
from rewardware.sw.systems.inference import networks_on

if __name__ == "__main__":
    module = nn.Sequential(
        *(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 12, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(12 * 4 * 4, 5)),
    )
    pictures = np.random.default_rng(0).normal(size=(2, 8, 8, 3))

    imported = import_module(module, channels=3, picture=(8, 8))
    # The pictures set the scales of the activations.
    model = quantize_model(imported.network, imported.parameters, list(pictures), 8)
    # In lockstep the RTL and the reference compute every layer, and all words are compared.
    with closing(networks_on("lockstep", hardware="small")(model.network)) as running:
        for result in infer_pictures(model, running, pictures):
            (words,), (numbers,), (real,) = result.words.values(), result.numbers.values(), result.real.values()
            print("8 bits ", words.ravel(), numbers.ravel().round(3))
            print("float64", real.ravel().round(3))
        counters = running.counters()
        print(counters["cycles"], "cycles;", counters["lockstep_compared"], "words compared, all equal")
