"""Commands of the units of convolutions as flat records: what instructions carry. No Amaranth here.

A unit's command is nested (:func:`.store_unit.store_command`). Its record has a field for each number of it, in that
order, whose name is the way there: ``words_target_nest_first_lane``.
"""

from collections.abc import Iterable, Mapping

from ..records import Field, Record
from .layout_config import LayoutConfig
from .loop_nest_config import LoopNestConfig
from .pool_config import PoolConfig
from .requantizer_config import SHIFT_WIDTH
from .store_config import StoreConfig
from .window_reader_config import WindowReaderConfig
from .word_writer_config import WordWriterConfig

__all__ = [
    "flat_command",
    "layout_record",
    "nest_fields",
    "pool_record",
    "store_record",
    "window_fields",
    "word_fields",
]


def layout_record(config: LayoutConfig) -> Record:
    """The record of the layout transformation unit's commands."""
    fields = window_fields("window", config.reader) + nest_fields("rows", config.nest)
    return Record((*fields, Field("transform", _choices(config.transforms))))


def store_record(config: StoreConfig) -> Record:
    """The record of the store unit's commands."""
    transform = Field("transform", _choices(config.transforms))
    return Record((*nest_fields("sums", config.sums), transform, *word_fields("words", config.writer)))


def pool_record(config: PoolConfig) -> Record:
    """The record of the pooling unit's commands."""
    sizes = [
        Field(f"{name}_{axis}", most.bit_length())
        for name in ("kernel", "stride")
        for axis, most in zip(("lines", "columns"), config.sliding, strict=True)
    ]
    fields = (*window_fields("window", config.reader), Field("slides"), *sizes, Field("maximum"))
    return Record((*fields, *word_fields("words", config.writer)))


def flat_command(command: Mapping) -> dict[str, int]:
    """The numbers of a nested command, by the names of its record.

    Parameters
    ----------
    command
        A command of numbers, mappings and lists.
    """
    return dict(_flat(command.items()))


def nest_fields(name: str, config: LoopNestConfig) -> tuple[Field, ...]:
    """The fields of a command for a nest (:func:`.loop_nest.nest_command`), their names beginning with ``name``."""

    def values(of):
        return [Field(f"{name}_{of}_{field.name}", field.width) for field in config.fields]

    counts = [Field(f"{name}_counts_{level}", config.count_width) for level in range(config.levels)]
    jumps = [field for level in range(config.levels) for field in values(f"jumps_{level}")]
    return (*values("first"), *counts, *jumps)


def window_fields(name: str, config: WindowReaderConfig) -> tuple[Field, ...]:
    """The fields of a command for a window reader (:func:`.window_reader.window_command`), as :func:`nest_fields`."""
    sizes = Field(f"{name}_height", config.line_width - 1), Field(f"{name}_pitch", config.element_width - 1)
    return (*nest_fields(f"{name}_nest", config.nest), *sizes)


def word_fields(name: str, config: WordWriterConfig) -> tuple[Field, ...]:
    """The fields of a command for a word writer (:func:`.word_writer.word_command`), as :func:`nest_fields`."""
    most = {"planes": config.planes - 1, "columns": config.lanes - 1} if config.planes > 1 else {}
    return (
        Field(f"{name}_turned"),
        *(Field(f"{name}_block_{of}", number.bit_length()) for of, number in most.items()),
        *nest_fields(f"{name}_parameters", config.parameters),
        Field(f"{name}_shift", SHIFT_WIDTH),
        Field(f"{name}_rectifies"),
        *window_fields(f"{name}_target", config.target),
    )


def _flat(parts: Iterable, prefix: str = ""):
    for name, part in parts:
        if isinstance(part, Mapping):
            yield from _flat(part.items(), f"{prefix}{name}_")
        elif isinstance(part, list | tuple):
            yield from _flat(enumerate(part), f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", int(part)


def _choices(transforms: tuple) -> int:
    """Bits of the number of a transform, from 1 on."""
    return max(len(transforms).bit_length(), 1)
