"""Ends a simulation that runs longer than its limit, and shows where it was; loaded beside every bench."""

import faulthandler

from .bench import current_run

faulthandler.dump_traceback_later(current_run().timeout_s, exit=True)
