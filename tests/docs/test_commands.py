"""Every command line that README and docs show is one that the parser takes."""

import re
import shlex

import pytest

from rewardware.sw.cli.dispatch import COMMANDS, _parser

from .test_snippets import PAGES, ROOT

VERBS = "|".join(COMMANDS)
# In code between backticks, over two lines of prose it may be; on a line of an indented block, with lines that go on.
INLINE = re.compile(rf"`(rewardware (?:{VERBS})(?: [^`]*)?)`")
BLOCK = re.compile(rf"^    (rewardware (?:{VERBS}) (?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
# Words that stand for one of several.
PLACEHOLDERS = {"NAME": "fixar", "SYSTEM": "fixar", "SHELL": "bash", "N": "1"}


def commands():
    """The command lines, without comments and columns of explanation; what has ``...`` or ``|`` is no command."""
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        text = page.read_text()
        for found in INLINE.findall(text) + BLOCK.findall(text):
            command = re.split(r" {3,}(?=[^ -])|\s#|\s-->", re.sub(r"\\?\n\s*", " ", found))[0]
            words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)]
            if len(words) > 2 and not re.search(r"\.\.\.|\|", command):
                yield pytest.param(words[1:], id=f"{page.stem}:{' '.join(words[1:])}")


COMMANDS_SHOWN = list(commands())


def test_the_documentation_shows_every_command():
    assert {shown.values[0][0] for shown in COMMANDS_SHOWN} == set(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS_SHOWN)
def test_a_command_of_the_documentation_parses(words):
    assert _parser().parse_args(words).command == words[0]
