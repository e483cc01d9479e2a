"""Who steps environments, and where: in this process, in others, on Ray; simulations of a search."""
