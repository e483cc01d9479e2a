"""Monte-Carlo tree search as a device."""
