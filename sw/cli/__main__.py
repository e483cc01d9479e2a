"""The command line without its script: `python -m rewardware.sw.cli`."""

from . import main

if __name__ == "__main__":
    main()
