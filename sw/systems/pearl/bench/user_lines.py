"""How many lines a user writes for an algorithm."""

import ast
import importlib.resources

__all__ = ["EXAMPLES", "count_lines", "lines_of_example"]

# Algorithms that there are examples of, in `sw/algorithms/examples`.
EXAMPLES = ("dqn", "ddpg", "sac")


def lines_of_example(algorithm: str) -> int:
    """Lines of code in an algorithm's example."""
    file = importlib.resources.files("rewardware.sw.algorithms.examples").joinpath(f"{algorithm}.py")
    return count_lines(file.read_text(encoding="utf-8"))


def count_lines(text: str) -> int:
    """Lines with code on them: no blank ones, comments and docstrings."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and not _is_docstring(node):
            decorators, body = getattr(node, "decorator_list", None), getattr(node, "body", None)
            first = decorators[0].lineno if decorators else node.lineno
            # A block's own lines end where its body begins; the body's statements come by themselves.
            lines.update(range(first, (body[0].lineno if body else (node.end_lineno or first) + 1)))
    return len(lines)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
