"""Monte-Carlo tree search on chip: nodes in banks, a pipeline over the levels, and what connects them."""
