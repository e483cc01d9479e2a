"""Functions of floating-point numbers: tables of polynomials between range reduction and rounding."""
