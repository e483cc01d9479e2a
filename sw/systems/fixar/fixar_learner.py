"""FIXAR as a learner: the reference or a device, with networks, rates and first weights from the hyper-parameters."""

import copy
import importlib
from typing import Any

import numpy as np

from ....hw.soc.fixar.config import FixarConfig, Networks, Rates
from ...algorithms.ddpg_config import DDPGConfig
from ...algorithms.range_margin import widened_ranges
from ...device.transport import Transport
from ...networks.initialization import initial_layers
from ...reference.fixar import FixarReference, SixteenBit
from ...reference.fixar_state import initial_state, parameters_of, with_parameters
from ...reference.learner_batch import LearnerBatch
from .program.compiler import Compiler
from .program.cycles import useful_products

__all__ = ["FixarLearner", "networks_of", "rates_of"]


def networks_of(observation_size: int, action_size: int, config: DDPGConfig) -> Networks:
    """Shapes of the networks."""
    return Networks(observation_size=observation_size, action_size=action_size, hidden_sizes=config.hidden_sizes)


def rates_of(config: DDPGConfig, hardware: FixarConfig) -> Rates:
    """The device's registers. Its gradients are sums over the batch, so epsilon is scaled by the batch."""
    return Rates.of(
        learning_rate_actor=config.learning_rate,
        learning_rate_critic=config.critic_rate,
        beta1=config.beta1,
        beta2=config.beta2,
        tau=config.tau,
        epsilon=config.epsilon * config.batch_size,
        noise=config.noise_scale,
        gradient_fraction=hardware.gradient_fraction,
    )


class FixarLearner:
    """DDPG's two jobs on FIXAR; state and interface are the same for reference and device.

    Made by `on_reference` or `on_device`, with the first weights in place.

    Parameters
    ----------
    engine
        `FixarReference` or `FixarDevice`.
    hardware, networks, config
        Values that it was made with.
    """

    def __init__(self, engine: Any, hardware: FixarConfig, networks: Networks, config: DDPGConfig):
        self.engine = engine
        self.hardware, self.networks, self.config = hardware, networks, config
        self._compiler = Compiler(hardware, networks)
        self._compiler.train(config.batch_size)
        if config.quantization_delay is not None:
            self._compiler.train(config.batch_size, bits=config.bits)
        self._bits: int | None = None
        self._tally: dict[str, Any] = {"steps": 0, "useful": 0, "possible": 0, "cycles": 0, "busy": {}}
        self._models: dict[tuple[int, int | None], tuple[int, dict[str, int]]] = {}
        generator = np.random.default_rng(config.seed)
        hidden = config.hidden_sizes
        self.set_layers(
            initial_layers((networks.observation_size, *hidden, networks.action_size), generator),
            initial_layers((networks.input_size, *hidden, 1), generator),
        )

    @classmethod
    def on_reference(
        cls,
        hardware: FixarConfig,
        observation_size: int,
        action_size: int,
        config: DDPGConfig,
        *,
        array: str = "numpy",
        sixteen_bit: int | None = None,
    ) -> "FixarLearner":
        """The bit-exact reference.

        Parameters
        ----------
        hardware, observation_size, action_size, config
            As for `make_learner`.
        array
            ``"numpy"``, or ``"cupy"`` for a GPU; the bits are the same.
        sixteen_bit
            Words of 16 bits from the start, weights with so many fraction bits, activations and errors with 8: the
            paper's failing case, which is no mode of the hardware.
        """
        if array not in ("numpy", "cupy"):
            raise ValueError(f"array must be numpy or cupy, not {array!r}")
        networks = networks_of(observation_size, action_size, config)
        engine = FixarReference(
            hardware,
            networks,
            rates_of(config, hardware),
            xp=importlib.import_module(array),
            seed=config.seed,
            sixteen_bit=None if sixteen_bit is None else SixteenBit(weight_fraction=sixteen_bit),
        )
        return cls(engine, hardware, networks, config)

    @classmethod
    def on_device(
        cls,
        where: str,
        hardware: FixarConfig,
        observation_size: int,
        action_size: int,
        config: DDPGConfig,
        transport: Transport | None = None,
    ) -> "FixarLearner":
        """A device: ``"sim"``, a board as ``"uart:/dev/ttyUSB0"``, or behind a link of one's own."""
        from ...device.open import open_device
        from .driver import FixarDevice

        networks = networks_of(observation_size, action_size, config)
        rates = rates_of(config, hardware)
        device = open_device(where, hardware, transport=transport)
        try:
            return cls(FixarDevice(device, hardware, networks, rates, seed=config.seed), hardware, networks, config)
        except BaseException:
            device.close()
            raise

    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """Actions in [-1, 1] for rows of observations, with exploration noise if asked."""
        return self.engine.act(observations, noise).astype(np.float32)

    def train(self, batch: LearnerBatch) -> np.ndarray:
        """One DDPG step; the temporal-difference errors of the batch."""
        errors = self.engine.train(batch)
        self._count(len(batch))
        return errors

    def _count(self, batch: int) -> None:
        report = getattr(self.engine, "report", None)
        cycles, busy = (report.cycles, report.busy) if report is not None else self._modelled(batch)
        tally = self._tally
        tally["steps"] += 1
        tally["useful"] += useful_products(self.networks, batch)
        # With codes a processing element makes two products a cycle, forwards and in gradients.
        elements = self.hardware.cores * self.hardware.lanes**2
        tally["possible"] += elements * cycles * (2 if self._bits else 1)
        tally["cycles"] += cycles
        for engine, count in busy.items():
            tally["busy"][engine] = tally["busy"].get(engine, 0) + count

    def _modelled(self, batch: int) -> tuple[int, dict[str, int]]:
        """Cycles of a training step and busy cycles of the engines, by the compiler's model."""
        key = batch, self._bits
        if key not in self._models:
            model = self._compiler.train(batch, bits=self._bits).cycles()
            self._models[key] = model.cycles, {"matrix": model.matrix_cycles, "adam": model.sweep_cycles}
        return self._models[key]

    def freeze(self, bits: int) -> None:
        """From now on activations are codes of so many bits, in the ranges recorded until now and their margin."""
        if self.config.range_margin != 1:
            state = self.engine.save()
            state["range/minimum"], state["range/maximum"] = widened_ranges(
                state["range/minimum"], state["range/maximum"], self.config.range_margin
            )
            self.engine.load(state)
        self.engine.freeze(bits)
        self._bits = bits

    def save(self) -> dict[str, np.ndarray]:
        """The device's whole state: words, ranges, bias correction, noise, counts of saturations."""
        return self.engine.save()

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self.engine.load(state)
        self._bits = int(state["bits"]) or None

    def layers(self, network: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights and biases of a network."""
        return list(zip(*parameters_of(self.engine.save(), self.hardware, self.networks, network), strict=True))

    def set_layers(self, actor: list, critic: list) -> None:
        """Begins anew with these networks."""
        state = initial_state(self.hardware, self.networks, self.config.seed)
        for name, layers in (("actor", actor), ("critic", critic)):
            matrices, biases = zip(*layers, strict=True)
            for network in (name, f"target_{name}"):
                state = with_parameters(state, self.hardware, self.networks, network, matrices, biases)
        self.load(state)

    def counters(self) -> dict[str, Any]:
        """Saturations, cycles (of the cycle model where there is no device), and how busy everything was."""
        counts = dict(self.engine.counters())
        tally = self._tally
        if tally["steps"]:
            counts["train_steps"] = tally["steps"]
            counts["train_cycles"] = tally["cycles"]
            counts["cycles_from"] = "RTL" if hasattr(self.engine, "report") else "cycle model"
            shares = {f"{engine} engine": count / tally["cycles"] for engine, count in tally["busy"].items()}
            counts["utilization"] = {**shares, "processing elements": tally["useful"] / tally["possible"]}
        return counts

    def tally(self) -> dict[str, Any]:
        """Counts behind `counters` that are not in the state."""
        return copy.deepcopy(self._tally)

    def restore_tally(self, tally: dict[str, Any]) -> None:
        """Takes back what `tally` gave."""
        self._tally = copy.deepcopy(tally)

    def close(self) -> None:
        """Lets go of the device, if there is one."""
        if hasattr(self.engine, "close"):
            self.engine.close()
