"""Tables: as columns for a terminal, in Markdown, and into the page that shows them."""

from collections.abc import Collection, Sequence
from pathlib import Path

from ...hw.soc.written_file import write_text

__all__ = ["aligned", "insert_table", "markdown"]

Rows = Sequence[Sequence[str]]


def aligned(rows: Rows, *, left: Collection[int] = (0,), ruled: bool = False) -> list[str]:
    """Lines with the columns side by side.

    Parameters
    ----------
    rows
        Rows with the same number of cells each.
    left
        Columns whose cells stand to the left; those of the others stand to the right.
    ruled
        Whether there are dashes below the first row.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if ruled:
        rows = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return [
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def markdown(rows: Rows, *, left: Collection[int] = (0,)) -> str:
    """The rows as a table in Markdown, the first one as its head.

    Parameters
    ----------
    rows
        Rows with the same number of cells each.
    left
        Columns whose cells stand to the left; those of the others stand to the right.
    """
    head, *others = rows
    rule = ["---" if place in left else "---:" for place in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *others))


def insert_table(page: Path, name: str, table: str) -> bool:
    """Put a table between the page's marks ``<!-- table: NAME -->`` and ``<!-- end: NAME -->``, if it has them.

    Returns
    -------
    bool
        Whether it has.
    """
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    text = page.read_text() if page.is_file() else ""
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        return False
    write_text(page, f"{before}{begin}\n{table}\n{end}{after}")
    return True
