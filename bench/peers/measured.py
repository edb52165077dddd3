"""Runs a program, measures what it takes, keeps what was measured, and prints tables of medians and ranges. Standard library
only."""

import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field


@dataclass
class Run:
    """What one run took. CPU is user and system time of the process and of all that it waited for."""

    wall: float
    cpu: float
    peak_mb: float
    work_wall: float | None  # without the start of the process, imports and just-in-time compilation
    work_cpu: float | None
    answer: dict
    load: float  # the machine's load average of the last minute, when the run ended
    when: str  # the day


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
               work.get("wall"), work.get("cpu"), answer, os.getloadavg()[0], time.strftime("%F"))


class Kept:
    """Finished runs, a JSON file each, so that a comparison that was interrupted goes on where it was. A run is known by what
    it depends on: the round, and a command in which files stand for their contents. What has changed is measured anew."""

    def __init__(self, folder, only=False):
        self.folder = pathlib.Path(folder)
        self.only = only  # nothing is run; what is not there is left out
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, name, inputs, work):
        """The run of that name and inputs (texts, numbers and paths), by work() where there is none. None when only is set."""
        digest = hashlib.sha256()
        for value in inputs:
            digest.update(value.read_bytes() if isinstance(value, pathlib.Path) else str(value).encode())
            digest.update(b"\0")
        path = self.folder / f"{name}-{digest.hexdigest()[:16]}.json"
        if path.exists():
            return Run(**json.loads(path.read_text()))
        if self.only:
            return None
        done = work()
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(done)))
        fresh.replace(path)  # whole or not at all
        return done


@dataclass
class Side:
    """One program of a comparison: its name in the table, and by round its runs and figures, with the times."""

    name: str
    runs: dict[int, Run] = field(default_factory=dict)
    figures: dict[str, dict[int, float]] = field(default_factory=dict)

    def add(self, round, run, **figures):
        self.runs[round] = run
        for name, value in figures.items():
            self.figures.setdefault(name, {})[round] = value

    def values(self, figure):
        return list(self.figures.get(figure, {}).values())

    def ratios(self, other, figure):
        """This side's figure by the other's, round by round."""
        mine, theirs = self.figures.get(figure, {}), other.figures.get(figure, {})
        return [mine[r] / theirs[r] for r in mine if theirs.get(r)]


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
        runs = s.runs.values()
        cells = [s.name] + [spread([getattr(r, what) for r in runs]) for what in ("cpu", "wall", "work_cpu", "peak_mb")]
        print("| " + " | ".join(cells + [spread(s.values(f)) for f in figures]) + " |")
    ours = sides[0]
    for s in sides[1:]:
        pairs = [(s.runs[r], ours.runs[r]) for r in s.runs if r in ours.runs]
        if not pairs:
            continue
        warm = [p.work_cpu / a.cpu for p, a in pairs if p.work_cpu]
        print(f"| {s.name} / {ours.name} | {spread([p.cpu / a.cpu for p, a in pairs])} | "
              f"{spread([p.wall / a.wall for p, a in pairs])} | {spread(warm)} | | " + "| " * len(figures))
    every = [r for s in sides for r in s.runs.values()]
    if every:
        days, loads = sorted({r.when for r in every}), [r.load for r in every]
        print(f"\nRounds: {', '.join(f'{s.name} {len(s.runs)}' for s in sides)}; {' to '.join(dict.fromkeys((days[0], days[-1])))}, "
              f"load {min(loads):.1f} to {max(loads):.1f}")
    sys.stdout.flush()
