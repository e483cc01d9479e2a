"""Scores of a node's edges, bit for bit as the score unit has them."""


def unit_scores(reference, edges, *, exploration, loss, first_value):
    """Scores of edges, each a dictionary of the unit's operands.

    They are those of ``reference`` but for a UCT child that nobody has chosen: it has 01 in the two uppermost bits, and
    the lower ones of what its score would be.
    """
    columns = [[edge[name] for edge in edges] for name in ("legal", "visited", "value", "factor", "in_flight")]
    scores = reference.scores(*columns, exploration=exploration, loss=loss, first_value=first_value)
    width = reference.config.score_width
    first = (first_value + exploration) % (1 << width - 2) + (1 << width - 2)
    is_unvisited = [edge["legal"] and not edge["visited"] and not edge["in_flight"] for edge in edges]
    marks = reference.config.unvisited_first
    return [first if marks and new else score for new, score in zip(is_unvisited, scores, strict=True)]
