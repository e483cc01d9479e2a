"""The files of a package, a module a consumer: a function from the description to texts. No Amaranth here."""
