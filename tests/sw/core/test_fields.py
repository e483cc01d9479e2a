"""YAML files are read, and what is wrong with one is said with its name."""

import pytest

from rewardware.sw.core.fields import read_yaml


def refuse(content):
    raise TypeError(f"There must be nothing, not {content!r}")


def test_what_is_made_of_the_content(tmp_path):
    (tmp_path / "mine.yaml").write_text("a: [1, \u00e9]", encoding="utf-8")
    assert read_yaml(tmp_path / "mine.yaml", lambda content: content["a"]) == [1, "\u00e9"]


# The last two: a file in another encoding, and a date that is none, which the parser refuses.
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a: b: c", "^mine.yaml is not YAML: mapping values are not allowed here"),
        (b"a: [", "^mine.yaml is not YAML: "),
        (b"a: \xe9", "^mine.yaml is not YAML: 'utf-8' codec"),
        (b"a: 2026-13-01", "^mine.yaml: month must be in 1..12"),
    ],
)
def test_another_file(content, words, tmp_path):
    (tmp_path / "mine.yaml").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_yaml(tmp_path / "mine.yaml", lambda content: content)


def test_content_that_is_refused(tmp_path):
    (tmp_path / "mine.yaml").write_text("3")
    with pytest.raises(TypeError, match=r"^mine\.yaml: There must be nothing, not 3"):
        read_yaml(tmp_path / "mine.yaml", refuse)
