"""AlphaZero: self-play, training and searches guided by a network."""
