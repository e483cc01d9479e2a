"""The search on the host: a tree, games and a queue of evaluations in C++, and their binding."""
