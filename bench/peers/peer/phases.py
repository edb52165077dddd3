"""What every peer's program prints: versions, the work without start and compilation, and its answer."""

import json
import sys
import time
from contextlib import contextmanager
from importlib.metadata import version


class Phases:
    def __init__(self, *packages):
        self.versions = {"Python": sys.version.split()[0], **{p: version(p) for p in packages}}
        self.work = {}

    @contextmanager
    def measured(self):
        wall, cpu = time.monotonic(), time.process_time()
        yield
        self.work = {"wall": time.monotonic() - wall, "cpu": time.process_time() - cpu}

    def print(self, **answer):
        print(json.dumps({"versions": self.versions, "work": self.work, **answer}))
