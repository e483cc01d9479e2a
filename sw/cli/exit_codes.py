"""Exit codes of the command line, besides 128 and the number of the signal that stopped it."""

__all__ = ["FAILURE", "INTERRUPTED", "USAGE_ERROR"]

# Something failed: a check, a tool, an environment, a device, a file that cannot be written.
FAILURE = 1
# The input is wrong: an option, a value, a file that is not there. The same command fails again.
USAGE_ERROR = 2
# Ctrl-C.
INTERRUPTED = 130
