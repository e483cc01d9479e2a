"""What differs between the families of FPGAs."""
