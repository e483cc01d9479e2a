"""LearningGroup's compiler: from a network and a task to the programs of an iteration."""
