"""From a quantised network to a program of DYNAMAP's device."""
