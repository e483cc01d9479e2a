"""What Sphinx lacks for this site."""
