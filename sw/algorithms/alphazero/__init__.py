"""Learning a game of two players from games against oneself, in which a tree search chooses (AlphaZero)."""
