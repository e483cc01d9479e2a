import sys

import pytest

from rewardware.hw.soc.export.formats.tcl import table, word

from .interpreter import Interpreter

TEXTS = [
    *("plain", "rtl/top.v", "", "two words", 'a "quoted" word', "$variable", "[command]", "a;b", "#comment"),
    *("one } brace", "{both}", "back\\slash", "\\", "ends with \\", "$x [y] {z} \\", "-flag", "Größe", "~", "a\tb"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_word_is_its_text(text):
    assert Interpreter({}).evaluate(f"set x {word(text)}") == text


def test_a_table_has_a_row_of_words_a_line():
    tcl = Interpreter({})
    tcl.evaluate(
        f"foreach {{text length}} {table((text, len(text)) for text in TEXTS)} {{lappend found $text $length}}"
    )
    expected = [str(part) for text in TEXTS for part in (text, len(text))]
    assert tcl.words(tcl.evaluate("set found")) == expected


def test_a_python_without_tcl_is_told_of(monkeypatch):
    monkeypatch.setitem(sys.modules, "tkinter", None)
    with pytest.raises(RuntimeError, match=r"this Python lacks: install it \(Debian: apt-get install python3-tk\)$"):
        Interpreter({})
