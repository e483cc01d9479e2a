"""Prose reads at first sight: turns of phrase that a reader stumbles over, each with what to write instead.

Checked are the pages, docstrings, comments, texts of errors, helps of commands and titles of plots.
Spelling is checked by codespell (``make check``).
"""

import argparse
import ast
import re
from functools import cache
from itertools import groupby

import pytest

from tests.docs.test_snippets import PAGES, ROOT
from tests.sw.cli.test_every_command import PARSERS
from tests.test_repository import SOURCES, tree

# The site's modules, which are next to its pages, and examples.
WRITTEN_FOR_READERS = sorted(path for folder in ("docs", "examples") for path in (ROOT / folder).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
# The mark of a comment in files of each kind.
MARKS = {".py": "#", ".yaml": "#", ".h": "//", ".cpp": "//"}
COMMENTED = sorted(
    path
    for folder in ("hw", "sw", "sim", "constraints", "docs", "examples", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in MARKS
)
ENVIRONMENT = r"(?:[A-Z]\w+-v\d|ALE/\w+|uart:)"
# In running text.
PHRASES = {
    r"\bthe same bits (?:from|in) (?:each|both|all)\b": "bit-identical: 'all three give bit-identical results'",
    rf"(?<!\bsuch )(?<!\bgiven )\bas `?{ENVIRONMENT}": "such as: 'such as Pendulum-v1'",
    r"\b[Ss]ay what [a-z ]+ takes\b": "report: 'report FPGA resource use'",
    r"(?:^|[.!?:] )(?:Of (?!course\b)|Those of |That of )": "the subject first: 'Each seed stored 5000 codes'",
    # Questions may begin so.
    r"(?:^|[.!?:] )What (?:[^.?!:|]*? )?(?:is|are|was|were|has|have) (?![^.!]*\?)": "the noun: 'The operands are'",
    r",\s+too\b": "also, before what it is about",
    r"\bone behind the other\b|\bbehind (?:each other|one another)\b": "after, for order: 'one after the other'",
    r"\b(?:right|cycles?) behind\b(?! (?:its|row)\b)": "after, for time: 'a cycle after the command'",
    r"\b[Bb]ehind (?:the|its|their) end\b": "past: 'past the end of a memory'",
    r"\b[Ll]eav(?:e|es|ing) [^.:;]{1,30} away\b|\bleft away\b": "omit: 'omit --steps'",
    r"\b(?:cycles|rows|words|bits|samples|operations|actions|selections|simulations|requests) an? "
    r"(?:cycle|second|sample|step|row|line|request|simulation|decision)\b(?! has)": "per: 'samples per second'",
}
# Measured figures stand beside a target; elsewhere processes are asked things.
FIGURES = {
    r"\b(?:is|was|are|were|than|beside|%|\d) asked(?! (?:for|to|again)\b)": "target: 'the target is 20'",
}
# A first line has the thing itself as its subject, or a verb.
SUBJECTS = {
    r"^(?:What|Those|That|Which|Whose) ": "the thing: 'Results of a run', 'Layout of a command'",
}
# A text about a parameter names it.
BODIES = PHRASES | {
    r"^(?:Whose|That|(?:From|By|In|For|With|At) which) ": "the thing: 'Layer whose weights are updated'",
}
ERRORS = {
    r"(?<![Tt]here )\bis no (?!more\b)": "is not: 'is not a checkpoint'",
    r", as [`'\"\d]": "such as: 'two numbers, such as 200,10'",
}
# In texts of a single sentence.
LINES = {
    **PHRASES,
    r"^(?:As|of|that|which|whose|as) ": "what it is: 'Seed of the placer'",
}


def stumbles(text: str, table: dict[str, str]) -> list[str]:
    """Phrases of a text over which a reader stumbles, with the lines joined, and what to write instead."""
    joined = " ".join(text.split())
    return [
        f"{joined[max(0, found.start() - 30) : found.end() + 30]!r}: write {instead}"
        for pattern, instead in table.items()
        for found in re.finditer(pattern, joined)
    ]


@cache
def paragraphs(page):
    """Running text of a page: no fenced or indented code, no code between backticks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.MULTILINE)
    return re.split(r"\n\s*\n|\n(?=[|#-])", text)


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_pages(page):
    assert not [said for text in paragraphs(page) for said in stumbles(text, PHRASES | FIGURES)]


# By lines: to parse or tokenize all files takes seconds.
def first_lines(path):
    return re.findall(r'^ *"""(\w.*?)(?:""")?$', path.read_text(), re.MULTILINE)


def bodies(module):
    """Paragraphs of docstrings after their first lines; a parameter's name is one, and the text about it another."""
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from paragraphs_of_body((ast.get_docstring(node) or "").splitlines()[1:])


def paragraphs_of_body(lines):
    """Joins lines of the same indentation that follow each other; blank lines and rules below headings end them."""
    for indentation, group in groupby(lines, lambda line: len(line) - len(line.lstrip()) if line.strip(" -") else None):
        if indentation is not None:
            yield " ".join(line.strip() for line in group)


def comments(path):
    return re.findall(rf"^(?:.*  | *){MARKS[path.suffix]} (.*)$", path.read_text(), re.MULTILINE)


def test_first_lines_of_docstrings():
    found = {}
    for path in [*SOURCES, *WRITTEN_FOR_READERS, *TESTS]:
        if said := [one for text in first_lines(path) for one in stumbles(text, LINES | SUBJECTS)]:
            found[str(path.relative_to(ROOT))] = said
    assert not found


def test_bodies_of_docstrings():
    found = {}
    for path in [*SOURCES, *WRITTEN_FOR_READERS, *TESTS]:
        if said := [one for text in bodies(tree(path)) for one in stumbles(text, BODIES)]:
            found[str(path.relative_to(ROOT))] = said
    assert not found


def test_the_body_of_a_docstring_is_cut_at_blank_lines_rules_and_indentation():
    text = '''
NAME = """A string.

It is no docstring.
"""


def function(seed):
    """The first line.

    A paragraph
    of two lines.

    Parameters
    ----------
    seed
        The seed.
    """
'''
    assert list(bodies(ast.parse(text))) == [
        "A paragraph of two lines.",
        "Parameters",
        "seed",
        "The seed.",
    ]


def test_comments():
    found = {}
    for path in COMMENTED:
        if said := [one for text in comments(path) for one in stumbles(text, PHRASES)]:
            found[str(path.relative_to(ROOT))] = said
    assert not found


def test_texts_of_errors():
    found = {}
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            texts = ast.walk(node.exc) if isinstance(node, ast.Raise) and node.exc else []
            constants = [part.value for part in texts if isinstance(part, ast.Constant)]
            texts = [text for text in constants if isinstance(text, str)]
            if said := [one for text in texts for one in stumbles(text, PHRASES | ERRORS)]:
                found[f"{path.relative_to(ROOT)}:{node.lineno}"] = said
    assert not found


def test_helps_of_commands():
    found = {}
    for words, parser in PARSERS.items():
        helps = {" ".join(words): parser.description or ""}
        helps |= {f"{' '.join(words)} {action.dest}": action.help or "" for action in parser._actions}
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                helps |= {choice.dest: choice.help or "" for choice in action._choices_actions}
        found |= {name: said for name, text in helps.items() if (said := stumbles(text, LINES))}
    assert not found


def test_texts_of_plots():
    """Titles, labels of axes and legends."""
    names = {"title", "xlabel", "ylabel", "label"}
    calls = {"suptitle", "set_title", "set_xlabel", "set_ylabel"}
    found = {}
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call):
                continue
            texts = [keyword.value for keyword in node.keywords if keyword.arg in names]
            texts += node.args[:1] if isinstance(node.func, ast.Attribute) and node.func.attr in calls else []
            for text in texts:
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                constants = [part.value for part in parts if isinstance(part, ast.Constant)]
                said = [one for part in constants if isinstance(part, str) for one in stumbles(part, PLOTS)]
                if said:
                    found[f"{path.relative_to(ROOT)}:{node.lineno}"] = said
    assert not found


# Labels have units: "us per simulation", not "us a simulation".
PLOTS = LINES | {r"\b(?:us|ms|one policy|one \w+) an? \w+": "per: 'us per simulation'"}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One description runs three ways, with the same bits\nfrom each.", 1),
        ("An environment, as Pendulum-v1.", 1),
        ("An environment, such as Pendulum-v1.", 0),
        ("It has 93.2 %, and 97 is asked.", 1),
        ("All that is asked for is given.", 0),
        ("It learns. Of the layers that follow only one is dense.", 1),
        ("Of course the first is fine.", 0),
        ("Those of the shell, and from 0x100 on:", 1),
        ("There are two. What is known is what simulation says.", 1),
        ("What the engine does is counted.", 1),
        ("What is it? What does it take, and what is left?", 0),
        ("What falls short:", 0),
        ("It learns, too.", 1),
        ("It takes 100 cycles a sample.", 1),
        ("It says how many rows a sample has.", 0),
        ("It takes a cycle.", 0),
        ("Rows lie one behind the other, and end a cycle behind the last one.", 2),
        ("A row behind the end of a memory.", 1),
        ("A register behind a multiplier, a system behind a UART.", 0),
        ("Row r is r cycles behind row 0.", 0),
        ("It has a picture: leave --picture away.", 1),
        ("It is no archive.", 1),
        ("There is no archive.", 0),
        ("It is no more.", 0),
        ("It takes two numbers, as 200,10.", 1),
        ("It takes two numbers, such as 200,10.", 0),
        ("Whose weights are updated.", 1),
        ("Layer whose weights are updated.", 0),
    ],
)
def test_the_table_itself(text, count):
    assert len(stumbles(text, BODIES | FIGURES | ERRORS)) == count
