"""Build and run the bench of one core; stream drivers, monitors and the comparator."""
