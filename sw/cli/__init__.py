"""The command line: one module a subcommand."""


def main() -> None:
    """Entry point of the `rewardware` script."""
    from .exit_codes import INTERRUPTED

    try:
        from .dispatch import dispatch

        code = dispatch()
    except KeyboardInterrupt:
        # While the command line itself was being imported.
        code = INTERRUPTED
    raise SystemExit(code)
