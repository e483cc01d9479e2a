"""Tree search with a network: one search, in plain Python, in C++ on the host, and on the tree accelerator."""
