"""The C++ harness of a whole device and its Python binding."""
