"""DYNAMAP's and FSCAccel's figures beside those of the source."""
