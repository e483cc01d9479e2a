"""FIXAR's compiler: from networks and a batch to instructions, and a model of the cycles they take."""
