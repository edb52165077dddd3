"""Runs a program, measures what it takes, and prints tables of medians and ranges. Standard library only."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field


@dataclass
class Run:
    """What one run took. CPU is user and system time of the process and of all that it waited for."""

    wall: float
    cpu: float
    peak_mb: float
    work_wall: float | None  # without the start of the process, imports and just-in-time compilation
    work_cpu: float | None
    answer: dict


def run(command, env=None, cwd=None, may_refuse=False):
    """Runs a command that prints one JSON object, or lines of which the last is one. Seconds and megabytes.

    may_refuse: exit code 3, with which `assay lab` says that a result is not reportable, is a result too.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=err, cwd=cwd, env={**os.environ, **(env or {})})
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text = out.read()
        if child.returncode != 0 and not (may_refuse and child.returncode == 3):
            sys.exit(f"{' '.join(map(str, command))}\nended with {child.returncode}:\n{text[-2000:]}\n{err.read()[-4000:]}")
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        try:
            answer = json.loads(text.strip().splitlines()[-1])
        except (json.JSONDecodeError, IndexError):
            answer = {"text": text}
    work, off = answer.get("work", {}), answer.get("subtract", {})
    return Run(wall - off.get("wall", 0), used.ru_utime + used.ru_stime - off.get("cpu", 0), used.ru_maxrss / 1024,
               work.get("wall"), work.get("cpu"), answer)


@dataclass
class Side:
    """One program of a comparison: its name in the table, its runs, and figures of each run beside the times."""

    name: str
    runs: list[Run] = field(default_factory=list)
    figures: dict[str, list[float]] = field(default_factory=dict)

    def add(self, run, **figures):
        self.runs.append(run)
        for name, value in figures.items():
            self.figures.setdefault(name, []).append(value)


def short(x):
    """Three digits that mean something."""
    if x is None:
        return ""
    if x == 0 or abs(x) >= 1000:
        return f"{x:,.0f}"
    if abs(x) < 0.001:
        return f"{x:.2g}"
    digits = 0 if abs(x) >= 100 else 1 if abs(x) >= 10 else 2 if abs(x) >= 1 else 3
    return f"{x:.{digits}f}"


def spread(values):
    """The median, with the lowest and the highest when they differ."""
    values = [v for v in values if v is not None]
    if not values:
        return ""
    middle, low, high = (short(v) for v in (statistics.median(values), min(values), max(values)))
    return middle if low == high else f"{middle} ({low} to {high})"


def table(title, sides, figures=()):
    """Prints one comparison. figures: names of the columns after the times, in order."""
    print(f"\n{title}\n")
    print("| | CPU, s | wall, s | CPU without start and compilation, s | peak, MB |" + "".join(f" {f} |" for f in figures))
    print("|---|---|---|---|---|" + "---|" * len(figures))
    for s in sides:
        cells = [s.name] + [spread([getattr(r, what) for r in s.runs]) for what in ("cpu", "wall", "work_cpu", "peak_mb")]
        print("| " + " | ".join(cells + [spread(s.figures.get(f, [])) for f in figures]) + " |")
    ours = sides[0]
    for s in sides[1:]:
        pairs = list(zip(s.runs, ours.runs))
        if not pairs:
            continue
        warm = [p.work_cpu / a.cpu for p, a in pairs if p.work_cpu]
        print(f"| {s.name} / {ours.name} | {spread([p.cpu / a.cpu for p, a in pairs])} | "
              f"{spread([p.wall / a.wall for p, a in pairs])} | {spread(warm)} | | " + "| " * len(figures))
    sys.stdout.flush()
