"""Presets: named configurations in YAML, a folder for each system. No Amaranth here."""

import dataclasses
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import yaml

from ..fixar.config import FixarConfig
from ..learninggroup.config import LearningGroupConfig
from ..learninggroup.hardware import LearningGroupHardware
from ..mcts.config import MCTSConfig
from ..pearl.config import PearlConfig
from ..pearl.ddpg_learner_config import PearlDDPGLearnerConfig
from ..pearl.dqn_learner_config import PearlDQNLearnerConfig
from ..pearl.learner_config import PearlLearnerConfig

__all__ = ["CONFIGURATIONS", "Preset", "list_presets", "load_preset", "read_preset"]

CONFIGURATIONS = {
    "fixar": FixarConfig,
    "learninggroup": LearningGroupConfig,
    "mcts": MCTSConfig,
    "pearl": PearlConfig,
    "pearl_learner": PearlDQNLearnerConfig,
    "pearl_ddpg_learner": PearlDDPGLearnerConfig,
}
SECTIONS = ("name", "system", "hardware", "memories", "training")
# Of a system whose reference needs less than its hardware does: where the depths of memories belong.
HARDWARE = {"learninggroup": LearningGroupHardware}


@dataclass(frozen=True)
class Preset:
    """What a file holds.

    Parameters
    ----------
    config : FixarConfig, LearningGroupConfig, MCTSConfig, PearlConfig or PearlLearnerConfig
    training : dict
        Defaults of hyper-parameters for this configuration, as the agent names them.
    hardware : FixarConfig, LearningGroupHardware, MCTSConfig, PearlConfig or PearlLearnerConfig
        What the device is built from: the configuration, with the depths of memories where they are not part of it.
    """

    config: FixarConfig | LearningGroupConfig | MCTSConfig | PearlConfig | PearlLearnerConfig
    training: dict = field(default_factory=dict)
    hardware: FixarConfig | LearningGroupHardware | MCTSConfig | PearlConfig | PearlLearnerConfig | None = None


def list_presets(system="fixar"):
    """Names of a system's presets that come with the package."""
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder(system).iterdir() if entry.name.endswith(".yaml")
    )


def load_preset(name_or_path, system="fixar"):
    """Configuration of a system's preset, or of a YAML file.

    Raises
    ------
    ValueError
        There is no such preset or file, or it holds what no configuration has; the message names it.
    """
    return read_preset(name_or_path, system).config


def read_preset(name_or_path, system="fixar"):
    """:class:`Preset` of that name or file."""
    source, names = str(name_or_path), list_presets(system)
    if source in names:
        text = (folder(system) / f"{source}.yaml").read_text(encoding="utf-8")
    elif Path(source).is_file():
        text = Path(source).read_text(encoding="utf-8")
    else:
        raise ValueError(f"Configuration must be one of {', '.join(names)} or a YAML file, not {source!r}")
    try:
        return parse(text, Path(source).stem, system)
    except yaml.YAMLError as error:
        raise ValueError(f"{source} is not YAML: {' '.join(str(error).split())}") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{source}: {error}") from None


def folder(system):
    if system not in CONFIGURATIONS:
        raise ValueError(f"System must be {' or '.join(CONFIGURATIONS)}, not {system!r}")
    return resources.files(__package__) / system


def parse(text, name, system):
    content = yaml.safe_load(text)
    if not isinstance(content, dict):
        raise ValueError(f"A configuration must be a mapping with {', '.join(SECTIONS)}")
    refuse_unknown("section", content, SECTIONS)
    hardware = content.get("hardware")
    training, memories = content.get("training") or {}, content.get("memories") or {}
    if not isinstance(hardware, dict) or not isinstance(training, dict) or not isinstance(memories, dict):
        raise ValueError("Sections hardware, memories and training must be mappings")
    fields = [field for field in dataclasses.fields(CONFIGURATIONS[system]) if field.name not in ("name", "system")]
    refuse_unknown("field of hardware", hardware, [field.name for field in fields])
    needed = [field.name for field in fields if field.default is dataclasses.MISSING and field.name not in hardware]
    if needed:
        raise ValueError(f"Section hardware needs {', '.join(needed)}")
    found = {"name": content.get("name", name), "system": content.get("system", system)}
    config = CONFIGURATIONS[system](**found, **hardware)
    if system not in HARDWARE:
        refuse_unknown("field of memories", memories, [])
        return Preset(config, training, config)
    known = [field.name for field in dataclasses.fields(HARDWARE[system]) if field.name not in ("device", "system")]
    refuse_unknown("field of memories", memories, known)
    return Preset(config, training, HARDWARE[system](device=config, **memories))


def refuse_unknown(what, given, known):
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise ValueError(f"Unknown {what}: {', '.join(unknown)}; there are {', '.join(known) or 'none'}")
