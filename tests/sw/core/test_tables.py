"""Tables: columns that stand where they should, and pages that get them."""

import pytest

from rewardware.sw.core.tables import aligned, insert_table, markdown

ROWS = [["name", "value", "how"], ["a", "1.5", ""], ["longer", "20", "by hand"]]


def test_columns_stand_side_by_side():
    assert aligned(ROWS) == ["name    value      how", "a         1.5", "longer     20  by hand"]
    assert aligned(ROWS, left=(0, 2)) == ["name    value  how", "a         1.5", "longer     20  by hand"]
    assert aligned(ROWS, ruled=True)[1] == "------  -----  -------"
    assert aligned([]) == []


def test_markdown_has_a_head_and_says_where_columns_stand():
    assert markdown(ROWS, left=(0, 2)).splitlines() == [
        "| name | value | how |",
        "| --- | ---: | --- |",
        "| a | 1.5 |  |",
        "| longer | 20 | by hand |",
    ]


def test_rows_have_as_many_cells_each():
    with pytest.raises(ValueError):
        aligned([["a", "b"], ["c"]])


def test_a_table_takes_the_place_of_the_one_before(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Before\n<!-- table: one -->\nold\n<!-- end: one -->\n<!-- table: two -->\n<!-- end: two -->\nAfter\n"
    )
    assert insert_table(page, "one", "| new |")
    assert insert_table(page, "two", "| 2 |")
    expected = "Before\n<!-- table: one -->\n| new |\n<!-- end: one -->\n"
    assert page.read_text() == expected + "<!-- table: two -->\n| 2 |\n<!-- end: two -->\nAfter\n"


@pytest.mark.parametrize("text", [None, "Text\n", "<!-- table: one -->\n", "<!-- end: one -->\n<!-- table: one -->\n"])
def test_a_page_without_a_place_stays_as_it_is(text, tmp_path):
    page = tmp_path / "page.md"
    if text is not None:
        page.write_text(text)
    assert not insert_table(page, "one", "| new |")
    assert (page.read_text() if page.exists() else None) == text
