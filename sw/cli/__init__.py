"""The command line: one module a subcommand."""


def main() -> None:
    """Entry point of the `rewardware` script."""
    from .dispatch import dispatch

    raise SystemExit(dispatch())
