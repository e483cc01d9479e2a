"""A policy of pixels that has learned from a rule, and plays on floating-point numbers or on integers."""

import contextlib
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ...algorithms.agent import Agent
from ...algorithms.imitation.arcade_rules import rule_of
from ...algorithms.imitation.dagger_config import DaggerConfig
from ...algorithms.imitation.dagger_learner import DaggerLearner, to_picture
from ...core.backends import parse_backend, require_link
from ...core.checkpoint import CheckpointError, backend_of, environment_of, read_agent, settings_of
from ...core.environments.frame_environment import FrameEnvironment
from ...networks.convolution.quantized_model import QuantizedModel, quantize_model
from ...networks.convolution.running_network import RunningNetwork
from ...networks.convolution.torch_import import import_module
from ...networks.torch_networks import ModuleStateError
from ..options import lockstep_rows
from .backends import network_on
from .dagger_report import DaggerReport

__all__ = ["HOST", "Dagger"]

# Where the policy is computed besides the reference and devices.
HOST = ("torch",)
# Observations by which activations are scaled.
CALIBRATION = 64
# Members of a checkpoint besides its arrays.
MEMBERS = ("backend", "config", "env", "generator", "num_timesteps")


class Dagger(Agent):
    """Learns to play a game of the Arcade Learning Environment from its pixels, as a rule does from its memory.

    It always acts and learns in PyTorch while it is trained. The backend says where it plays when it is evaluated:
    ``"torch"`` in float32, all others on integers of 8 bits, the policy quantised with scales by 64 of the observations
    that it learned from. So runs on different backends learn the same bits.

    Parameters
    ----------
    env
        Identifier of a game for which there is a rule (:mod:`...algorithms.imitation.arcade_rules`), as
        ``"ALE/Breakout-v5"``; or an environment whose observations are those of :class:`.FrameEnvironment`.
    config
        Hyper-parameters.
    backend
        ``"torch"``: float32. ``"reference"``: 8 bits in NumPy. ``"rtl"``: the RTL in the simulator. ``"lockstep"``:
        reference and RTL, every word compared. ``"uart:PORT"``: a board.
    hardware
        The device; ``None``: one that suits the network.
    transport
        For backend ``"transport"``: an open link to the device, over PCIe say; it is closed with the agent.
    evaluation_env
        Where `evaluate` plays; ``None``: a second environment of the same identifier.

    Members
    -------
    num_timesteps
        Environment steps taken: decisions, of four frames of the emulator each.
    learner
        What acts and learns.

    Raises
    ------
    ValueError
        No game of the ALE, or one without a rule; no such backend.

    Source: Ross, Gordon, Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
    Learning" (2011); Mnih et al., "Human-level control through deep reinforcement learning" (2015), the network.
    """

    name = "dagger"
    # Its batches are small, and with one thread a run repeats itself to the bit.
    suited_threads = 1
    config: DaggerConfig
    environment: FrameEnvironment
    learner: DaggerLearner

    def __init__(
        self,
        env: gymnasium.Env | str,
        config: DaggerConfig | None = None,
        *,
        backend: str = "torch",
        hardware: Any = None,
        transport: Any = None,
        evaluation_env: gymnasium.Env | str | None = None,
    ):
        parse_backend(backend, HOST)
        require_link(backend, transport)
        if backend in HOST and hardware is not None:
            raise ValueError(f"Backend {backend!r} has no accelerator: omit it")
        config = config or DaggerConfig()
        super().__init__(FrameEnvironment(env, config.seed), config, backend, evaluation_env)
        self.hardware, self._transport = hardware, transport
        with contextlib.ExitStack() as opened:
            opened.callback(self.environment.env.close)
            self._rule = rule_of(self.environment.env)
            self.learner = DaggerLearner(self.environment.action_size, config)
            opened.pop_all()
        # The policy on integers, and after how many steps it was made.
        self._integers: tuple[int, QuantizedModel, RunningNetwork] | None = None

    def report(self) -> DaggerReport:
        """The report, which makes sense of its records."""
        return DaggerReport(self.about())

    @property
    def round_size(self) -> int:
        """Environment steps of an iteration."""
        return self.config.round_steps

    @property
    def evaluates_from(self) -> int:
        """The policy learns from the first iteration on: 0."""
        return 0

    def _round(self) -> list[dict[str, Any]]:
        environment, learner, records = self.environment, self.learner, []
        for _ in range(self.round_size):
            observation, wanted = environment.observation, self._rule(environment.memories)
            drawn = learner.generator.bit_generator.state
            action = learner.choose(observation, wanted, self.num_timesteps)
            begins = environment.episode_length == 0
            try:
                _, reward, terminated, truncated = environment.step(np.asarray(action))
            except Exception:
                learner.generator.bit_generator.state = drawn
                raise
            learner.data.add(observation, wanted, begins)
            self.num_timesteps += 1
            record: dict[str, Any] = {"step": self.num_timesteps, "reward": reward}
            if terminated or truncated:
                record |= {"return": environment.episode_return, "length": environment.episode_length}
                environment.begin()
            records.append(record)
        learner.learn()
        return records

    def statistics(self) -> dict[str, float] | None:
        """The last iteration's ``loss`` and ``agreement`` with the rule, and ``rule_share``, the share of steps in
        which the rule acts now. ``None`` before the first iteration."""
        found = self.learner.statistics()
        return found and {**found, "rule_share": self.config.rule_share_at(self.num_timesteps)}

    def baseline(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """The returns of random actions, and those of the rule: ``rule_mean``, ``rule_returns``."""
        environment = self._evaluation_environment()
        returns = self._returns(lambda _: np.asarray(self._rule(environment.memories)), episodes, seed)
        rule = {f"rule_{name}": value for name, value in self._outcome(returns).items()}
        return {**super().baseline(episodes, seed), **rule}

    def evaluate_for_record(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """``mean`` and ``returns`` of the policy; on integers besides what float32 comes to, as of `evaluation`."""
        if self.backend in HOST:
            return super().evaluate_for_record(episodes, seed)
        return self._on_both(episodes, seed)

    def evaluation(
        self, episodes: int | None = None, seed: int | None = None, steps: int | None = None
    ) -> dict[str, Any]:
        """``mean`` and ``returns`` of `evaluate`; of 10 episodes, if nobody says how many.

        On integers besides: the same of float32, ``float32_mean`` and ``float32_returns``; how many ``decisions`` were
        made on integers, and ``same_actions``, how many of them are those of float32; ``counters`` of the backend.
        """
        if self.backend in HOST:
            return super().evaluation(episodes, seed, steps)
        return {**self._on_both(10 if episodes is None else episodes, seed, steps), "counters": self.counters()}

    def _on_both(self, episodes: int, seed: int | None, steps: int | None = None) -> dict[str, Any]:
        """Episodes on integers, and the same ones in float32."""
        counts = {"decisions": 0, "same_actions": 0}

        def compared(observation: np.ndarray) -> np.ndarray:
            action = self._best_action(observation)
            counts["decisions"] += 1
            counts["same_actions"] += int(action == self._float_action(observation))
            return action

        outcome = self._outcome(self._returns(compared, episodes, seed, steps))
        real = self._outcome(self._returns(self._float_action, episodes, seed, steps))
        return {**outcome, **{f"float32_{name}": value for name, value in real.items()}, **counts}

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """Lines that say what `evaluation` came to."""
        if "float32_mean" not in outcome:
            return super().describe_evaluation(outcome)
        pairs = zip(outcome["returns"], outcome["float32_returns"], strict=True)
        lines = [f"episode {number:3}  INT8 {one:8.2f}  float32 {two:8.2f}" for number, (one, two) in enumerate(pairs)]
        lines.append(f"mean         INT8 {outcome['mean']:8.2f}  float32 {outcome['float32_mean']:8.2f}")
        same, decisions = outcome["same_actions"], outcome["decisions"]
        lines.append(f"the action of float32 in {same} of {decisions} decisions, {100 * same / decisions:.1f} %")
        lines += [" ".join(row).strip() for row in lockstep_rows(outcome["counters"], "pictures on", "words")]
        return [*lines, f"on backend {self.backend}, after {self.num_timesteps} steps"]

    def _evaluation_environment(self) -> FrameEnvironment:
        return cast(FrameEnvironment, super()._evaluation_environment())

    def _float_action(self, observation: NDArray[np.uint8]) -> np.ndarray:
        return np.asarray(self.learner.scores(observation[np.newaxis])[0].argmax())

    def _best_action(self, observation: NDArray[np.uint8]) -> np.ndarray:
        if self.backend in HOST:
            return self._float_action(observation)
        model, running = self._on_integers()
        words = running.infer(model.network.to_words(to_picture(observation).astype(np.float64)))
        (output,) = model.network.outputs
        return np.asarray(words[output].reshape(-1).argmax())

    def quantized(self) -> QuantizedModel:
        """The policy as it is, on integers, and in float64.

        Raises
        ------
        ValueError
            It has not seen anything yet.
        """
        data = self.learner.data
        if not data.size:
            raise ValueError("The policy must see observations before it can be quantised: let it learn first")
        calibration = to_picture(data.observations(data.spread(CALIBRATION)))
        imported = import_module(self.learner.network, 4, calibration.shape[1:3], "policy")
        return quantize_model(imported.network, imported.parameters, list(calibration))

    def _on_integers(self) -> tuple[QuantizedModel, RunningNetwork]:
        """The policy on its backend, opened when it is first needed, and anew where it has learned since then."""
        if self._integers is not None and self._integers[0] != self.num_timesteps:
            if self._transport is None:
                self._close_integers()
            # A link of the user's own stays open for the policy as it is now.
            self._integers = None
        if self._integers is None:
            model = self.quantized()
            link = {} if self._transport is None else {"transport": self._transport}
            running = network_on(self.backend, self.hardware, **link)(model.network)
            self._integers = self.num_timesteps, model, running
        return self._integers[1:]

    def _close_integers(self) -> None:
        if self._integers is not None:
            self._integers[2].close()
            self._integers = None
        elif self._transport is not None:
            self._transport.close()

    def predict(self, observation: np.ndarray, deterministic: bool = True) -> tuple[np.ndarray, None]:
        """The action for one observation (84, 84, 4) of bytes; the second element is always ``None``, as
        Stable-Baselines3's hidden state of policies without one.

        Parameters
        ----------
        observation
            Four frames, the oldest first.
        deterministic
            Always: the action of the largest score.
        """
        return self._best_action(np.asarray(observation, np.uint8)), None

    def counters(self) -> dict[str, Any]:
        """Counts of the backend on integers: cycles, saturated words, comparisons."""
        return {} if self._integers is None else dict(self._integers[2].counters())

    def _parts(self) -> dict[str, Any]:
        return {"data": self.learner.data, "environment": self.environment}

    def _own_state(self) -> dict[str, Any]:
        return {"generator": self.learner.generator.bit_generator.state}

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        self.learner.generator.bit_generator.state = about["generator"]

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: gymnasium.Env | str | None = None,
        *,
        backend: str | None = None,
        **settings: Any,
    ) -> "Dagger":
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            Path of the checkpoint.
        env
            ``None``: by the identifier in the checkpoint.
        backend
            ``None``: the checkpoint's.
        **settings
            Others of the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another environment.
        ValueError
            There is no such backend.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        with settings_of(path):
            config = DaggerConfig.from_mapping(about["config"])
        agent = cls(environment_of(path, about, env), config, backend=backend_of(path, about, backend), **settings)
        with contextlib.ExitStack() as opened:
            opened.callback(agent.close)
            try:
                agent._restore(path, arrays, about)
            except ModuleStateError as error:
                raise CheckpointError(f"{path}: {error}") from None
            opened.pop_all()
        return agent

    def close(self) -> None:
        """Lets go of environments and device."""
        try:
            self._close_integers()
        finally:
            self.environment.env.close()
            if self._evaluation is not None:
                self._evaluation.env.close()
