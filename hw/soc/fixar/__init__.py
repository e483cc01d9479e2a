"""FIXAR: fixed-point deep deterministic policy gradient on adaptive array cores."""
