"""A small environment whose simulations can be made to fail, to wait and to die."""

import os
import signal
import time
from pathlib import Path

RIGHT, KILL, WAIT, FAIL = range(4)
# What nobody opens the gate for ends anyway.
PATIENCE = 60.0


class Line:
    """Places 0 to 9; from the last one no action leads on. ``RIGHT`` goes one on and earns the place's number.

    ``KILL`` does the same, but the first process to do it dies; ``WAIT`` writes its process into the file ``waiting``
    and waits for the file ``gate``; ``FAIL`` raises an error.
    """

    name, actions, players, gain = "line", 4, 1, 1.0

    def __init__(self, folder=None, legal=(RIGHT,)):
        self.folder = folder and Path(folder)
        self.legal = legal
        self.place = 0

    def __reduce__(self):
        return Line, (self.folder, self.legal)

    def reset(self, seed):
        self.place = 0

    def save(self):
        return self.place

    def restore(self, state):
        self.place = state

    def legal_actions(self):
        return sum(1 << action for action in self.legal)

    def player(self):
        return 0

    def step(self, action):
        if action == KILL and not (self.folder / "killed").exists():
            (self.folder / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if action == WAIT:
            (self.folder / "waiting").write_text(str(os.getpid()))
            end = time.monotonic() + PATIENCE
            while not (self.folder / "gate").exists() and time.monotonic() < end:
                time.sleep(0.01)
        if action == FAIL:
            raise ValueError("no such way")
        self.place += 1
        return self.gain * self.place, self.place == 9
