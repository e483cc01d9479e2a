"""Ways in which a worker may end instead of its work; it imports nothing that takes long."""

import os


def ends(*arguments):
    os._exit(7)
